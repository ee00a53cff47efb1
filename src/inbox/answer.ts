import { put, type Stored, unchanged } from '../storage/store.ts';
import { digests, type MailRecord, mails, toMail } from './collections.ts';
import type { Mailbox, Opened, ToAnswer } from './ports.ts';
import { ASKED } from './texts.ts';
import { ATTEMPT_MS, readDigest, replace, type WorkPorts } from './work-ports.ts';

/** After how long it's looked again whether a thread is free, in milliseconds. */
const BUSY_MS = 30_000;

type AnswerPorts = Pick<WorkPorts, 'store' | 'clock' | 'places' | 'findMailbox' | 'turnOffFor' | 'changed'>;

/**
 * Begins the run that answers a mail, once, as a schedule's time begins: a commit claims it, then the message is posted, or found
 * again after a crash, and the run and the thread that the mail has from then on are one commit. A mail of a conversation that has
 * a thread goes there once nothing waits in it, and of one that has none, one mail at a time opens one.
 */
export function createAnswer({ store, clock, places, findMailbox, turnOffFor, changed }: AnswerPorts) {
  return async (stored: Stored<MailRecord>): Promise<void> => {
    const { mailboxId } = stored.value;
    const mailbox = await findMailbox(mailboxId);
    if (!mailbox) return;
    if (!mailbox.isOn) return void (await rest(stored));
    const digest = await readDigest(store, mailboxId);
    const thread = await findThread(stored.value);
    if ((await isOtherOpening(stored)) || (thread !== null && (await places.isBusy(thread)))) {
      await replace(store, mails, stored, { ...stored.value, lookAt: clock() + BUSY_MS });
      return;
    }
    const mayBePosted = stored.value.isOpening;
    const opening = { ...stored.value, isOpening: true, lookAt: clock() + ATTEMPT_MS };
    const claim = await store.commit({
      // Whoever opens another thread of the mailbox meanwhile writes it as well.
      expect: [unchanged(mails, stored), digest.expected],
      put: [put(mails, stored.id, opening), put(digests, mailboxId, digest.value)],
    });
    if (!claim.committed) return;
    const held = { id: stored.id, version: claim.version, value: opening };
    const why = await places.check(mailbox);
    if (why !== null) return turnOffFor(mailbox, why);
    const toAnswer = toAnswerIn(mailbox, held, thread);
    const opened = await places.openMail(toAnswer, { mayBePosted });
    if (opened === null) return turnOffFor(mailbox, 'place_closed');
    const begun = {
      ...{ ...opening, isOpening: false, lookAt: null, failures: 0 },
      ...{ slackThread: opened.threadId, begunAt: clock() },
    };
    const also = { expect: [unchanged(mails, held)], put: [put(mails, held.id, begun)] };
    if (await places.beginMail(toAnswer, opened, also)) return changed(mailbox.owner.id);
    await giveUp(toAnswer, opened);
  };

  /** Where another process still opens the same, it finds the message and goes on with it. */
  async function giveUp(toAnswer: ToAnswer, opened: Opened): Promise<void> {
    const now = await store.get(mails, toAnswer.mail.id);
    if (now?.value.isOpening !== true) await places.takeBack(toAnswer, opened);
  }

  /** What was to be answered in a mailbox that is off now is only listed. */
  async function rest(stored: Stored<MailRecord>): Promise<void> {
    await replace(store, mails, stored, { ...stored.value, state: 'listed', isOpening: false, lookAt: null });
  }

  async function findThread({ mailboxId, threadId }: MailRecord): Promise<string | null> {
    const range = { prefix: [mailboxId, threadId], descending: true };
    const { items } = await store.query(mails, 'byConversation', range, 1);
    return items[0]?.value.slackThread ?? null;
  }

  async function isOtherOpening({
    id,
    value: { mailboxId, threadId },
  }: Stored<MailRecord>): Promise<boolean> {
    const { items } = await store.query(mails, 'opening', { prefix: [mailboxId, threadId] }, 2);
    return items.some((one) => one.id !== id);
  }
}

function toAnswerIn(mailbox: Mailbox, held: Stored<MailRecord>, thread: string | null): ToAnswer {
  const mail = { ...toMail(held), slackThread: thread };
  const { begunAt: earlier } = held.value;
  return {
    ...{ mailbox, mail, asked: ASKED(mailbox.server, mail.messageId) },
    ...(earlier !== null && { earlier }),
  };
}

import { RefusalError } from '../gate/types.ts';
import { toLine } from '../lib/text/model-answer.ts';
import { put, type Stored, unchanged } from '../storage/store.ts';
import { digests, type MailRecord, mailboxes, mails, postedDigests, toMail } from './collections.ts';
import { findOpenedMail, nextBegin, readThread } from './find-records.ts';
import type { DigestPlace, Mailbox, MarkAsRead, Opened, Retry, RunEnd, ToAnswer } from './ports.ts';
import { refusal } from './refusal.ts';
import { ASKED, ASKED_ANEW, ASKED_GATHERED, REASONS, REFUSED } from './texts.ts';
import {
  ATTEMPT_MS,
  findThread,
  isOtherAnswered,
  nextDigest,
  readDigest,
  replace,
  showAnew,
  toNewer,
  type WorkPorts,
} from './work-ports.ts';

/** After how long it's looked again whether a thread is free, in milliseconds. */
const BUSY_MS = 30_000;
/**
 * How often it's looked whether a run has ended that left its mail as it was, in milliseconds: the longer it goes on, the more it
 * waits for a person.
 */
const RUN_CHECK = { shortestMs: 60_000, longestMs: 15 * 60_000, ofItsAge: 1 / 4 };
/** How much of what people were told of a run is kept, in characters. */
const LONGEST_SAID = 200;

type AnswerPorts = Pick<WorkPorts, 'store' | 'clock' | 'places' | 'findMailbox' | 'turnOffFor' | 'changed'>;
type FollowPorts = AnswerPorts & { readonly markAsRead: MarkAsRead };

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
    if (!mailbox.isOn) return rest(stored);
    const digest = await readDigest(store, mailboxId);
    const thread = await findThread(store, stored.value);
    if ((await isOtherOpening(stored)) || (thread !== null && (await places.isBusy(thread)))) {
      const { slackThread, notice } = stored.value;
      // One that was in the thread before is no news there.
      const isNews = thread !== null && slackThread === null && notice === 'none';
      const waits: Partial<MailRecord> = isNews
        ? { lookAt: clock(), notice: 'due' }
        : { lookAt: clock() + BUSY_MS };
      await replace(store, mails, stored, { ...stored.value, ...waits });
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
    const owned = await store.query(mailboxes, 'byOwner', { prefix: [mailbox.owner.id] }, 2);
    const isOneOfSeveral = owned.items.length > 1;
    const toAnswer = { ...toAnswerIn(mailbox, held, thread), isOneOfSeveral };
    const opened = await places.openMail(toAnswer, { mayBePosted });
    if (opened === null) return turnOffFor(mailbox, 'place_closed');
    const now = clock();
    const begun: MailRecord = {
      ...{ ...opening, isOpening: false, failures: 0, notice: 'none' },
      ...{ slackThread: opened.threadId, run: opened.run, lookAt: now + RUN_CHECK.shortestMs },
      begunAt: await nextBegin(store, opened.threadId, now),
    };
    const also = {
      expect: [unchanged(mails, held)],
      put: [put(mails, held.id, begun), ...showAnew([begun], now)],
    };
    if (await places.beginMail(toAnswer, opened, also)) return changed(mailbox.owner.id);
    await giveUp(toAnswer, opened);
  };

  /** Where another process still opens the same, it finds the message and goes on with it. */
  async function giveUp(toAnswer: ToAnswer, opened: Opened): Promise<void> {
    const now = await store.get(mails, toAnswer.mail.id);
    if (now?.value.isOpening !== true) await places.takeBack(toAnswer, opened);
  }

  /** What was to be answered in a mailbox that is off now is only listed, until that is on again. */
  async function rest(stored: Stored<MailRecord>): Promise<void> {
    const mailbox = await store.get(mailboxes, stored.value.mailboxId);
    if (!mailbox || mailbox.value.isOn) return;
    const value: MailRecord = {
      ...{ ...stored.value, state: 'listed', isResting: true },
      ...{ isOpening: false, lookAt: null },
    };
    await store.commit({
      // Whoever turns it on takes up again what rests by then.
      expect: [unchanged(mails, stored), unchanged(mailboxes, mailbox)],
      put: [put(mails, stored.id, value), ...showAnew([value], clock())],
    });
  }

  async function isOtherOpening({
    id,
    value: { mailboxId, threadId },
  }: Stored<MailRecord>): Promise<boolean> {
    const { items } = await store.query(mails, 'opening', { prefix: [mailboxId, threadId] }, 2);
    return items.some((one) => one.id !== id);
  }
}

/**
 * Has a mail of a thread followed by a call that is what its answer lacks, as by a run of its own, unless it's dealt with meanwhile.
 * Of several in the thread, the call's draft says which.
 */
export async function followRetry(
  { store, clock }: Pick<WorkPorts, 'store' | 'clock'>,
  threadId: string,
  { run, messageId }: Retry,
): Promise<void> {
  const [answered = null] =
    messageId === null
      ? [await findOpenedMail(store, threadId)]
      : await readThread(store, threadId, (mail) => mail.messageId === messageId);
  if (answered === null) return;
  const { state, run: before } = answered.value;
  // Nothing runs in its thread, so a run that it still names has ended.
  if (state !== 'listed' && (state !== 'responding' || before === null)) return;
  const now = clock();
  const lookAt = now + RUN_CHECK.shortestMs;
  const begunAt = await nextBegin(store, threadId, now);
  const value: MailRecord = { ...answered.value, state: 'responding', run, begunAt, lookAt };
  await store.commit({
    expect: [unchanged(mails, answered)],
    put: [put(mails, answered.id, value), ...showAnew([value], now)],
  });
}

/**
 * Lists a mail whose run has ended without a word to the inbox, as one does that fails, is stopped or can't begin. One that was a single
 * call, and is done, has the mail marked as read. What couldn't be marked is told once more: it was told as done.
 */
export function createFollowRun({ store, clock, places, findMailbox, changed, markAsRead }: FollowPorts) {
  return async (stored: Stored<MailRecord>): Promise<void> => {
    const { run, begunAt, mailboxId } = stored.value;
    const end = run === null ? null : await places.findEnd(run);
    const now = clock();
    if (end === null) {
      const age = (now - (begunAt ?? now)) * RUN_CHECK.ofItsAge;
      const ms = Math.min(RUN_CHECK.longestMs, Math.max(RUN_CHECK.shortestMs, age));
      await replace(store, mails, stored, { ...stored.value, lookAt: now + ms });
      return;
    }
    const mailbox = await findMailbox(mailboxId);
    if (end.how === 'marked') return finish(stored, mailbox);
    const reason = end.how === 'sent' ? await mark(stored, mailbox) : describeEnd(end);
    if (reason === null) return;
    // Of all else its thread has told, so it's in no digest.
    const isTold = end.how !== 'unmarked' || mailbox === null;
    const left: MailRecord = { ...stored.value, state: 'listed', run: null, lookAt: null, isTold, reason };
    const digest = await readDigest(store, mailboxId);
    const { committed } = await store.commit({
      expect: [unchanged(mails, stored), digest.expected],
      put: [
        put(mails, stored.id, left),
        ...showAnew([left], now),
        ...(isTold
          ? []
          : [
              put(digests, mailboxId, {
                ...digest.value,
                lookAt: digest.value.lookAt ?? nextDigest(mailbox, now),
              }),
            ]),
      ],
    });
    if (committed && mailbox) changed(mailbox.owner.id);
  };

  /** What was missing of its answer is done: has it marked as read; why that is refused, else null. */
  async function mark(stored: Stored<MailRecord>, mailbox: Mailbox | null): Promise<string | null> {
    if (mailbox === null) return null;
    try {
      await markAsRead(mailbox, toMail(stored), async (run) => {
        const now = await store.get(mails, stored.id);
        if (now?.version !== stored.version) throw refusal(REFUSED.answered);
        return {
          expect: [unchanged(mails, stored)],
          put: [put(mails, stored.id, { ...stored.value, run, lookAt: clock() })],
        };
      });
    } catch (error) {
      if (error instanceof RefusalError) return error.userMessage;
      throw error;
    }
    return null;
  }

  /** It's marked as read, which its thread is told where it waits for that. */
  async function finish(stored: Stored<MailRecord>, mailbox: Mailbox | null): Promise<void> {
    const done: MailRecord = { ...stored.value, state: 'done', run: null, lookAt: null, isTold: true };
    // Its owner was done with it before.
    const isShown = stored.value.state === 'done';
    const { committed } = await store.commit({
      expect: [unchanged(mails, stored)],
      put: [put(mails, stored.id, done), ...(isShown ? [] : showAnew([done], clock()))],
    });
    if (!committed || mailbox === null || isShown) return;
    await places.tellMarked(mailbox, toMail(stored));
    changed(mailbox.owner.id);
  }
}

/**
 * Tells the thread in which an earlier mail of its conversation is answered that this one came, once, whatever was said of it: nobody
 * is to accept a draft who doesn't know that. Gives the mail as it is then; null where it's told later, or by somebody else.
 */
export function createTellNewer({ store, clock, places, findMailbox }: AnswerPorts) {
  return async (stored: Stored<MailRecord>): Promise<Stored<MailRecord> | null> => {
    const { notice, state, run, mailboxId } = stored.value;
    const mailbox = notice === 'due' || notice === 'telling' ? await findMailbox(mailboxId) : null;
    if (mailbox === null) return stored;
    const thread = await findThread(store, stored.value);
    const isNext = state === 'responding' && run === null;
    if (thread === null || !(await places.isBusy(thread))) {
      // It's the next to be answered there, or the thread of the other one isn't open yet.
      if (isNext) return stored;
      const isExpected = thread === null && (await isOtherAnswered(store, stored));
      const later: Partial<MailRecord> = isExpected
        ? { lookAt: clock() + BUSY_MS }
        : { notice: 'none', lookAt: null };
      await replace(store, mails, stored, { ...stored.value, ...later });
      return null;
    }
    const telling: MailRecord = { ...stored.value, notice: 'telling', lookAt: clock() + ATTEMPT_MS };
    const held = await replace(store, mails, stored, telling);
    if (held === null) return null;
    const place = await places.tellNewer(toNewer(mailbox, held, thread), {
      mayBePosted: notice === 'telling',
    });
    await noteTold(held, place);
    return null;
  };

  /** Keeps where the line is, whatever became of the mail while it was posted: it shows that from then on. */
  async function noteTold(held: Stored<MailRecord>, place: DigestPlace | null): Promise<void> {
    const lineId = place && `${held.id}-newer`;
    for (;;) {
      const now = await store.get(mails, held.id);
      if (now === null) return;
      const { notice, lookAt, state, run, mailboxId, isTold, verdict } = now.value;
      const isNext = state === 'responding' && run === null;
      const told: MailRecord = {
        ...{ ...now.value, lineId, notice: notice === 'telling' ? 'told' : notice },
        // What the thread told isn't told twice.
        isTold: isTold || (lineId !== null && verdict === 'notify'),
        // Somebody else's time for it counts.
        lookAt: lookAt !== held.value.lookAt ? lookAt : isNext ? clock() + BUSY_MS : null,
      };
      const line = place && {
        ...place,
        kind: 'newer' as const,
        mailboxId,
        mails: [held.id],
        ignored: 0,
        at: clock(),
      };
      const { committed } = await store.commit({
        expect: [unchanged(mails, now)],
        put: [
          put(mails, held.id, told),
          ...(line && lineId ? [put(postedDigests, lineId, line)] : []),
          ...(now.version === held.version ? [] : showAnew([told], clock())),
        ],
      });
      if (committed) return;
    }
  }
}

function describeEnd({ how, said }: RunEnd): string {
  if (how === 'failed') return REASONS.failed(toLine(said, LONGEST_SAID));
  if (how === 'unmarked') return REASONS.unmarked(toLine(said, LONGEST_SAID));
  return how === 'stopped' ? REASONS.stopped : REASONS.unanswered;
}

function toAnswerIn(mailbox: Mailbox, held: Stored<MailRecord>, thread: string | null): ToAnswer {
  const mail = { ...toMail(held), slackThread: thread };
  const { begunAt: earlier, notice } = held.value;
  const beside = notice === 'chosen' ? [ASKED_ANEW] : notice === 'gathered' ? [ASKED_GATHERED] : [];
  return {
    ...{ mailbox, mail, asked: [ASKED(mailbox.server, mail.messageId), ...beside].join(' ') },
    ...(earlier !== null && { earlier }),
  };
}

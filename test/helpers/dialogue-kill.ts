import type { CallState } from '../../src/gate/call/record.ts';
import { calls, requests } from '../../src/gate/store/collections.ts';
import {
  cursors,
  digests,
  lessons,
  type MailRecord,
  mails,
  staleDigests,
} from '../../src/inbox/collections.ts';
import { type MailboxItem, mailbox } from '../../src/runs/collections.ts';
import type { Store } from '../../src/storage/store.ts';
import type { Dialogue } from './dialogue.ts';
import type { DialogueWorld } from './dialogue-world.ts';

/** Words of a step in which somebody does something: between what they see and what they do, a worker goes. */
const SOMEBODY_ACTS = /^(ana|bob|carol) (says|clicks|fills in|types)/;
/** How long a dialogue is given to come to rest before somebody acts, in milliseconds. */
const REST_WITHIN_MS = 3_000;

/**
 * Kills a worker in the middle of a dialogue, once: before a step in which somebody acts, when nothing is
 * under way whose end would be in doubt, as the dialogue could not go on as it is written then; what becomes
 * of calls and messages that are under way is for `scaled.test.ts` and the chaos runs. Which of the two
 * workers goes hangs on the file, so that it is the same each time.
 */
export function workerKiller(world: DialogueWorld, { file, steps }: Dialogue) {
  const acts = steps.flatMap(({ words }, index) => (index > 0 && SOMEBODY_ACTS.test(words) ? [index] : []));
  const from = acts[Math.floor(acts.length / 2)] ?? Number.POSITIVE_INFINITY;
  const which = file.length % 2 === 0 ? 0 : 1;
  let killed = false;
  return {
    killed: () => killed,
    async before(index: number): Promise<void> {
      // Connections are made anew after a clock has jumped, and by those who were started again.
      await world.app.driver.waitForApp();
      if (killed || index < from || !acts.includes(index) || !(await comesToRest(world))) return;
      killed = true;
      await world.app.killWorker(which);
    },
  };
}

async function comesToRest(world: DialogueWorld): Promise<boolean> {
  const end = Date.now() + REST_WITHIN_MS;
  do {
    if (await isAtRest(world)) return true;
  } while (Date.now() < end);
  return false;
}

/** States of calls that a worker has still to do something about. */
const IN_WORK: ReadonlySet<CallState> = new Set(['approved', 'allowed', 'executing']);

/**
 * The model is asked nothing, and on no thread and in no inbox is anything left to do. A worker may still have its lease:
 * the other one takes it over.
 */
async function isAtRest({ app, model }: DialogueWorld): Promise<boolean> {
  if (model.unanswered() > 0) return false;
  return app.inStore(async (store) => {
    const [messages, open, waiting, isInboxAtWork] = await Promise.all([
      store.query(mailbox, 'open', {}, 1_000),
      store.query(calls, 'notEnded', {}, 1_000),
      store.query(requests, 'openByThread', {}, 1_000),
      isAtWork(store, app.now()),
    ]);
    const asked = new Set(waiting.items.map(({ value }) => value.threadId));
    const waits = ({ state, threadId }: MailboxItem) => state === 'held' || asked.has(threadId);
    return (
      !isInboxAtWork &&
      messages.items.every(({ value }) => value.state !== 'queued' && waits(value)) &&
      open.items.every(({ value }) => !IN_WORK.has(value.state))
    );
  });
}

/**
 * Whether something is due in an inbox at this time, in milliseconds since the epoch, or under way: what a worker was at
 * when it was killed, another takes up only once its attempt has had its time.
 */
async function isAtWork(store: Store, now: number): Promise<boolean> {
  const due = { before: [now + 1] };
  const [looks, works, runs, lists, changed, learned] = await Promise.all([
    store.count(cursors, 'byLook', due, 1),
    store.query(mails, 'byWork', {}, 1_000),
    store.count(mails, 'byRun', due, 1),
    store.query(digests, 'byLook', {}, 1_000),
    store.count(staleDigests, 'byLook', {}, 1),
    store.query(lessons, 'byWork', {}, 1_000),
  ]);
  const isDue = ({ lookAt }: { readonly lookAt: number | null }) => lookAt !== null && lookAt <= now;
  const isWorkedOn = (mail: MailRecord) =>
    isDue(mail) || mail.state === 'new' || mail.isOpening || mail.notice === 'telling';
  return (
    works.items.some(({ value }) => isWorkedOn(value)) ||
    lists.items.some(({ value }) => isDue(value) || value.posting !== null) ||
    learned.items.some(({ value }) => isDue(value) || value.asked !== null || value.isTelling) ||
    looks + runs + changed > 0
  );
}

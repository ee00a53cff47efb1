import { type EndedCalls, findEndedCalls, hasCalls } from '../gate/index.ts';
import type { CallRecord } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import { fences, leases } from '../storage/lease/collections.ts';
import { type Lease, type LeaseHolder, takeLease } from '../storage/lease/lease.ts';
import { scanIndex } from '../storage/scan.ts';
import { absent, type Range, ref, type Store, type Stored, unchanged } from '../storage/store.ts';
import { type MailboxItem, mailbox, teamPlans, threads, work } from './collections.ts';
import { openItems } from './mailbox.ts';

/** Records of one kind that one commit deletes: it must not keep others from the store for long. */
const AT_ONCE = 100;

/** What other modules keep of a thread. */
interface ThreadBelongings {
  /** Deletes what belongs to these calls and requests. Runs before they are deleted, again if it was cut off. */
  removeOfCalls(ended: EndedCalls): Promise<void>;
  /** Deletes what the agent remembers of the conversation. Nothing of a lower fencing token comes back afterwards. */
  removeConversation(threadId: string, token: number): Promise<void>;
  /** Deletes everything else that belongs to the thread, which has no messages and calls any more. */
  removeRest(threadId: string): Promise<void>;
}

interface RemovalPorts extends ThreadBelongings {
  readonly store: Store;
  readonly clock: Clock;
  /** One of its own: the workers of the same process may have the thread. */
  readonly holder: LeaseHolder;
}

/** Which records of a thread are removed. */
export interface RemovalChoice {
  /** Only what was received and proposed before this, in milliseconds since the epoch; null: whatever its age. */
  readonly before: number | null;
  readonly isMessageWanted: (item: MailboxItem) => boolean;
  readonly isCallWanted: (call: CallRecord) => boolean;
  /** Whether the agent forgets the conversation although others' messages of it stay. */
  readonly forgetsConversation: boolean;
}

/** What was done in a thread. `open`: nothing, because something in it waits, runs or is in doubt. */
interface RemovalResult {
  readonly state: 'removed' | 'open';
  readonly messages: number;
  readonly calls: number;
  /** Whether nothing is left of the thread. */
  readonly isGone: boolean;
}

const OPEN: RemovalResult = { state: 'open', messages: 0, calls: 0, isGone: false };

/**
 * Removes records of threads: messages, calls with their results, requests, and the conversation. Works under
 * the thread's lease and in small commits that hold only if no new work came up, so it can stop anywhere and
 * begin again, and nothing that is open is ever removed. The audit isn't touched.
 */
export function createRecordRemoval(ports: RemovalPorts) {
  const { store } = ports;

  async function removeBatch(threadId: string, { fence }: Lease, choice: RemovalChoice) {
    if ((await openItems(store, threadId)).length > 0) return null;
    const { before, isCallWanted } = choice;
    const ended = await findEndedCalls(store, threadId, { before, limit: AT_ONCE, isWanted: isCallWanted });
    if (ended === null) return null;
    const messages = await findMessages(store, threadId, choice);
    await ports.removeOfCalls(ended);
    if (messages.length + ended.refs.length > 0) {
      const { committed } = await store.commit({
        expect: [
          fence.expectation,
          absent(work, threadId),
          ...messages.map((item) => unchanged(mailbox, item)),
          ...ended.expect,
        ],
        delete: [...messages.flatMap(({ id }) => [ref(mailbox, id), ref(teamPlans, id)]), ...ended.refs],
      });
      if (!committed) return null;
    }
    return { messages: messages.length, calls: ended.calls.length };
  }

  /** Removes the thread itself; false if something came up meanwhile. */
  async function removeThread(threadId: string, { fence }: Lease): Promise<boolean> {
    await ports.removeRest(threadId);
    const thread = await store.get(threads, threadId);
    const { committed } = await store.commit({
      expect: [fence.expectation, absent(work, threadId), ...(thread ? [unchanged(threads, thread)] : [])],
      // The fencing token may begin anew: its number is a commit's, which never comes again.
      delete: [ref(threads, threadId), ref(leases, threadId), ref(fences, threadId)],
    });
    return committed;
  }

  async function removeUnderLease(
    threadId: string,
    lease: Lease,
    choice: RemovalChoice,
  ): Promise<RemovalResult> {
    let messages = 0;
    let calls = 0;
    if ((await store.get(work, threadId)) !== null || (await isPlanOpen(store, threadId))) return OPEN;
    for (;;) {
      const batch = await removeBatch(threadId, lease, choice);
      if (batch === null) return { ...OPEN, messages, calls };
      messages += batch.messages;
      calls += batch.calls;
      if (batch.messages < AT_ONCE && batch.calls < AT_ONCE) break;
    }
    if (choice.forgetsConversation && !(await forgetBesides(ports, threadId)))
      return { ...OPEN, messages, calls };
    const isEmpty = !(await hasMessages(store, threadId)) && !(await hasCalls(store, threadId));
    if (isEmpty || choice.forgetsConversation) await ports.removeConversation(threadId, lease.fence.token);
    const isGone = isEmpty && (await removeThread(threadId, lease));
    return { state: 'removed', messages, calls, isGone };
  }

  return {
    /** Whether a thread has records older than `before`, open or not. */
    hasOlder: async (threadId: string, before: number): Promise<boolean> =>
      (await hasMessages(store, threadId, before)) ||
      (await hasCalls(store, threadId, before)) ||
      (!(await hasMessages(store, threadId)) && !(await hasCalls(store, threadId))),

    async removeRecords(threadId: string, choice: RemovalChoice): Promise<RemovalResult> {
      const lease = await takeLease(ports, threadId);
      if (lease === null) return OPEN;
      try {
        return await removeUnderLease(threadId, lease, choice);
      } finally {
        await lease.release();
      }
    },
  };
}
export type RecordRemoval = ReturnType<typeof createRecordRemoval>;

/** Whether the plan that the thread's task is of goes on: it would begin a task anew of which nothing is known. */
async function isPlanOpen(store: Store, threadId: string): Promise<boolean> {
  const task = (await store.get(threads, threadId))?.value.task;
  const item = task && (await store.get(mailbox, task.itemId));
  return item?.value.state === 'running';
}

async function findMessages(
  store: Store,
  threadId: string,
  { before, isMessageWanted }: RemovalChoice,
): Promise<readonly Stored<MailboxItem>[]> {
  const found: Stored<MailboxItem>[] = [];
  for await (const item of scanIndex(store, mailbox, 'byThread', inThread(threadId, before))) {
    if (isMessageWanted(item.value)) found.push(item);
    if (found.length === AT_ONCE) break;
  }
  return found;
}

/**
 * Removes the conversations of the threads that answered a message beside this one: each begins with a copy of its own.
 * False if a worker has one of them.
 */
async function forgetBesides(ports: RemovalPorts, threadId: string): Promise<boolean> {
  for await (const { value } of scanIndex(ports.store, mailbox, 'byThread', inThread(threadId, null))) {
    if (value.beside === undefined) continue;
    const lease = await takeLease(ports, value.beside);
    if (lease === null) return false;
    try {
      await ports.removeConversation(value.beside, lease.fence.token);
    } finally {
      await lease.release();
    }
    if (!(await forgetBesides(ports, value.beside))) return false;
  }
  return true;
}

async function hasMessages(store: Store, threadId: string, before: number | null = null): Promise<boolean> {
  return (await store.query(mailbox, 'byThread', inThread(threadId, before), 1)).items.length > 0;
}

function inThread(threadId: string, before: number | null): Range {
  return { prefix: [threadId], ...(before === null ? {} : { before: [threadId, before] }) };
}

/** How many messages of a thread are wanted. */
export async function countMessages(
  store: Store,
  threadId: string,
  isWanted: (item: MailboxItem) => boolean,
): Promise<number> {
  let count = 0;
  for await (const { value } of scanIndex(store, mailbox, 'byThread', inThread(threadId, null))) {
    if (isWanted(value)) count += 1;
  }
  return count;
}

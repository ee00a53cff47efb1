import { threadSession } from '../gate/index.ts';
import { forgetThreadEvents } from '../http/index.ts';
import type { Clock } from '../lib/clock.ts';
import { DamagedRecordError } from '../lib/errors.ts';
import { createRecordRemoval, type RecordRemoval, type RemovalChoice, threads } from '../runs/index.ts';
import { forgetPrompts, forgetRequests, forgetThread } from '../slack/index.ts';
import type { LeaseHolder } from '../storage/lease/lease.ts';
import type { RetentionRule } from '../storage/retention.ts';
import type { Store } from '../storage/store.ts';
import type { KeptResults } from '../tools/index.ts';
import type { Storage } from './compose-storage.ts';

/** Threads that one step looks at; most have nothing to remove. */
const THREADS_AT_ONCE = 25;

interface RemovalParts {
  readonly storage: Pick<Storage, 'store' | 'checkpoints'>;
  readonly clock: Clock;
  readonly holder: LeaseHolder;
  readonly keptResults: Pick<KeptResults, 'forgetCalls'>;
}

/** Removes records of threads, with all that belongs to them in every module. */
export function composeRecordRemoval(parts: RemovalParts): RecordRemoval {
  const { storage, clock, holder, keptResults } = parts;
  const { store } = storage;
  return createRecordRemoval({
    store,
    clock,
    holder,
    async removeOfCalls({ calls, requests }) {
      await keptResults.forgetCalls(calls.map(({ value }) => value));
      for (const [threadId, those] of Map.groupBy(calls, ({ value }) => value.threadId))
        await forgetPrompts(store, threadId, new Set(those.map(({ value }) => value.callId)));
      await forgetRequests(
        store,
        requests.map(({ id }) => id),
      );
    },
    async removeConversation(threadId, token) {
      await storage.checkpoints.claim(threadId, token);
      await storage.checkpoints.deleteThread(threadId);
    },
    async removeRest(threadId) {
      await forgetThreadEvents(store, threadId);
      await forgetThread(store, threadId);
      await store.commit({ delete: [threadSession(threadId)] });
    },
  });
}

/**
 * The retention rule of the records themselves. It goes through the threads from the oldest on, a few at a
 * time, and begins again after the newest. A thread with anything open, or with a record that can't be read,
 * is left for the next round.
 */
export function recordRetention(
  store: Store,
  removal: RecordRemoval,
  keepForMs: number | null,
): RetentionRule {
  let cursor: string | null = null;

  async function forget(before: number): Promise<number> {
    const page = await store.query(
      threads,
      'byCreation',
      { before: [before], ...(cursor === null ? {} : { cursor }) },
      THREADS_AT_ONCE,
    );
    let removed = 0;
    for (const { id } of page.items) removed += await forgetOlder(removal, id, before);
    cursor = page.next;
    if (removed > 0) await store.reclaim();
    return removed;
  }

  return { name: 'messages, requests and calls', keepForMs, forget };
}

async function forgetOlder(removal: RecordRemoval, threadId: string, before: number): Promise<number> {
  const choice: RemovalChoice = {
    before,
    isMessageWanted: ({ receivedAt }) => receivedAt < before,
    isCallWanted: ({ endedAt, proposedAt }) => (endedAt ?? proposedAt) < before,
    forgetsConversation: false,
  };
  try {
    if (!(await removal.hasOlder(threadId, before))) return 0;
    const { messages, calls } = await removal.removeRecords(threadId, choice);
    return messages + calls;
  } catch (error) {
    if (error instanceof DamagedRecordError) return 0;
    throw error;
  }
}

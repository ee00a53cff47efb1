import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CheckpointChange } from './types.ts';

interface Batch {
  readonly fence: number | null;
  readonly changes: CheckpointChange[];
  readonly committed: PromiseWithResolvers<void>;
}

type Commit = (
  threadId: string,
  changes: readonly CheckpointChange[],
  fence: number | null,
) => Promise<unknown>;

export interface Batches {
  /** Resolves when the change is durable; rejects with what `commit` rejects with. */
  add(threadId: string, change: CheckpointChange, fence: number | null): Promise<void>;
  /** Resolves when none of the thread's commits is pending, whether they succeeded or failed. */
  settled(threadId: string): Promise<void>;
}

/**
 * Batches checkpoint writes: everything that one turn of the event loop writes to a thread goes into one
 * commit. A graph saves a task's writes and, right after, the checkpoint that follows from them, so the two
 * usually share a commit. While a commit is in flight the next batch collects, so a thread's commits never
 * overtake each other. Changes under different fences go into separate commits.
 *
 * @example
 * const batches = createBatches(rows.commit);
 * const writes = batches.add('t1', pendingWrites, fence);
 * const saved = batches.add('t1', checkpoint, fence); // same turn, same fence: the same commit
 * await Promise.all([writes, saved]);
 */
export function createBatches(commit: Commit): Batches {
  const gathering = new Map<string, Batch[]>();
  const working = new Map<string, Promise<void>>();

  async function work(threadId: string, batches: Batch[]): Promise<void> {
    await nextTurn();
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
      try {
        await commit(threadId, batch.changes, batch.fence);
        batch.committed.resolve();
      } catch (error) {
        batch.committed.reject(error);
      }
    }
    gathering.delete(threadId);
    working.delete(threadId);
  }

  return {
    add(threadId, change, fence) {
      const batches = gathering.get(threadId) ?? [];
      const last = batches.at(-1);
      if (last?.fence === fence) {
        last.changes.push(change);
        return last.committed.promise;
      }
      const batch = { fence, changes: [change], committed: Promise.withResolvers<void>() };
      batches.push(batch);
      if (!gathering.has(threadId)) {
        gathering.set(threadId, batches);
        working.set(threadId, work(threadId, batches));
      }
      return batch.committed.promise;
    },
    settled: async (threadId) => working.get(threadId),
  };
}

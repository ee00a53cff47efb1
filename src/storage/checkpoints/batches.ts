import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CheckpointChange, CheckpointRows } from './types.ts';

interface Batch {
  readonly fence: number | null;
  readonly changes: CheckpointChange[];
  readonly committed: PromiseWithResolvers<void>;
}

export interface Batches {
  /** Resolves when the change is durable; rejects with what the driver's `commit` rejects with. */
  add(threadId: string, change: CheckpointChange, fence: number | null): Promise<void>;
  /** Resolves when nothing of the thread is under way any more, however it ended. */
  settled(threadId: string): Promise<void>;
}

/**
 * What one turn of the event loop writes to a thread, in one commit: a graph writes what a task has given and
 * then, before anything else, the checkpoint that follows from it. While a commit is under way the next
 * one gathers, so a thread's commits never overtake each other.
 */
export function createBatches(commit: CheckpointRows['commit']): Batches {
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

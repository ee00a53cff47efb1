import { fences } from '../lease/collections.ts';
import type { Change, Expectation, Store } from '../store.ts';
import type { RowsSaver } from './row-saver.ts';

interface Carried {
  readonly store: Store;
  readonly checkpoints: {
    readonly saver: RowsSaver;
    readonly areCarried: true;
    claim(threadId: string, token: number): Promise<void>;
    /** Deletes what the agent remembers of a thread. */
    deleteThread(threadId: string): Promise<void>;
  };
}

/**
 * A store whose commits under a thread's lease carry what the saver holds back of that thread: it is written before
 * them or with them, and they're told to nobody before it is durable. So no intent, request or answer is on record without the state
 * of the graph that it follows from. See docs/decisions/0058.
 *
 * @example
 * const { store, checkpoints } = carryCheckpoints(storeInFile(file), new SqliteSaver(file));
 */
export function carryCheckpoints(store: Store, saver: RowsSaver): Carried {
  async function commitAfter({ id: threadId, version }: Expectation, change: Change) {
    const isFirst = version === null;
    const sent = await saver.send(threadId, { store, change });
    if (sent === null) {
      const result = await store.commit(change);
      // By the lease that nobody has had before, so that nobody has put anything.
      if (isFirst && result.committed) saver.noteNew(threadId, result.version);
      return result;
    }
    const together = saver.isOrdered ? null : await sent.durable;
    if (together !== null) return together;
    const [written, committed] = await Promise.allSettled([sent.durable, store.commit(change)]);
    if (written.status === 'rejected') throw written.reason;
    if (committed.status === 'rejected') throw committed.reason;
    return committed.value;
  }

  return {
    store: {
      ...store,
      commit(change) {
        const fence = change.expect?.find(({ collection }) => collection === fences.name);
        return fence ? commitAfter(fence, change) : store.commit(change);
      },
    },
    checkpoints: {
      saver,
      areCarried: true,
      claim: (threadId, token) => saver.claim(threadId, token),
      deleteThread: (threadId) => saver.deleteThread(threadId),
    },
  };
}

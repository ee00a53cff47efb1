import {
  type CheckpointPendingWrite,
  type CheckpointTuple,
  compareWritesSortKeys,
  WRITES_IDX_MAP,
  writesSortKey,
} from '@langchain/langgraph-checkpoint';
import { toConfig } from './address.ts';
import type { Given, GivenCheckpoint, GivenWrites } from './held-changes.ts';
import type { Place } from './message-lists.ts';

/** The most threads whose state is in memory: more than work at the same moment. */
const MOST_THREADS = 64;

interface Write {
  readonly key: ReturnType<typeof writesSortKey>;
  readonly place: number;
  readonly pending: CheckpointPendingWrite;
}

interface Put {
  readonly given: GivenCheckpoint;
  readonly writes: readonly Write[];
}

/** What was found: undefined where the namespace has no checkpoint. */
interface Found {
  readonly tuple: CheckpointTuple | undefined;
}

/** A thread under one lease: its latest checkpoint by namespace, as it was put or read. */
interface LeasedThread {
  readonly fence: number;
  readonly namespaces: Map<string, Put | Found>;
}

/**
 * The latest checkpoints that were put or read here under a lease. Whoever has that lease still need not read them: nobody
 * else moves the thread meanwhile, and what follows from a state that somebody did move is refused.
 */
export class LatestTuples {
  readonly #threads = new Map<string, LeasedThread>();

  /** Null where something else may be the latest. */
  get({ threadId, namespace }: Place, fence: number | null): Found | null {
    const thread = this.#threads.get(threadId);
    const latest = thread?.fence === fence ? thread.namespaces.get(namespace) : undefined;
    if (!latest) return null;
    const tuple = 'given' in latest ? toTuple(latest) : latest.tuple;
    return { tuple: tuple && withOwnLists(tuple) };
  }

  /**
   * Call this before the latest checkpoint is read under a lease. What it returns notes what was found, unless something
   * was put or forgotten meanwhile.
   */
  reading({ threadId, namespace }: Place, fence: number): (found: Found) => void {
    const thread = this.#leased(threadId, fence);
    return ({ tuple }) => {
      if (this.#threads.get(threadId) !== thread || thread.namespaces.has(namespace)) return;
      thread.namespaces.set(namespace, { tuple: tuple && withOwnLists(tuple) });
    };
  }

  /** Notes what is put. */
  note(threadId: string, given: Given, fence: number | null): void {
    if (fence === null) {
      this.#threads.delete(threadId);
      return;
    }
    const thread = this.#leased(threadId, fence);
    if (given.kind === 'checkpoint') {
      thread.namespaces.set(given.key.namespace, { given, writes: [] });
      return;
    }
    const latest = thread.namespaces.get(given.at.namespace);
    // What was read hasn't these.
    if (!latest || !('given' in latest)) {
      this.forget(threadId);
      return;
    }
    if (latest.given.key.checkpointId !== given.at.checkpointId) return;
    thread.namespaces.set(given.at.namespace, { ...latest, writes: withWrites(latest.writes, given) });
  }

  /** Call this when it is unknown what is stored. */
  forget(threadId: string): void {
    this.#threads.delete(threadId);
  }

  #leased(threadId: string, fence: number): LeasedThread {
    const known = this.#threads.get(threadId);
    const thread = known?.fence === fence ? known : { fence, namespaces: new Map() };
    // The map is in order of use, so the first is dropped.
    this.#threads.delete(threadId);
    this.#threads.set(threadId, thread);
    const [oldest] = this.#threads.keys();
    if (this.#threads.size > MOST_THREADS && oldest !== undefined) this.#threads.delete(oldest);
    return thread;
  }
}

/** As the drivers do: one that is there already stays, but for those of the special channels. */
function withWrites(before: readonly Write[], { taskId, taskPath, writes }: GivenWrites): readonly Write[] {
  const left = [...before];
  for (const [index, [channel, value]] of writes.entries()) {
    const place = WRITES_IDX_MAP[channel] ?? index;
    const write: Write = {
      key: writesSortKey(taskPath, taskId, place),
      place,
      pending: [taskId, channel, value],
    };
    const there = left.findIndex((other) => other.place === place && other.pending[0] === taskId);
    if (there < 0) left.push(write);
    else if (place < 0) left[there] = write;
  }
  return left;
}

/** Each reader gets its own copy of a list. */
function withOwnLists(tuple: CheckpointTuple): CheckpointTuple {
  const { checkpoint } = tuple;
  const values = Object.entries(checkpoint.channel_values).map(([channel, value]) => [
    channel,
    Array.isArray(value) ? value.slice() : value,
  ]);
  return { ...tuple, checkpoint: { ...checkpoint, channel_values: Object.fromEntries(values) } };
}

function toTuple({ given, writes }: Put): CheckpointTuple {
  const { key, parentId, checkpoint, metadata, isCompact } = given;
  return {
    config: toConfig(key, { isCompact }),
    checkpoint,
    metadata,
    pendingWrites: writes
      .toSorted((one, other) => compareWritesSortKeys(one.key, other.key))
      .map(({ pending }) => pending),
    ...(parentId !== null && { parentConfig: toConfig({ ...key, checkpointId: parentId }) }),
  };
}

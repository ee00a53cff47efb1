import type { RunnableConfig } from '@langchain/core/runnables';
import type {
  ChannelVersions,
  Checkpoint,
  CheckpointMetadata,
  CheckpointTuple,
  PendingWrite,
} from '@langchain/langgraph-checkpoint';
import { SqliteSaver } from '../../src/storage/checkpoints/sqlite/saver.ts';
import type { SqliteFile } from '../../src/storage/sqlite/file.ts';
import type { Change, Store } from '../../src/storage/store.ts';

/** One durable write of a process: a commit, or a write of the graph's checkpoints. */
interface Write {
  /** Counted from 1. */
  readonly number: number;
  readonly kind: 'commit' | 'checkpoint';
  /** What a commit writes; empty for checkpoints. */
  readonly change: Change;
}

export type CutAt = (write: Write) => 'before' | 'after' | null;

/** The power supply of a process: once it is cut, nothing that the process waits for ever comes back. */
export interface Power {
  /** Resolves when the power was cut. */
  readonly cut: Promise<void>;
  isOn(): boolean;
  cutNow(): void;
  write<T>(kind: Write['kind'], change: Change, work: () => Promise<T>): Promise<T>;
  read<T>(work: () => Promise<T>): Promise<T>;
  /** The writes so far, in order. */
  readonly writes: readonly Write['kind'][];
}

export function createPower(cutAt: CutAt = () => null): Power {
  const { promise, resolve } = Promise.withResolvers<void>();
  let on = true;
  const writes: Write['kind'][] = [];
  const cutNow = () => {
    on = false;
    resolve();
  };
  const never = <T>() => new Promise<T>(() => {});
  return {
    cut: promise,
    isOn: () => on,
    cutNow,
    writes,
    async write(kind, change, work) {
      if (!on) return never();
      writes.push(kind);
      const cut = cutAt({ number: writes.length, kind, change });
      if (cut === 'before') cutNow();
      if (!on) return never();
      const result = await work();
      if (cut === 'after') cutNow();
      return on ? result : never();
    },
    async read(work) {
      if (!on) return never();
      const result = await work();
      return on ? result : never();
    },
  };
}

/** The store as a process sees it that may lose its power. */
export function poweredStore(store: Store, power: Power): Store {
  return {
    get: (collection, id) => power.read(() => store.get(collection, id)),
    getMany: (collection, ids) => power.read(() => store.getMany(collection, ids)),
    query: (collection, index, range, limit) =>
      power.read(() => store.query(collection, index, range, limit)),
    commit: (change) => power.write('commit', change, () => store.commit(change)),
    reclaim: () => store.reclaim(),
    close: () => store.close(),
  };
}

export class PoweredSaver extends SqliteSaver {
  readonly #power: Power;

  constructor(file: SqliteFile, power: Power) {
    super(file);
    this.#power = power;
  }

  override getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    return this.#power.read(() => super.getTuple(config));
  }

  override put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    versions: ChannelVersions,
  ): Promise<RunnableConfig> {
    return this.#power.write('checkpoint', {}, () => super.put(config, checkpoint, metadata, versions));
  }

  override putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    path = '',
  ): Promise<void> {
    return this.#power.write('checkpoint', {}, () => super.putWrites(config, writes, taskId, path));
  }
}

/** Whether a change writes a record of this collection that holds these fields. */
export function puts(
  change: Change,
  collection: string,
  fields: Readonly<Record<string, unknown>> = {},
): boolean {
  return (change.put ?? []).some((put) => {
    if (put.collection !== collection) return false;
    const record: unknown = JSON.parse(put.json);
    return Object.entries(fields).every(
      ([name, value]) => typeof record === 'object' && record !== null && Reflect.get(record, name) === value,
    );
  });
}

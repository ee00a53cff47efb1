import { Redis } from 'ioredis';
import * as checkpointScripts from '../../src/storage/checkpoints/redis/scripts.ts';
import { RowsSaver } from '../../src/storage/checkpoints/row-saver.ts';
import { openCheckpointRows } from '../../src/storage/checkpoints/sqlite/rows.ts';
import type { CheckpointRows } from '../../src/storage/checkpoints/types.ts';
import * as storeScripts from '../../src/storage/redis/scripts.ts';
import type { SqliteFile } from '../../src/storage/sqlite/file.ts';
import type { Change, Store } from '../../src/storage/store.ts';

/** One durable write of a process: a commit, a write of the graph's checkpoints, or both in one command of Redis. */
interface Write {
  /** Counted from 1. */
  readonly number: number;
  readonly kind: 'commit' | 'checkpoint' | 'both';
  /** What a commit writes; empty for checkpoints, and for what is only seen on the way to Redis. */
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

/**
 * Cuts the power at the first write of a process, of the next process at its second, and so on, until one isn't cut;
 * returns the writes of that one. `live`: lets a process live as long as it has power, and another one after it.
 */
export async function cutAtEachWrite(
  side: 'before' | 'after',
  live: (cutAt: CutAt, at: string) => Promise<{ readonly wasCut: boolean; readonly power: Power }>,
): Promise<Power['writes']> {
  for (let number = 1; ; number += 1) {
    const at = `${side} write ${number}`;
    const { wasCut, power } = await live((write) => (write.number === number ? side : null), at);
    if (!wasCut) return power.writes;
  }
}

/** The store as a process sees it that may lose its power. */
export function poweredStore(store: Store, power: Power): Store {
  return {
    get: (collection, id) => power.read(() => store.get(collection, id)),
    getMany: (collection, ids) => power.read(() => store.getMany(collection, ids)),
    query: (collection, index, range, limit) =>
      power.read(() => store.query(collection, index, range, limit)),
    count: (collection, index, range, atMost) =>
      power.read(() => store.count(collection, index, range, atMost)),
    commit: (change) => power.write('commit', change, () => store.commit(change)),
    reclaim: () => store.reclaim(),
    close: () => store.close(),
  };
}

/** Checkpoints of a process that may lose its power. */
export class PoweredSaver extends RowsSaver {
  constructor(file: SqliteFile, power: Power) {
    const rows = openCheckpointRows(file);
    const powered: CheckpointRows = {
      ...rows,
      read: (...at) => power.read(async () => rows.read(...at)),
      async prepare(...changes) {
        const write = await rows.prepare(...changes);
        return () => power.write('checkpoint', {}, () => write());
      },
    };
    super(powered, undefined, Math.random);
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

/** What the core's scripts do; whatever isn't here is taken for a commit, so that nothing that writes is left out. */
const SCRIPT_KINDS = new Map<string, Write['kind'] | 'read'>([
  [storeScripts.READ.sha, 'read'],
  [checkpointScripts.READ.sha, 'read'],
  [checkpointScripts.HEADS.sha, 'read'],
  [checkpointScripts.COMMIT.sha, 'checkpoint'],
  [checkpointScripts.CLAIM.sha, 'checkpoint'],
  [checkpointScripts.COMMIT_BOTH.sha, 'both'],
]);

/**
 * Lets a connection to Redis lose its power: a command that writes isn't sent then, or is done by the server and its
 * answer never seen. Store and saver are the real ones. It expects a server that knows all scripts ({@link loadScripts}).
 */
export function powerClient(client: Redis, power: Power): void {
  const send = client.sendCommand.bind(client);
  client.sendCommand = (command, stream) => {
    const kind = SCRIPT_KINDS.get(String(command.args[0])) ?? 'commit';
    const work = async () => send(command, stream);
    return kind === 'read' ? power.read(work) : power.write(kind, {}, work);
  };
}

/** Makes a server know all scripts, each of which would else be sent twice at its first use. */
export async function loadScripts(url: string): Promise<void> {
  const client = new Redis(url);
  for (const { lua } of [...Object.values(storeScripts), ...Object.values(checkpointScripts)]) {
    await client.script('LOAD', lua);
  }
  await client.quit();
}

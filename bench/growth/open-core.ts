import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedisSaver } from '../../src/storage/checkpoints/redis/saver.ts';
import { SqliteSaver } from '../../src/storage/checkpoints/sqlite/saver.ts';
import { closeRedis, connectRedis } from '../../src/storage/redis/client.ts';
import { openRedisStore } from '../../src/storage/redis/store.ts';
import { openSqliteFile, type SqliteFile } from '../../src/storage/sqlite/file.ts';
import { storeInFile } from '../../src/storage/sqlite/store.ts';
import type { Put, Store } from '../../src/storage/store.ts';
import { startRedis } from '../../test/helpers/redis.ts';
import type { Contender } from '../contender.ts';
import { type CoreOptions, coreContender } from '../core-contender.ts';
import { cloneOf, writtenBy } from './crowd.ts';
import { copyThreads, keysOf, serverCpuMs, usedMemory } from './redis-server.ts';

/** How many threads one commit clones. */
const BATCH = 50;

/** The whole core with a store and a saver of its own. */
export interface OpenCore {
  readonly contender: Contender;
  readonly store: Store;
  /** Writes copies of a thread that this core has had. */
  clone(clones: Clones): Promise<void>;
  /** What the storage holds, in bytes. */
  bytes(): Promise<number>;
  /** Processor time of the storage's own process so far, in milliseconds; 0 where there is none. */
  storageCpuMs(): Promise<number>;
  close(): Promise<void>;
}

export type Storage = 'sqlite' | 'redis';

export function openCore(storage: Storage, options: CoreOptions = {}): Promise<OpenCore> {
  return storage === 'sqlite' ? openOnSqlite(options) : openOnRedis(options);
}

async function openOnSqlite(options: CoreOptions): Promise<OpenCore> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const file = openSqliteFile(join(folder, 'core.db'));
  const { store, written } = writtenBy(storeInFile(file));
  const contender = coreContender('core', store, new SqliteSaver(file), options);
  return {
    contender,
    store,
    async clone(clones) {
      await cloneRecords(store, written, clones);
      if (!clones.only) await copyRows(file, clones);
    },
    async bytes() {
      const [pages, free, size] = ['page_count', 'freelist_count', 'page_size'].map((name) =>
        Number(Object.values(file.database.prepare(`PRAGMA ${name}`).get() ?? {})[0]),
      );
      return ((pages ?? Number.NaN) - (free ?? 0)) * (size ?? 0);
    },
    storageCpuMs: async () => 0,
    async close() {
      await contender.close();
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function openOnRedis(options: CoreOptions): Promise<OpenCore> {
  const server = await startRedis();
  const client = connectRedis(server.url);
  await once(client, 'ready');
  const { store, written } = writtenBy(await openRedisStore({ client }));
  const contender = coreContender('core', store, new RedisSaver(client), options);
  return {
    contender,
    store,
    async clone(clones) {
      const { threadId, count, only } = clones;
      if (!only) await copyThreads(client, { keys: await keysOf(client, threadId), threadId, count });
      await cloneRecords(store, written, clones);
    },
    bytes: () => usedMemory(client),
    storageCpuMs: () => serverCpuMs(client),
    async close() {
      await contender.close();
      await store.close();
      await closeRedis(client);
      await server.dispose();
    },
  };
}

interface Clones {
  readonly threadId: string;
  readonly count: number;
  /** Leaves out what is not in such a collection. @default everything, checkpoints too */
  readonly only?: (collection: string) => boolean;
}

async function cloneRecords(
  store: Store,
  written: ReadonlyMap<string, Put>,
  { threadId, count, only = () => true }: Clones,
): Promise<void> {
  const puts = [...written.values()].filter(({ collection }) => only(collection));
  for (let first = 1; first <= count; first += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, count - first + 1) }, (_, index) => first + index);
    await store.commit({ put: numbers.flatMap((number) => cloneOf(puts, threadId, number)) });
  }
}

/** The rows of the thread in tables that have a column for threads: checkpoints, where they are no records. */
async function copyRows({ database, write }: SqliteFile, { threadId, count }: Clones): Promise<void> {
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
  for (const { name } of tables) {
    const columns = database.prepare(`PRAGMA table_info("${name}")`).all();
    if (!columns.some((column) => column.name === 'thread_id')) continue;
    const names = columns.map((column) => `"${column.name}"`);
    const values = names.map((column) =>
      column === '"thread_id"' ? `'other:' || numbers.n` : `t.${column}`,
    );
    const copy = database.prepare(
      `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
       INSERT INTO "${name}" (${names}) SELECT ${values} FROM "${name}" t, numbers WHERE t.thread_id = ?`,
    );
    await write(() => copy.run(count, threadId));
  }
}

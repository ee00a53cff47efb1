import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as after } from 'node:timers/promises';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { RedisSaver } from '../../src/storage/checkpoints/redis/saver.ts';
import { SqliteSaver } from '../../src/storage/checkpoints/sqlite/saver.ts';
import { closeRedis, connectRedis } from '../../src/storage/redis/client.ts';
import { openRedisStore } from '../../src/storage/redis/store.ts';
import { openSqliteFile } from '../../src/storage/sqlite/file.ts';
import { storeInFile } from '../../src/storage/sqlite/store.ts';
import type { Store } from '../../src/storage/store.ts';
import { type RedisServer, startRedis } from '../helpers/redis.ts';
import { cutLog } from './log-state.ts';
import { openRedisWay, type RedisWay } from './redis-way.ts';

/** The record as whoever looks from outside sees it, and what can be done to where it is kept. */
export interface ChaosStorage {
  readonly store: Store;
  readonly checkpointer: BaseCheckpointSaver;
  /** Null on SQLite. */
  readonly redis: RedisParts | null;
  /** What a process is started with. */
  env(slot: string): Readonly<Record<string, string>>;
  /** All that its files hold, as text. */
  dump(): string;
  /**
   * Leaves of the record what a cut of the power would, once no process runs: what was synced, and this share of what
   * wasn't. Resolves with how many frames of the log are lost.
   */
  cutPower(share: number): Promise<number>;
  /** Holds the lock of the database, so that nobody else can write; gives how to let go. */
  lock(): () => void;
  close(): Promise<void>;
}

export interface RedisParts {
  readonly server: RedisServer;
  readonly ways: ReadonlyMap<string, RedisWay>;
  /** Past all ways, for `CONFIG SET` and the like. */
  readonly client: Redis;
}

/** Reads of the record that are under way take no longer, in milliseconds. */
const READ_MS = 100;

const SYNCED_LOG = new URL('synced-log.ts', import.meta.url).href;
const logStateSchema = z.object({
  salt: z.string(),
  frames: z.number(),
  inDatabase: z.number(),
  pageSize: z.number(),
});

export function openSqliteStorage(folder: string): ChaosStorage {
  const path = join(folder, 'countersign.db');
  const open = () => {
    const file = openSqliteFile(path);
    const locking = new DatabaseSync(path, { timeout: 5_000 });
    return { store: storeInFile(file), checkpointer: new SqliteSaver(file), locking };
  };
  let now = open();
  /** Pending while the file is exchanged. */
  let ready: Promise<void> = Promise.resolve();
  const waited = async <T>(work: () => Promise<T>): Promise<T> => {
    await ready;
    return work();
  };
  const close = async (): Promise<void> => {
    now.locking.close();
    await now.store.close();
  };

  async function exchange(share: number): Promise<number> {
    await after(READ_MS);
    const synced = existsSync(`${path}.synced`)
      ? logStateSchema.parse(JSON.parse(readFileSync(`${path}.synced`, 'utf8')))
      : null;
    // Whoever closes the last connection brings all of the log into the database.
    const { log, lost } = cutLog(path, synced, share);
    const database = readFileSync(path);
    await close();
    rmSync(`${path}-shm`, { force: true });
    writeFileSync(`${path}-wal`, log, { mode: 0o600 });
    writeFileSync(path, database);
    now = open();
    return lost;
  }

  return {
    store: {
      get: (...args) => waited(() => now.store.get(...args)),
      getMany: (...args) => waited(() => now.store.getMany(...args)),
      query: (...args) => waited(() => now.store.query(...args)),
      count: (...args) => waited(() => now.store.count(...args)),
      commit: (...args) => waited(() => now.store.commit(...args)),
      reclaim: () => waited(() => now.store.reclaim()),
      close,
    },
    get checkpointer() {
      return now.checkpointer;
    },
    redis: null,
    env: () => ({ CHAOS_SYNCED_LOG: path, NODE_OPTIONS: `--import ${SYNCED_LOG}` }),
    cutPower(share) {
      const exchanged = exchange(share);
      ready = exchanged.then(() => undefined);
      return exchanged;
    },
    dump: () => readAll(folder, /^countersign\.db(?:-\w+)?$/),
    lock() {
      const { locking } = now;
      locking.exec('BEGIN IMMEDIATE');
      return () => locking.exec('ROLLBACK');
    },
    close,
  };
}

/** A Redis that keeps what it has acknowledged, with a way of its own for each slot. */
export async function openRedisStorage(slots: readonly string[]): Promise<ChaosStorage> {
  const server = await startRedis({ appendfsync: 'always' });
  const ways = new Map<string, RedisWay>();
  for (const slot of slots) ways.set(slot, await openRedisWay(server.port));
  const client = connectRedis(server.url);
  const plain = new Redis(server.url, { retryStrategy: () => 100 });
  plain.on('error', () => undefined);
  await plain.config('SET', 'maxmemory-policy', 'noeviction');
  const checkpointer = new RedisSaver(client);
  return {
    store: await openRedisStore({ client }),
    checkpointer,
    redis: { server, ways, client: plain },
    env: (slot) => ({
      REDIS_URL: ways.get(slot)?.url ?? server.url,
      ROLE: slot === 'web' ? 'web' : 'worker',
    }),
    dump: () => readAll(join(server.folder, 'appendonlydir'), /./),
    cutPower: () => Promise.reject(new Error('Redis keeps what it acknowledges.')),
    lock() {
      throw new Error('Redis has no lock to hold.');
    },
    async close() {
      plain.disconnect();
      await closeRedis(client);
      for (const way of ways.values()) way.close();
      await server.dispose();
    },
  };
}

function readAll(folder: string, name: RegExp): string {
  const files = readdirSync(folder).filter((file) => name.test(file));
  return files.map((file) => readFileSync(join(folder, file), 'latin1')).join('\n');
}

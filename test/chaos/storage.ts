import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { Redis } from 'ioredis';
import { RedisSaver } from '../../src/storage/checkpoints/redis/saver.ts';
import { SqliteSaver } from '../../src/storage/checkpoints/sqlite/saver.ts';
import { closeRedis, connectRedis } from '../../src/storage/redis/client.ts';
import { openRedisStore } from '../../src/storage/redis/store.ts';
import { openSqliteFile } from '../../src/storage/sqlite/file.ts';
import { storeInFile } from '../../src/storage/sqlite/store.ts';
import type { Store } from '../../src/storage/store.ts';
import { type RedisServer, startRedis } from '../helpers/redis.ts';
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

export function openSqliteStorage(folder: string): ChaosStorage {
  const path = join(folder, 'countersign.db');
  const file = openSqliteFile(path);
  const store = storeInFile(file);
  const checkpointer = new SqliteSaver(file);
  const locking = new DatabaseSync(path, { timeout: 5_000 });
  return {
    store,
    checkpointer,
    redis: null,
    env: () => ({}),
    dump: () => readAll(folder, /^countersign\.db/),
    lock() {
      locking.exec('BEGIN IMMEDIATE');
      return () => locking.exec('ROLLBACK');
    },
    async close() {
      locking.close();
      await store.close();
    },
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

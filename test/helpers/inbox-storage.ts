import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { openRedisStore } from '../../src/storage/redis/store.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import type { Store } from '../../src/storage/store.ts';
import { temporaryFolder } from './process.ts';
import { hasRedis, type RedisServer, startRedis } from './redis.ts';

type OpenTwice = () => Promise<readonly [Store, Store]>;

/** One store, opened as two processes open it. */
export async function openSqliteTwice(): Promise<readonly [Store, Store]> {
  const path = join(temporaryFolder(), 'store.db');
  return [openSqliteStore({ path }), openSqliteStore({ path })];
}

/** The same tests over SQLite and over Redis. */
export function onBothStorages(behaviour: (openTwice: OpenTwice) => void): void {
  describe('on SQLite', () => behaviour(openSqliteTwice));

  describe.skipIf(!hasRedis('the inbox on Redis'))('on Redis, by two clients', () => {
    let server: RedisServer;
    let database = 0;
    beforeAll(async () => {
      server = await startRedis();
    });
    afterAll(() => server.dispose());
    behaviour(async () => {
      database += 1;
      const url = `${server.url}/${database}`;
      return [await openRedisStore({ url }), await openRedisStore({ url })];
    });
  });
}

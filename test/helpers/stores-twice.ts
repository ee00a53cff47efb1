import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { openRedisStore } from '../../src/storage/redis/store.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import type { Store } from '../../src/storage/store.ts';
import { temporaryFolder } from './process.ts';
import { hasRedis, type RedisServer, startRedis } from './redis.ts';

/** One store, as two processes have it, and empty. */
export type OpenTwice = () => Promise<readonly [Store, Store]>;

/** Has tests run over both kinds of store. @param name of what is tested, for the line that says that there is no Redis */
export function describeOnStores(name: string, behaviour: (openTwice: OpenTwice) => void): void {
  describe('on SQLite, by two connections', () => {
    behaviour(async () => {
      const path = join(temporaryFolder(), 'store.db');
      return [openSqliteStore({ path }), openSqliteStore({ path })];
    });
  });

  describe.skipIf(!hasRedis(`${name} on Redis`))('on Redis, by two clients', () => {
    let server: RedisServer;
    let database = 0;
    beforeAll(async () => {
      server = await startRedis({ args: ['--databases', '100'] });
    });
    afterAll(() => server.dispose());
    behaviour(async () => {
      database += 1;
      const url = `${server.url}/${database}`;
      return [await openRedisStore({ url }), await openRedisStore({ url })];
    });
  });
}

import { Redis } from 'ioredis';
import { inject } from 'vitest';
import { carryCheckpoints } from '../../src/storage/checkpoints/carry.ts';
import { RedisSaver } from '../../src/storage/checkpoints/redis/saver.ts';
import { SqliteSaver } from '../../src/storage/checkpoints/sqlite/saver.ts';
import { closeRedis, connectRedis } from '../../src/storage/redis/client.ts';
import { openRedisStore } from '../../src/storage/redis/store.ts';
import { openSqliteFile } from '../../src/storage/sqlite/file.ts';
import { storeInFile } from '../../src/storage/sqlite/store.ts';

/** Whether the suites that run on both storages run on Redis: so they do in the vitest project `redis`. */
export const ON_REDIS = process.env.TEST_STORAGE === 'redis';

/** Whether the app is one web process and two workers there, one of which is killed in the middle. */
export const SCALED = process.env.TEST_SCALED === '1';

/** The address of an empty database on the server that the project shares. */
export async function emptyRedisUrl(): Promise<string> {
  const url = inject('redisUrl');
  const client = new Redis(url);
  // The first database counts how many of the others were given out.
  const number = await client.incr('databases');
  client.disconnect();
  return `${url}/${number}`;
}

/** An empty store, and checkpoints beside it, of the kind that the suite runs on. */
export async function openTestStorage() {
  if (!ON_REDIS) {
    const file = openSqliteFile(':memory:');
    return { ...carryCheckpoints(storeInFile(file), new SqliteSaver(file)), close: () => file.close() };
  }
  const client = connectRedis(await emptyRedisUrl());
  const store = await openRedisStore({ client });
  return {
    ...carryCheckpoints(store, new RedisSaver(client)),
    async close() {
      await store.close();
      await closeRedis(client);
    },
  };
}

import { afterAll, beforeAll, describe } from 'vitest';
import { closeRedis, connectRedis, sendWrite } from '../../src/storage/redis/client.ts';
import { openRedisStore } from '../../src/storage/redis/store.ts';
import type { Store } from '../../src/storage/store.ts';
import { hasRedis, type RedisServer, startRedis } from '../helpers/redis.ts';
import { type OpenedStore, storeContract } from './store-contract.ts';

describe.skipIf(!hasRedis('the store on Redis'))('on a real server', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.dispose());

  storeContract('redis', async (): Promise<OpenedStore> => {
    const { url } = server;
    const stores: Store[] = [];
    const open = async () => {
      const store = await openRedisStore({ url });
      stores.push(store);
      return store;
    };
    return {
      store: await open(),
      reopen: open,
      child: { module: new URL('./redis-open.ts', import.meta.url), target: url },
      dispose: async () => {
        await Promise.all(stores.map((store) => store.close()));
        const client = connectRedis(url);
        await sendWrite(client, () => client.flushall());
        await closeRedis(client);
      },
    };
  });
});

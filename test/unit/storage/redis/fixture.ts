import type { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { StoreError } from '../../../../src/lib/errors.ts';
import { closeRedis, connectRedis } from '../../../../src/storage/redis/client.ts';
import { openRedisStore } from '../../../../src/storage/redis/store.ts';
import { collection, put, type Store } from '../../../../src/storage/store.ts';
import { type RedisServer, type RedisServerOptions, startRedis } from '../../../helpers/redis.ts';

export const counters = collection({
  name: 'counters',
  schema: z.object({ count: z.number(), filling: z.string().optional() }),
  indexes: { byCount: (counter) => [counter.count] },
});

export const counter = (id: string, count: number) => put(counters, id, { count });

/** A server that ends with the test. */
export async function start(options?: RedisServerOptions): Promise<RedisServer> {
  const server = await startRedis(options);
  onTestFinished(() => server.dispose());
  return server;
}

/** A store that is closed with the test. */
export async function open(url: string): Promise<Store> {
  const store = await openRedisStore({ url });
  onTestFinished(() => store.close());
  return store;
}

/** A connection that is closed with the test. */
export function connected(url: string): Redis {
  const client = connectRedis(url);
  onTestFinished(() => closeRedis(client));
  return client;
}

/** The StoreError in which the work ends; rejects when it does not. */
export async function failure(work: Promise<unknown>): Promise<StoreError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof StoreError)) throw new Error('it did not end in a StoreError', { cause: error });
  return error;
}

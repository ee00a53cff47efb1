import { once } from 'node:events';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { StoreError } from '../../../src/errors.ts';
import { openRedisStore } from '../../../src/storage/redis.ts';
import { closeRedis, connectRedis, reading, writing } from '../../../src/storage/redis-client.ts';
import { absent, collection, put, ref, type Store, unchanged } from '../../../src/storage/store.ts';
import {
  commandsDuring,
  hasRedis,
  lossyWayTo,
  type RedisServer,
  type RedisServerOptions,
  startRedis,
} from '../../helpers/redis.ts';

const counters = collection({
  name: 'counters',
  schema: z.object({ count: z.number(), filling: z.string().optional() }),
  indexes: { byCount: (counter) => [counter.count] },
});
const counter = (id: string, count: number) => put(counters, id, { count });

/** How long a caller may be kept waiting by a server that is not there, in milliseconds. */
const SOON = 4_000;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function start(options?: RedisServerOptions): Promise<RedisServer> {
  const server = await startRedis(options);
  closing.push(() => server.dispose());
  return server;
}

async function open(url: string): Promise<Store> {
  const store = await openRedisStore({ url });
  closing.push(() => store.close());
  return store;
}

function client(url: string): Redis {
  const connection = connectRedis(url);
  closing.push(() => closeRedis(connection));
  return connection;
}

async function failure(work: Promise<unknown>): Promise<StoreError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof StoreError)) throw new Error('it did not end in a StoreError', { cause: error });
  return error;
}

describe.skipIf(!hasRedis('the driver for Redis'))('the store in Redis', () => {
  test('asks the server once for whatever it is asked', async () => {
    const { url } = await start();
    const store = await open(url);
    const ids = Array.from({ length: 500 }, (_, count) => `id${count}`);
    await store.commit({ put: ids.map((id, count) => counter(id, count)) });
    await store.query(counters, 'byCount', {}, 1);
    const { next } = await store.query(counters, 'byCount', {}, 10);
    if (next === null) throw new Error('there is no second page');
    const sent = async (work: () => Promise<unknown>) => (await commandsDuring(url, work)).sent;

    expect(await sent(() => store.get(counters, 'id1'))).toEqual(['hget']);
    expect(await sent(() => store.getMany(counters, ids))).toEqual(['hmget']);
    expect(await sent(() => store.query(counters, 'byCount', {}, 400))).toEqual(['evalsha']);
    expect(await sent(() => store.query(counters, 'byCount', { cursor: next }, 400))).toEqual(['evalsha']);
    const change = { expect: [absent(counters, 'new')], put: ids.map((id) => counter(id, 1)) };
    expect(await sent(() => store.commit(change))).toEqual(['evalsha']);
  });

  test('does as much for a commit among ten thousand records as among none', async () => {
    const { url } = await start();
    const store = await open(url);
    const commit = (id: string) => () =>
      store.commit({ expect: [absent(counters, id)], put: [counter(id, 1)] });
    await commit('warm')();
    const alone = await commandsDuring(url, commit('first'));
    await store.commit({
      put: Array.from({ length: 10_000 }, (_, count) => counter(`other ${count}`, count)),
    });
    expect(await commandsDuring(url, commit('last'))).toEqual(alone);
    expect(alone.inScripts.length).toBeLessThan(10);
  });

  test('leaves no key behind for what was deleted but the number of the commit', async () => {
    const { url } = await start();
    const store = await open(url);
    await store.commit({ put: [counter('a', 1), counter('b', 2)] });
    await store.commit({ delete: [ref(counters, 'a'), ref(counters, 'b')] });
    const connection = client(url);
    const keys = await reading(connection, () => connection.keys('*'));
    expect(keys.toSorted()).toEqual(['{cs}:commits', '{cs}:format']);
  });

  test('keeps all its keys in one slot of a cluster', async () => {
    const { url } = await start({ cluster: true });
    const connection = client(url);
    await writing(connection, () => connection.cluster('ADDSLOTSRANGE', 0, 16_383));
    // A node that has just started waits some seconds for others before it serves.
    await expect.poll(() => connection.cluster('INFO'), { timeout: 20_000 }).toContain('cluster_state:ok');
    const store = await openRedisStore({ client: connection });
    const others = { ...counters, name: 'others' };
    await store.commit({ put: [counter('a', 1), put(others, 'b', { count: 2 })] });
    expect((await store.query(counters, 'byCount', {}, 10)).items).toHaveLength(1);
    expect((await store.get(others, 'b'))?.value).toEqual({ count: 2 });
    await expect(connection.mget('{cs}:commits', 'elsewhere')).rejects.toThrow('CROSSSLOT');
  });

  test('leaves a client that was handed in open', async () => {
    const { url } = await start();
    const connection = client(url);
    const store = await openRedisStore({ client: connection });
    await store.close();
    expect((await failure(store.get(counters, 'a'))).userMessage).toContain('closed');
    expect(await connection.ping()).toBe('PONG');
  });

  test('refuses a client that would send a commit twice', async () => {
    const { url } = await start();
    const connection = new Redis(url);
    onTestFinished(() => connection.disconnect());
    await expect(openRedisStore({ client: connection })).rejects.toThrow(RangeError);
  });

  test('refuses what a later version of the program wrote', async () => {
    const { url } = await start();
    const connection = client(url);
    await writing(connection, () => connection.set('{cs}:format', '2'));
    expect((await failure(openRedisStore({ url }))).userMessage).toContain('later version');
    expect(await connection.keys('*')).toEqual(['{cs}:format']);
  });

  test('keeps two prefixes apart', async () => {
    const { url } = await start();
    const store = await open(url);
    const other = await openRedisStore({ client: client(url), prefix: '{other}:' });
    await store.commit({ put: [counter('a', 1)] });
    expect(await other.get(counters, 'a')).toBeNull();
    expect((await other.query(counters, 'byCount', {}, 10)).items).toEqual([]);
  });
});

describe.skipIf(!hasRedis('the driver for Redis'))('a Redis that', () => {
  test('is not there is a StoreError soon', async () => {
    const { url, kill } = await start();
    await kill();
    const began = performance.now();
    await failure(openRedisStore({ url }));
    expect(performance.now() - began).toBeLessThan(SOON);
  });

  test('has gone is a StoreError soon, which says that nothing was done', async () => {
    const { url, kill } = await start();
    const store = await open(url);
    await kill();
    const began = performance.now();
    const errors = await Promise.all([
      failure(store.get(counters, 'a')),
      failure(store.query(counters, 'byCount', {}, 1)),
      failure(store.commit({ put: [counter('a', 1)] })),
    ]);
    expect(performance.now() - began).toBeLessThan(SOON);
    expect(errors.map((error) => error.outcomeUnknown)).toEqual([false, false, false]);
  });

  test('comes back serves the same store again, and what was committed is there', async () => {
    const server = await start({ appendfsync: 'always' });
    const store = await open(server.url);
    const before = await store.commit({ put: [counter('a', 1)] });
    await server.kill();
    await server.restart();
    const read = await store.get(counters, 'a');
    expect(read?.version).toBe(before.committed && before.version);
    if (read === null) throw new Error('the record is missing');
    const after = await store.commit({ expect: [unchanged(counters, read)], put: [counter('a', 2)] });
    expect(after.committed).toBe(true);
    expect((await store.query(counters, 'byCount', {}, 10)).items.map(({ id }) => id)).toEqual(['a']);
  });

  test('comes back while a command waits for it answers that command', async () => {
    const server = await start({ appendfsync: 'always' });
    const store = await open(server.url);
    await store.commit({ put: [counter('a', 1)] });
    await server.kill();
    const waiting = store.get(counters, 'a');
    await server.restart();
    expect((await waiting)?.value.count).toBe(1);
  });

  test('has lost its last commits gives none of their numbers out again', async () => {
    const server = await start();
    const store = await open(server.url);
    const lost = await store.commit({ put: [counter('a', 1)] });
    await server.kill();
    await server.restart();
    const next = await store.commit({ put: [counter('a', 1)] });
    if (!lost.committed || !next.committed) throw new Error('a commit did not happen');
    expect(next.version).toBeGreaterThan(lost.version);
  });

  test('is lost after a commit was sent leaves its outcome unknown, and the commit happens once', async () => {
    const server = await start();
    const way = await lossyWayTo(server.port);
    onTestFinished(() => way.close());
    const store = await open(way.url);
    await store.commit({ put: [counter('warm', 0)] });
    const { sent } = await commandsDuring(server.url, async () => {
      way.loseNextAnswer();
      const error = await failure(store.commit({ expect: [absent(counters, 'a')], put: [counter('a', 1)] }));
      expect(error.outcomeUnknown).toBe(true);
      expect((await store.get(counters, 'a'))?.value.count).toBe(1);
    });
    expect(sent.filter((name) => name === 'evalsha')).toHaveLength(1);
  });

  test('dies over a commit leaves its outcome unknown', async () => {
    const server = await start();
    const connection = client(server.url);
    await once(connection, 'ready');
    const store = await openRedisStore({ client: connection });
    server.pause();
    const commit = failure(store.commit({ put: [counter('a', 1)] }));
    await server.kill();
    expect((await commit).outcomeUnknown).toBe(true);
  });

  test('does not answer a read is a StoreError that leaves nothing open', async () => {
    const server = await start();
    const store = await open(server.url);
    server.pause();
    const error = await failure(store.get(counters, 'a'));
    server.resume();
    expect(error.outcomeUnknown).toBe(false);
    await expect.poll(() => store.get(counters, 'a').catch((thrown: unknown) => thrown)).toBeNull();
  });

  test('has no memory left refuses a commit as a whole, and still lets records be deleted', async () => {
    const { url } = await start({ maxmemory: '6mb' });
    const store = await open(url);
    const filling = 'x'.repeat(20_000);
    const records = (commit: number) =>
      Array.from({ length: 7 }, (_, place) =>
        put(counters, `${commit}/${place}`, { count: commit * 7 + place, filling }),
      );
    let commits = 0;
    let refused: unknown = null;
    while (refused === null && commits < 1_000) {
      refused = await store.commit({ put: records(commits) }).then(
        () => null,
        (error: unknown) => error,
      );
      if (refused === null) commits += 1;
    }
    expect(refused).toMatchObject({ code: 'store_unavailable', outcomeUnknown: false });
    expect(commits).toBeGreaterThan(5);
    const page = await store.query(counters, 'byCount', {}, 10_000);
    expect(page.items.map(({ value }) => value.count)).toEqual(
      Array.from({ length: commits * 7 }, (_, count) => count),
    );
    expect(await store.get(counters, `${commits}/0`)).toBeNull();

    const deleted = records(0).map(({ id }) => ref(counters, id));
    await store.commit({ delete: [...deleted, ...records(1).map(({ id }) => ref(counters, id))] });
    expect(await store.get(counters, '0/0')).toBeNull();
    expect((await store.commit({ put: [counter('again', 1)] })).committed).toBe(true);
  });
});

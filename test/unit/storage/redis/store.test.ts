import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { DamagedRecordError } from '../../../../src/lib/errors.ts';
import { sendRead, sendWrite } from '../../../../src/storage/redis/client.ts';
import { openRedisStore } from '../../../../src/storage/redis/store.ts';
import { absent, put, ref } from '../../../../src/storage/store.ts';
import { commandsDuring, hasRedis } from '../../../helpers/redis.ts';
import { connected, counter, counters, failure, open, start } from './fixture.ts';

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

    expect(await sent(() => store.get(counters, 'id1'))).toEqual(['evalsha']);
    expect(await sent(() => store.getMany(counters, ids))).toEqual(['evalsha']);
    expect(await sent(() => store.query(counters, 'byCount', {}, 400))).toEqual(['evalsha']);
    expect(await sent(() => store.query(counters, 'byCount', { cursor: next }, 400))).toEqual(['evalsha']);
    const change = { expect: [absent(counters, 'new')], put: ids.map((id) => counter(id, 1)) };
    expect(await sent(() => store.commit(change))).toEqual(['evalsha']);
  });

  test('asks the server once for reads that come together, and one that fails fails alone', async () => {
    const { url } = await start();
    const store = await open(url);
    await store.commit({ put: [counter('a', 1), counter('b', 2)] });
    await store.get(counters, 'a');
    const others = { ...counters, name: 'others' };
    const connection = connected(url);
    await sendWrite(connection, () => connection.set('{cs}:rows:others', 'somebody else’s'));
    const reads = async () =>
      Promise.allSettled([
        store.get(counters, 'a'),
        store.get(others, 'a'),
        store.query(counters, 'byCount', { descending: true }, 10),
        store.getMany(counters, ['b', 'none']),
      ]);
    const found: Awaited<ReturnType<typeof reads>>[] = [];
    const { sent } = await commandsDuring(url, async () => void found.push(await reads()));
    expect(sent).toEqual(['evalsha']);
    const [a, broken, page, many] = found[0] ?? [];
    expect(a).toMatchObject({ status: 'fulfilled', value: { id: 'a', value: { count: 1 } } });
    expect(broken).toMatchObject({ status: 'rejected', reason: { name: 'StoreError' } });
    expect(page).toMatchObject({ value: { items: [{ id: 'b' }, { id: 'a' }], next: null } });
    expect(many).toMatchObject({ value: [{ id: 'b' }, null] });
  });

  test('sends many reads in commands of at most 32', async () => {
    const { url } = await start();
    const store = await open(url);
    await store.commit({ put: [counter('a', 1)] });
    await store.get(counters, 'a');
    const { sent } = await commandsDuring(url, () =>
      Promise.all(Array.from({ length: 100 }, () => store.get(counters, 'a'))),
    );
    expect(sent).toEqual(['evalsha', 'evalsha', 'evalsha', 'evalsha']);
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
    const connection = connected(url);
    const keys = await sendRead(connection, () => connection.keys('*'));
    expect(keys.toSorted()).toEqual(['{cs}:commits', '{cs}:format']);
  });

  test('keeps all its keys in one slot of a cluster', async () => {
    const { url } = await start({ cluster: true });
    const connection = connected(url);
    await sendWrite(connection, () => connection.cluster('ADDSLOTSRANGE', 0, 16_383));
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
    const connection = connected(url);
    const store = await openRedisStore({ client: connection });
    await store.close();
    expect((await failure(store.get(counters, 'a'))).userMessage).toContain('closed');
    expect(await connection.ping()).toBe('PONG');
  });

  test('refuses a client that would send a commit twice', async () => {
    const { url } = await start();
    const connection = new Redis(url, { lazyConnect: true });
    await expect(openRedisStore({ client: connection })).rejects.toThrow(RangeError);
  });

  test('refuses what a later version of the program wrote', async () => {
    const { url } = await start();
    const connection = connected(url);
    await sendWrite(connection, () => connection.set('{cs}:format', '999'));
    expect((await failure(openRedisStore({ url }))).userMessage).toContain('later version');
    expect(await connection.keys('*')).toEqual(['{cs}:format']);
  });

  test('takes a row of somebody else, and one that is gone, for damaged records, and reads the others', async () => {
    const { url } = await start();
    const store = await open(url);
    await store.commit({ put: [counter('a', 1), counter('b', 2), counter('c', 3)] });
    const connection = connected(url);
    await sendWrite(connection, () => connection.hset('{cs}:rows:counters', 'a', 'a secret'));
    await sendWrite(connection, () => connection.hdel('{cs}:rows:counters', 'b'));
    const error = await failure(store.get(counters, 'a'));
    expect(error).toBeInstanceOf(DamagedRecordError);
    expect(error.message).not.toContain('secret');
    expect(await failure(store.query(counters, 'byCount', {}, 10))).toBeInstanceOf(DamagedRecordError);
    await sendWrite(connection, () => connection.hset('{cs}:rows:counters', 'a', '5\n\u0001not deflated'));
    expect(await failure(store.get(counters, 'a'))).toBeInstanceOf(DamagedRecordError);
    const schemaless = { ...counters, schema: z.unknown(), indexes: { byCount: () => null } };
    const { items } = await store.query(schemaless, 'byCount', {}, 10);
    expect(items.map(({ id, value }) => [id, value])).toEqual([
      ['a', undefined],
      ['b', undefined],
      ['c', { count: 3 }],
    ]);
  });

  test('keeps two prefixes apart', async () => {
    const { url } = await start();
    const store = await open(url);
    const other = await openRedisStore({ client: connected(url), prefix: '{other}:' });
    await store.commit({ put: [counter('a', 1)] });
    expect(await other.get(counters, 'a')).toBeNull();
    expect((await other.query(counters, 'byCount', {}, 10)).items).toEqual([]);
  });
});

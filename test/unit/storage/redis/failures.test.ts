import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { sendWrite } from '../../../../src/storage/redis/client.ts';
import { openRedisStore } from '../../../../src/storage/redis/store.ts';
import { absent, put, ref, unchanged } from '../../../../src/storage/store.ts';
import { commandsDuring, hasRedis, lossyWayTo } from '../../../helpers/redis.ts';
import { connected, counter, counters, failure, open, start } from './fixture.ts';

/** How long a caller may be kept waiting by a server that is not there, in milliseconds. */
const SOON = 4_000;

describe.skipIf(!hasRedis('the driver for Redis'))('a Redis that', () => {
  test('is not there is a StoreError soon', async () => {
    const { url, kill } = await start();
    await kill();
    const began = performance.now();
    await failure(openRedisStore({ url }));
    expect(performance.now() - began).toBeLessThan(SOON);
  });

  test('does not know the password is a StoreError whose cause says so', async () => {
    const { url } = await start({ args: ['--requirepass', 'right'] });
    const error = await failure(openRedisStore({ url: url.replace('//', '//:wrong@') }));
    expect(String(error.cause)).toContain('WRONGPASS');
    expect(error.userMessage).not.toContain('wrong');
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

  test('comes back while commands wait for it answers them all, without a warning', async () => {
    const server = await start({ appendfsync: 'always' });
    const store = await open(server.url);
    await store.commit({ put: [counter('a', 1)] });
    const warned = vi.spyOn(process, 'emitWarning');
    onTestFinished(() => warned.mockRestore());
    await server.kill();
    const waiting = Array.from({ length: 30 }, () => store.get(counters, 'a'));
    await server.restart();
    const counts = (await Promise.all(waiting)).map((read) => read?.value.count);
    expect(counts).toEqual(Array.from({ length: 30 }, () => 1));
    expect(warned).not.toHaveBeenCalled();
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

  test('has its clock behind the last commit counts on from that', async () => {
    const { url } = await start();
    const store = await open(url);
    const connection = connected(url);
    const late = Number.MAX_SAFE_INTEGER - 2;
    await sendWrite(connection, () => connection.set('{cs}:commits', late));
    expect(await store.commit({ put: [counter('a', 1)] })).toEqual({ committed: true, version: late + 1 });
    expect((await store.get(counters, 'a'))?.version).toBe(late + 1);
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
    });
    expect(sent.filter((name) => name === 'evalsha')).toHaveLength(1);
    expect((await store.get(counters, 'a'))?.value.count).toBe(1);
  });

  test('dies over a commit leaves its outcome unknown', async () => {
    const server = await start();
    const connection = connected(server.url);
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
    const filling = randomBytes(15_000).toString('base64');
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

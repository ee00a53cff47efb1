import type { RunnableConfig } from '@langchain/core/runnables';
import { Command } from '@langchain/langgraph';
import { ERROR, INTERRUPT } from '@langchain/langgraph-checkpoint';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FencedError, StoreError } from '../../../../../src/lib/errors.ts';
import { RedisSaver } from '../../../../../src/storage/checkpoints/redis/saver.ts';
import { sendRead, sendWrite } from '../../../../../src/storage/redis/client.ts';
import { commandsDuring, hasRedis, startRedis } from '../../../../helpers/redis.ts';
import { all, askingGraph, putNew, redisForSuite, thread } from '../fixture.ts';

describe.skipIf(!hasRedis('the checkpoints on Redis'))('RedisSaver', () => {
  const redis = redisForSuite();
  let saver: RedisSaver;
  beforeEach(() => {
    saver = new RedisSaver(redis.client);
  });
  afterEach(() => sendWrite(redis.client, () => redis.client.flushall()));

  const keys = async () => (await sendRead(redis.client, () => redis.client.keys('*'))).toSorted();

  test('a put, its writes and its reading are one round trip each, and as much work among 300 threads', async () => {
    const long = 'x'.repeat(1_000);
    const workFor = async (id: string) => {
      let config: RunnableConfig = thread(id);
      const put = await commandsDuring(redis.url, async () => {
        config = await putNew(saver, id, { x: 1, y: long });
      });
      const writes = await commandsDuring(redis.url, () =>
        saver.putWrites(
          config,
          [
            ['x', 1],
            ['y', 2],
            ['z', 3],
          ],
          'task',
        ),
      );
      const latest = await commandsDuring(redis.url, () => saver.getTuple(thread(id)));
      return { put, writes, latest };
    };
    await workFor('warm');
    const alone = await workFor('first');
    for (let number = 0; number < 300; number++) await putNew(saver, `other ${number}`, { x: 1, y: long });
    expect(await workFor('last')).toEqual(alone);
    expect(alone.put.sent).toEqual(['evalsha']);
    expect(alone.writes.sent).toEqual(['evalsha']);
    expect(alone.latest.sent).toEqual(['evalsha']);
  });

  test('deleting a thread leaves those whose id begins with its id', async () => {
    const ids = ['slack:C1', 'slack:C12', 'slack:C1:1700000000.000100', 'slack:C*', 'slack:c1'];
    for (const id of ids) await saver.putWrites(await putNew(saver, id, { x: id }), [['a', id]], 'task');
    await saver.deleteThread('slack:C1');
    expect(await saver.getTuple(thread('slack:C1'))).toBeUndefined();
    for (const id of ids.slice(1)) {
      const tuple = await saver.getTuple(thread(id));
      expect(tuple?.checkpoint.channel_values).toEqual({ x: id });
      expect(tuple?.pendingWrites).toEqual([['task', 'a', id]]);
    }
    expect(await keys()).toHaveLength(ids.length - 1);
    await saver.deleteThread('slack:C*');
    expect(await saver.getTuple(thread('slack:C12'))).toBeDefined();
  });

  test('the fence of a deleted thread stays for a day, or for ever where the thread begins anew', async () => {
    const key = '{cs}:checkpoints:data:t';
    await saver.claim('t', 9);
    await putNew(saver, 't', { x: 1 });
    await saver.deleteThread('t');
    expect(await redis.client.hkeys(key)).toEqual(['fence']);
    expect(await redis.client.pttl(key)).toBeGreaterThan(23 * 3_600_000);
    expect(await all(saver.list({}))).toEqual([]);
    await expect(saver.claim('t', 8)).rejects.toBeInstanceOf(FencedError);
    await saver.claim('t', 10);
    expect(await redis.client.pttl(key)).toBe(-1);
  });

  test('the list without a thread holds the checkpoints of all, and of this prefix alone', async () => {
    const other = new RedisSaver(redis.client, { prefix: '{[c]s}:' });
    await putNew(saver, 'a');
    await putNew(saver, 'b:c');
    await putNew(other, 'd', {});
    await sendWrite(redis.client, () => redis.client.set('{cs}:records:x', 'a record of the store'));
    const threadsOf = async (of: RedisSaver) =>
      (await all(of.list({}))).map((tuple) => tuple.config.configurable?.thread_id);
    expect(await threadsOf(saver)).toEqual(['b:c', 'a']);
    expect(await threadsOf(other)).toEqual(['d']);
  });

  test('a write that is there stays, but an interrupt or error is replaced by the latest', async () => {
    const config = await putNew(saver, 't');
    await saver.putWrites(
      config,
      [
        [INTERRUPT, 'first'],
        ['a', 1],
      ],
      'task',
    );
    await saver.putWrites(
      config,
      [
        [INTERRUPT, 'second'],
        ['a', 2],
        ['b', 3],
      ],
      'task',
    );
    await saver.putWrites(config, [[ERROR, 'broken']], 'task');
    expect((await saver.getTuple(config))?.pendingWrites).toEqual([
      ['task', INTERRUPT, 'second'],
      ['task', ERROR, 'broken'],
      ['task', 'a', 1],
      ['task', 'b', 3],
    ]);
  });

  test.each([0, -1, 1.5, Number.NaN])('a time to live of %s is refused', (timeToLive) => {
    expect(() => new RedisSaver(redis.client, { timeToLive })).toThrow(RangeError);
  });

  test('a server that is gone makes every method reject with a StoreError', async () => {
    const gone = await startRedis();
    const lost = new RedisSaver(gone.url);
    const config = await putNew(lost, 't', {});
    await gone.dispose();
    const questions = [
      lost.getTuple(config),
      all(lost.list(config)),
      putNew(lost, 't', {}),
      lost.putWrites(config, [['a', 1]], 'task'),
      lost.deleteThread('t'),
      lost.prune('t', 1),
    ];
    for (const result of await Promise.allSettled(questions)) {
      expect(result.status === 'rejected' && result.reason).toBeInstanceOf(StoreError);
    }
    await lost.close();
  });

  test('a graph goes on from its interrupt in another process, also when all but its head was pruned', async () => {
    const config = { ...thread('slack:T1:C1:1700000000.000100'), durability: 'sync' as const };
    const stopped = await askingGraph(saver).invoke({ log: [] }, config);
    expect(stopped).toMatchObject({ log: ['begun'], __interrupt__: [{ value: 'Go on?' }] });
    await saver.prune('slack:T1:C1:1700000000.000100', 1);

    const elsewhere = new RedisSaver(redis.url);
    const graph = askingGraph(elsewhere);
    const [waiting] = (await graph.getState(config)).tasks.flatMap((task) => task.interrupts);
    const ended = await graph.invoke(new Command({ resume: { [waiting?.id ?? '']: 'yes' } }), config);
    expect(ended.log).toEqual(['begun', 'heard yes']);
    await elsewhere.close();
  });

  test('a client that would send a command twice is refused', async () => {
    const other = redis.client.duplicate({ autoResendUnfulfilledCommands: true, lazyConnect: true });
    expect(() => new RedisSaver(other)).toThrow(RangeError);
  });
});

import type { RunnableConfig } from '@langchain/core/runnables';
import { Annotation, Command, END, interrupt, START, StateGraph } from '@langchain/langgraph';
import {
  type Checkpoint,
  type CheckpointTuple,
  ERROR,
  emptyCheckpoint,
  INTERRUPT,
  uuid6,
} from '@langchain/langgraph-checkpoint';
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { StoreError } from '../../../../../src/lib/errors.ts';
import { RedisSaver } from '../../../../../src/storage/checkpoints/redis/saver.ts';
import { closeRedis, connectRedis, sendRead, sendWrite } from '../../../../../src/storage/redis/client.ts';
import { commandsDuring, hasRedis, type RedisServer, startRedis } from '../../../../helpers/redis.ts';

const thread = (id: string) => ({ configurable: { thread_id: id } });
const metadata = { source: 'loop', step: 0, parents: {} } as const;

function checkpoint(values: Record<string, unknown> = {}, version = 1): Checkpoint {
  const channel_versions = Object.fromEntries(Object.keys(values).map((channel) => [channel, version]));
  return { ...emptyCheckpoint(), id: uuid6(0), channel_values: values, channel_versions };
}

async function all(tuples: AsyncGenerator<CheckpointTuple>): Promise<CheckpointTuple[]> {
  const list: CheckpointTuple[] = [];
  for await (const tuple of tuples) list.push(tuple);
  return list;
}

describe.skipIf(!hasRedis('the checkpoints on Redis'))('RedisSaver', () => {
  let server: RedisServer;
  let client: Redis;
  let saver: RedisSaver;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.dispose());
  beforeEach(() => {
    client = connectRedis(server.url);
    saver = new RedisSaver(client);
  });
  afterEach(async () => {
    await sendWrite(client, () => client.flushall());
    await closeRedis(client);
  });

  const keys = async () => (await sendRead(client, () => client.keys('*'))).toSorted();

  async function putNew(threadId: string, values: Record<string, unknown> = {}, by = saver) {
    const saved = checkpoint(values);
    return by.put(thread(threadId), saved, metadata, saved.channel_versions);
  }

  test('a put, its writes and its reading are one round trip each, and as much work among 300 threads', async () => {
    const long = 'x'.repeat(1_000);
    const workFor = async (id: string) => {
      let config: RunnableConfig = thread(id);
      const put = await commandsDuring(server.url, async () => {
        config = await putNew(id, { x: 1, y: long });
      });
      const writes = await commandsDuring(server.url, () =>
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
      const latest = await commandsDuring(server.url, () => saver.getTuple(thread(id)));
      return { put, writes, latest };
    };
    await workFor('warm');
    const alone = await workFor('first');
    for (let number = 0; number < 300; number++) await putNew(`other ${number}`, { x: 1, y: long });
    expect(await workFor('last')).toEqual(alone);
    expect(alone.put.sent).toEqual(['evalsha']);
    expect(alone.writes.sent).toEqual(['evalsha']);
    expect(alone.latest.sent).toEqual(['evalsha']);
  });

  test('deleting a thread leaves those whose id begins with its id', async () => {
    const ids = ['slack:C1', 'slack:C12', 'slack:C1:1700000000.000100', 'slack:C*', 'slack:c1'];
    for (const id of ids) await saver.putWrites(await putNew(id, { x: id }), [['a', id]], 'task');
    await saver.deleteThread('slack:C1');
    expect(await saver.getTuple(thread('slack:C1'))).toBeUndefined();
    for (const id of ids.slice(1)) {
      const tuple = await saver.getTuple(thread(id));
      expect(tuple?.checkpoint.channel_values).toEqual({ x: id });
      expect(tuple?.pendingWrites).toEqual([['task', 'a', id]]);
    }
    expect(await keys()).toHaveLength(2 * (ids.length - 1));
    await saver.deleteThread('slack:C*');
    expect(await saver.getTuple(thread('slack:C12'))).toBeDefined();
  });

  test('the list without a thread holds the checkpoints of all, and of this prefix alone', async () => {
    const other = new RedisSaver(client, { prefix: '{[c]s}:' });
    await putNew('a');
    await putNew('b:c');
    await putNew('d', {}, other);
    await sendWrite(client, () => client.set('{cs}:records:x', 'a record of the store'));
    const threadsOf = async (of: RedisSaver) =>
      (await all(of.list({}))).map((tuple) => tuple.config.configurable?.thread_id);
    expect(await threadsOf(saver)).toEqual(['b:c', 'a']);
    expect(await threadsOf(other)).toEqual(['d']);
  });

  test('a write that is there stays, but an interrupt or error is replaced by the latest', async () => {
    const config = await putNew('t');
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
    expect(() => new RedisSaver(client, { timeToLive })).toThrow(RangeError);
  });

  test('a server that is gone makes every method reject with a StoreError', async () => {
    const gone = await startRedis();
    const lost = new RedisSaver(gone.url);
    const config = await putNew('t', {}, lost);
    await gone.dispose();
    const questions = [
      lost.getTuple(config),
      all(lost.list(config)),
      putNew('t', {}, lost),
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

    const elsewhere = new RedisSaver(server.url);
    const graph = askingGraph(elsewhere);
    const [waiting] = (await graph.getState(config)).tasks.flatMap((task) => task.interrupts);
    const ended = await graph.invoke(new Command({ resume: { [waiting?.id ?? '']: 'yes' } }), config);
    expect(ended.log).toEqual(['begun', 'heard yes']);
    await elsewhere.close();
  });

  test('a client that would send a command twice is refused', async () => {
    const other = client.duplicate({ autoResendUnfulfilledCommands: true, lazyConnect: true });
    expect(() => new RedisSaver(other)).toThrow(RangeError);
  });
});

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (log, lines) => [...log, ...lines], default: () => [] }),
});

/** Asks a person, then writes down what was said. */
function askingGraph(checkpointer: RedisSaver) {
  return new StateGraph(State)
    .addNode('begin', () => ({ log: ['begun'] }))
    .addNode('ask', () => ({ log: [`heard ${interrupt('Go on?')}`] }))
    .addEdge(START, 'begin')
    .addEdge('begin', 'ask')
    .addEdge('ask', END)
    .compile({ checkpointer });
}

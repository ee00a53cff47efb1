import type { RunnableConfig } from '@langchain/core/runnables';
import { Annotation, Command, END, interrupt, START, StateGraph } from '@langchain/langgraph';
import {
  type Checkpoint,
  type CheckpointTuple,
  ERROR,
  emptyCheckpoint,
  INTERRUPT,
  JsonPlusSerializer,
  uuid6,
} from '@langchain/langgraph-checkpoint';
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { StoreError } from '../../../src/errors.ts';
import { RedisSaver } from '../../../src/storage/checkpointer-redis.ts';
import { closeRedis, connectRedis, reading, writing } from '../../../src/storage/redis-client.ts';
import { commandsDuring, hasRedis, type RedisServer, startRedis } from '../../helpers/redis.ts';

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
    await writing(client, () => client.flushall());
    await closeRedis(client);
  });

  const keys = async () => (await reading(client, () => client.keys('*'))).toSorted();

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
    await writing(client, () => client.set('{cs}:records:x', 'a record of the store'));
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

  test('a value that many checkpoints carry on is stored once', async () => {
    const first = checkpoint({ big: 'x'.repeat(100_000), step: 0 });
    let config = await saver.put(thread('t'), first, metadata, first.channel_versions);
    for (let step = 1; step <= 20; step++) {
      const next = checkpoint({ ...first.channel_values, step });
      next.channel_versions = { big: 1, step: step + 1 };
      config = await saver.put(config, next, metadata, { step: step + 1 });
    }
    expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({
      ...first.channel_values,
      step: 20,
    });
    const size = await reading(client, () => client.memory('USAGE', '{cs}:checkpoints:data:t', 'SAMPLES', 0));
    expect(size).toBeLessThan(130_000);
  });

  test('a list that grows a thousand times is read back whole at every length', async () => {
    const configs: RunnableConfig[] = [];
    const lines: string[] = [];
    for (let length = 1; length <= 1_000; length++) {
      lines.push(`line ${length} ${'é'.repeat(40)}`);
      const saved = checkpoint({ lines: [...lines] }, length);
      configs.push(await saver.put(configs.at(-1) ?? thread('t'), saved, metadata, { lines: length }));
    }
    for (const length of [1, 2, 3, 255, 256, 257, 258, 512, 1_000]) {
      const tuple = await saver.getTuple(configs[length - 1] ?? {});
      expect(tuple?.checkpoint.channel_values.lines).toEqual(lines.slice(0, length));
    }
  });

  test('a thread is forgotten after its time to live, counted from its last write', async () => {
    const timed = new RedisSaver(client, { timeToLive: 3_600_000 });
    const timesLeft = async () => {
      const names = await keys();
      return reading(client, () => Promise.all(names.map((name) => client.pttl(name))));
    };
    const config = await putNew('t', { x: 1 }, timed);
    for (const key of await keys()) await writing(client, () => client.pexpire(key, 1_000));
    await timed.putWrites(config, [['a', 1]], 'task');
    const left = await timesLeft();
    expect(left).toHaveLength(2);
    for (const time of left) expect(time).toBeGreaterThan(3_500_000);

    const brief = new RedisSaver(client, { timeToLive: 1 });
    await brief.putWrites(config, [['b', 1]], 'task');
    await expect.poll(() => keys()).toEqual([]);
    expect(await saver.getTuple(thread('t'))).toBeUndefined();
  });

  test.each([0, -1, 1.5, Number.NaN])('a time to live of %s is refused', (timeToLive) => {
    expect(() => new RedisSaver(client, { timeToLive })).toThrow(RangeError);
  });

  test('without a time to live nothing is ever forgotten', async () => {
    await putNew('t', { x: 1 });
    for (const key of await keys()) expect(await reading(client, () => client.pttl(key))).toBe(-1);
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

  test('nothing is stored but what the serializer made of it', async () => {
    const reversing = new RedisSaver(client, { serde: new ReversingSerializer() });
    const secrets = { x: 'a secret', long: 'a secret '.repeat(100) };
    const config = await putNew('t', secrets, reversing);
    await reversing.putWrites(config, [['a', 'a secret']], 'task');
    const tuple = await reversing.getTuple(config);
    expect(tuple?.checkpoint.channel_values).toEqual(secrets);
    expect(tuple?.pendingWrites).toEqual([['task', 'a', 'a secret']]);
    const stored = await reading(client, () => client.hgetall('{cs}:checkpoints:data:t'));
    expect(Object.keys(stored).length).toBeGreaterThan(3);
    expect(JSON.stringify(stored)).toContain('terces');
    expect(JSON.stringify(stored)).not.toContain('secret');
  });

  test('bytes of every value come back as they were', async () => {
    const bytes = Uint8Array.from({ length: 1_024 }, (_, place) => place % 256);
    const config = await putNew('t', { bytes });
    expect((await saver.getTuple(config))?.checkpoint.channel_values.bytes).toEqual(bytes);
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

  test('pruning removes what no kept checkpoint needs', async () => {
    const long = (turn: number) => `turn ${turn} ${'x'.repeat(300)}`;
    let config: RunnableConfig = thread('t');
    for (let turn = 1; turn <= 30; turn++) {
      // Each version begins differently, so that none shares with another.
      const saved = checkpoint({ text: long(turn) }, turn);
      config = await saver.put(config, saved, metadata, { text: turn });
      await saver.putWrites(config, [['text', long(turn)]], 'task');
      await saver.prune('t', 2);
    }
    const fields = await reading(client, () => client.hkeys('{cs}:checkpoints:data:t'));
    const count = (kind: string) => fields.filter((field) => field.startsWith(`s${kind}`)).length;
    // Two checkpoints, each with writes, a value and its chunk; and the channel's log.
    expect([count('c'), count('w'), count('v'), count('l')]).toEqual([2, 2, 2, 3]);
    expect((await saver.getTuple(thread('t')))?.checkpoint.channel_values).toEqual({ text: long(30) });
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

/** Writes every byte reversed, and calls that a type of its own. */
class ReversingSerializer extends JsonPlusSerializer {
  override async dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
    const [type, bytes] = await super.dumpsTyped(value);
    return [`reversed ${type}`, bytes.toReversed()];
  }

  override async loadsTyped(type: string, data: Uint8Array): Promise<unknown> {
    return super.loadsTyped(type.replace('reversed ', ''), data.toReversed());
  }
}

import type { RunnableConfig } from '@langchain/core/runnables';
import { JsonPlusSerializer } from '@langchain/langgraph-checkpoint';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RedisSaver } from '../../../../../src/storage/checkpoints/redis/saver.ts';
import { sendRead, sendWrite } from '../../../../../src/storage/redis/client.ts';
import { hasRedis } from '../../../../helpers/redis.ts';
import { checkpoint, metadata, putCarryingOn, putNew, redisForSuite, thread } from '../fixture.ts';

describe.skipIf(!hasRedis('the checkpoints on Redis'))('what RedisSaver stores', () => {
  const redis = redisForSuite();
  let saver: RedisSaver;
  beforeEach(() => {
    saver = new RedisSaver(redis.client);
  });
  afterEach(() => sendWrite(redis.client, () => redis.client.flushall()));

  const keys = async () => (await sendRead(redis.client, () => redis.client.keys('*'))).toSorted();

  test('a value that many checkpoints carry on is stored once', async () => {
    const first = checkpoint({ big: 'x'.repeat(100_000), step: 0 });
    const config = await putCarryingOn(saver, first);
    expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({
      ...first.channel_values,
      step: 20,
    });
    const size = await sendRead(redis.client, () =>
      redis.client.memory('USAGE', '{cs}:checkpoints:data:t', 'SAMPLES', 0),
    );
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
    const timed = new RedisSaver(redis.client, { timeToLive: 3_600_000 });
    const timesLeft = async () => {
      const names = await keys();
      return sendRead(redis.client, () => Promise.all(names.map((name) => redis.client.pttl(name))));
    };
    const config = await putNew(timed, 't', { x: 1 });
    for (const key of await keys()) await sendWrite(redis.client, () => redis.client.pexpire(key, 1_000));
    await timed.putWrites(config, [['a', 1]], 'task');
    const left = await timesLeft();
    expect(left).toHaveLength(1);
    for (const time of left) expect(time).toBeGreaterThan(3_500_000);

    const brief = new RedisSaver(redis.client, { timeToLive: 1 });
    await brief.putWrites(config, [['b', 1]], 'task');
    await expect.poll(() => keys()).toEqual([]);
    expect(await saver.getTuple(thread('t'))).toBeUndefined();
  });

  test('without a time to live nothing is ever forgotten', async () => {
    await putNew(saver, 't', { x: 1 });
    for (const key of await keys())
      expect(await sendRead(redis.client, () => redis.client.pttl(key))).toBe(-1);
  });

  test('nothing is stored but what the serializer made of it', async () => {
    const reversing = new RedisSaver(redis.client, { serde: new ReversingSerializer() });
    const secrets = { x: 'a secret', long: 'a secret '.repeat(100) };
    const config = await putNew(reversing, 't', secrets);
    await reversing.putWrites(config, [['a', 'a secret']], 'task');
    const tuple = await reversing.getTuple(config);
    expect(tuple?.checkpoint.channel_values).toEqual(secrets);
    expect(tuple?.pendingWrites).toEqual([['task', 'a', 'a secret']]);
    const stored = await sendRead(redis.client, () => redis.client.hgetall('{cs}:checkpoints:data:t'));
    expect(Object.keys(stored).length).toBeGreaterThan(3);
    expect(JSON.stringify(stored)).toContain('terces');
    expect(JSON.stringify(stored)).not.toContain('secret');
  });

  test('bytes of every value come back as they were', async () => {
    const bytes = Uint8Array.from({ length: 1_024 }, (_, place) => place % 256);
    const config = await putNew(saver, 't', { bytes });
    expect((await saver.getTuple(config))?.checkpoint.channel_values.bytes).toEqual(bytes);
  });

  test('a full memory refuses a checkpoint and writes as a whole, and lets a thread be deleted', async () => {
    const config = await putNew(saver, 't', { x: 1 });
    const stored = () => sendRead(redis.client, () => redis.client.hgetall('{cs}:checkpoints:data:t'));
    const before = await stored();
    await sendWrite(redis.client, () => redis.client.config('SET', 'maxmemory', 1));
    try {
      const refused = { code: 'store_unavailable', outcomeUnknown: false };
      const text = 'x'.repeat(1_000);
      await expect(putNew(saver, 't', { text, x: 2 })).rejects.toMatchObject(refused);
      await expect(saver.putWrites(config, [['text', text]], 'task')).rejects.toMatchObject(refused);
      expect(await stored()).toEqual(before);
      await saver.deleteThread('t');
      expect(await saver.getTuple(thread('t'))).toBeUndefined();
    } finally {
      await sendWrite(redis.client, () => redis.client.config('SET', 'maxmemory', 0));
    }
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
    const fields = await sendRead(redis.client, () => redis.client.hkeys('{cs}:checkpoints:data:t'));
    const count = (kind: string) => fields.filter((field) => field.startsWith(`s${kind}`)).length;
    // Two checkpoints, each with writes, a value and its chunk; and the channel's log.
    expect([count('c'), count('p'), count('v'), count('l')]).toEqual([2, 2, 2, 3]);
    expect((await saver.getTuple(thread('t')))?.checkpoint.channel_values).toEqual({ text: long(30) });
  });

  test('what comes after pruning overwrites nothing that a kept checkpoint carries on', async () => {
    const text = (first: string) => `${first} ${'x'.repeat(300)}`;
    const putText = (parent: RunnableConfig, first: string, version: number) =>
      saver.put(parent, checkpoint({ text: text(first) }, version), metadata, { text: version });
    const root = await putText(thread('t'), 'root', 1);
    await putText(root, 'branch', 2);
    const carried = await saver.put(root, checkpoint({ text: text('root') }), metadata, {});
    await saver.prune('t', 1);
    await putText(carried, 'next', 3);
    expect((await saver.getTuple(carried))?.checkpoint.channel_values).toEqual({ text: text('root') });
    expect((await saver.getTuple(thread('t')))?.checkpoint.channel_values).toEqual({ text: text('next') });
  });
});

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

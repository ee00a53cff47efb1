import { readFileSync } from 'node:fs';
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import {
  Annotation,
  Command,
  END,
  interrupt,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { RedisSaver } from '../../../../../src/storage/checkpoints/redis/saver.ts';
import { sendWrite } from '../../../../../src/storage/redis/client.ts';
import { hasRedis } from '../../../../helpers/redis.ts';
import { all, redisForSuite, thread } from '../fixture.ts';

/** A thread that a program of format 1 left waiting for a person, with all checkpoints and writes of its run. */
const stored = z
  .object({ data: z.record(z.string(), z.string()), index: z.array(z.string()) })
  .parse(
    JSON.parse(
      readFileSync(
        new URL('../../../../fixtures/checkpoints-in-redis-format-1.json', import.meta.url),
        'utf8',
      ),
    ),
  );

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  plan: Annotation<string | null>({ reducer: (_, next) => next, default: () => null }),
});

/** The graph whose thread it is. */
function plannerOn(saver: RedisSaver) {
  return new StateGraph(State)
    .addNode('think', () => ({}))
    .addNode('ask', () => ({
      messages: [new AIMessage({ id: 'heard', content: `heard ${interrupt('Go on?')}` })],
    }))
    .addEdge(START, 'think')
    .addEdge('think', 'ask')
    .addEdge('ask', END)
    .compile({ checkpointer: saver });
}

describe.skipIf(!hasRedis('checkpoints of format 1'))('checkpoints of format 1', () => {
  const redis = redisForSuite();
  const ids = (messages: readonly BaseMessage[]) => messages.map(({ id }) => id);

  async function open() {
    const { client } = redis;
    await sendWrite(client, () => client.flushall());
    for (const [field, value] of Object.entries(stored.data)) {
      await sendWrite(client, () =>
        client.hset('{cs}:checkpoints:data:t', field, Buffer.from(value, 'base64')),
      );
    }
    for (const field of stored.index)
      await sendWrite(client, () => client.zadd('{cs}:checkpoints:index:t', 0, field));
    return new RedisSaver(client);
  }

  test('are read, each once, with what waits', async () => {
    const saver = await open();
    const state = await plannerOn(saver).getState(thread('t'));
    expect(state.tasks.flatMap(({ interrupts }) => interrupts.map(({ value }) => value))).toEqual(['Go on?']);
    expect(ids(state.values.messages)).toEqual(['h1', 'a1']);
    expect(state.values.plan).toBe('plan 1');
    expect((await all(saver.list(thread('t')))).map(({ metadata }) => metadata?.step)).toEqual([1, 0, -1]);
  });

  test('go on, and leave only what is of this format behind', async () => {
    const saver = await open();
    const config = { configurable: { thread_id: 't', fence: 8, held: true } };
    const ended = await plannerOn(saver).invoke(new Command({ resume: 'yes' }), {
      ...config,
      durability: 'sync',
    });
    expect(ids(ended.messages)).toEqual(['h1', 'a1', 'heard']);
    await (await saver.send('t'))?.durable;
    const { client } = redis;
    expect(await client.exists('{cs}:checkpoints:index:t')).toBe(0);
    const kinds = (await client.hkeys('{cs}:checkpoints:data:t')).map((field) => field.slice(0, 2));
    expect([...new Set(kinds)].toSorted()).toEqual(['fe', 'sc', 'sl', 'sn', 'sv']);
    const { values } = await plannerOn(new RedisSaver(client)).getState(thread('t'));
    expect(ids(values.messages)).toEqual(['h1', 'a1', 'heard']);
    expect(values.plan).toBe('plan 1');
  });

  test('take further writes of a task that had written before', async () => {
    const saver = await open();
    const tuple = await saver.getTuple(thread('t'));
    const [task = '', channel = '', before] = tuple?.pendingWrites?.[0] ?? [];
    if (!tuple) throw new Error('the thread is gone');
    await saver.putWrites(tuple.config, [['__resume__', ['yes']]], task);
    await saver.putWrites(tuple.config, [['__interrupt__', 'another']], task);
    expect((await new RedisSaver(redis.client).getTuple(thread('t')))?.pendingWrites).toEqual([
      [task, '__resume__', ['yes']],
      [task, channel, 'another'],
    ]);
    expect(before).not.toBe('another');
  });
});

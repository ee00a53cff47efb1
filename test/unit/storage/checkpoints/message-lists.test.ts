import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph, type StateSnapshot } from '@langchain/langgraph';
import { JsonPlusSerializer } from '@langchain/langgraph-checkpoint';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RedisSaver } from '../../../../src/storage/checkpoints/redis/saver.ts';
import type { RowsSaver } from '../../../../src/storage/checkpoints/row-saver.ts';
import { SqliteSaver } from '../../../../src/storage/checkpoints/sqlite/saver.ts';
import { hasRedis } from '../../../helpers/redis.ts';
import { connected, start } from '../redis/fixture.ts';

/** Counts what is read and written of lists, in messages. */
class CountingSerializer extends JsonPlusSerializer {
  read = 0;
  /** The longest list that was written. */
  longest = 0;
  override async dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
    if (Array.isArray(value)) this.longest = Math.max(this.longest, value.length);
    return super.dumpsTyped(value);
  }
  override async loadsTyped(type: string, data: Uint8Array | string) {
    const value = await super.loadsTyped(type, data);
    if (Array.isArray(value)) this.read += value.length;
    return value;
  }
}

function graphOn(checkpointer: RowsSaver) {
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('answer', ({ messages }) => ({
      messages: [new AIMessage({ id: `answer ${messages.length}`, content: 'x'.repeat(200) })],
    }))
    .addEdge(START, 'answer')
    .addEdge('answer', END)
    .compile({ checkpointer });
  const thread = { configurable: { thread_id: 't' } };
  return {
    async say(text: string) {
      const messages = [new HumanMessage({ id: text, content: text })];
      await graph.invoke({ messages }, { ...thread, durability: 'sync' });
    },
    async texts(): Promise<string[]> {
      const { values } = await graph.getState(thread);
      return values.messages.map((message: BaseMessage) => message.id ?? '');
    },
    async replace(id: string) {
      await graph.updateState(thread, { messages: [new HumanMessage({ id, content: 'another' })] }, 'answer');
    },
    content: async () =>
      (await graph.getState(thread)).values.messages.map((message: BaseMessage) => message.text),
    async history(): Promise<StateSnapshot[]> {
      const found: StateSnapshot[] = [];
      for await (const snapshot of graph.getStateHistory(thread)) found.push(snapshot);
      return found;
    },
    graph,
    thread,
  };
}

type Open = () => Promise<() => RowsSaver>;
const stores: [string, Open][] = [
  [
    'SqliteSaver',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'countersign-lists-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      return () => {
        const saver = new SqliteSaver(`${folder}/checkpoints.db`);
        onTestFinished(() => saver.close());
        return saver;
      };
    },
  ],
];
if (hasRedis('long conversations')) {
  stores.push([
    'RedisSaver',
    async () => {
      const { url } = await start();
      return () => new RedisSaver(connected(url));
    },
  ]);
}

describe.each(stores)('a conversation in %s', (_name, open) => {
  it('is the same for one who has it in memory and one who has not', async () => {
    const another = await open();
    const [here, there] = [graphOn(another()), graphOn(another())];
    for (let turn = 0; turn < 12; turn++) {
      await (turn % 3 === 0 ? there : here).say(`turn ${turn}`);
      expect(await here.texts()).toEqual(await there.texts());
    }
    const fresh = graphOn(another());
    expect(await fresh.content()).toEqual(await here.content());
    expect(await fresh.texts()).toHaveLength(24);
  });

  it('with a message replaced is stored as it is then', async () => {
    const another = await open();
    const here = graphOn(another());
    for (let turn = 0; turn < 4; turn++) await here.say(`turn ${turn}`);
    await here.replace('turn 1');
    await here.say('and on');
    const fresh = graphOn(another());
    expect(await fresh.content()).toEqual(await here.content());
    expect((await fresh.content())[2]).toBe('another');
  });

  it('forked at an earlier checkpoint keeps both ways apart', async () => {
    const another = await open();
    const here = graphOn(another());
    for (let turn = 0; turn < 3; turn++) await here.say(`turn ${turn}`);
    const early = (await here.history()).find(({ values }) => values.messages?.length === 2)?.config;
    if (!early) throw new Error('there is no earlier checkpoint');
    await here.graph.invoke({ messages: [new HumanMessage({ id: 'fork', content: 'fork' })] }, early);
    const fresh = graphOn(another());
    expect(await fresh.texts()).toEqual(['turn 0', 'answer 1', 'fork', 'answer 3']);
    expect(await here.texts()).toEqual(await fresh.texts());
    expect((await fresh.history()).some(({ values }) => values.messages?.length === 6)).toBe(true);
  });

  it('is given to each reader as a list of its own', async () => {
    const saver = (await open())();
    const here = graphOn(saver);
    await here.say('hello');
    const read = async () => (await saver.getTuple(here.thread))?.checkpoint.channel_values.messages;
    const first = await read();
    if (!Array.isArray(first)) throw new Error('there is no list');
    first.push('of mine');
    expect(await read()).toHaveLength(2);
  });
});

describe.skipIf(!hasRedis('long conversations on Redis'))('a conversation in Redis', () => {
  it('whose stored versions are gone is written whole again', async () => {
    const client = connected((await start()).url);
    const here = graphOn(new RedisSaver(client));
    for (let turn = 0; turn < 3; turn++) await here.say(`turn ${turn}`);
    const [data = ''] = await client.keys('*checkpoints:data:*');
    const versions = (await client.hkeys(data)).filter((field) => field.startsWith('sv'));
    await client.hdel(data, ...versions);
    await here.say('and on');
    const fresh = graphOn(new RedisSaver(client));
    expect(await fresh.content()).toEqual(await here.content());
    expect(await fresh.texts()).toHaveLength(8);
  });

  it('is sent once, however long it gets', { timeout: 60_000 }, async () => {
    const client = connected((await start()).url);
    const saver = new RedisSaver(client);
    const counting = new CountingSerializer();
    saver.serde = counting;
    const here = graphOn(saver);
    for (let turn = 0; turn < 140; turn++) await here.say(`turn ${turn}`);
    expect(counting.longest).toBeLessThan(3);
    const [data = ''] = await client.keys('*checkpoints:data:*');
    // Of the second log that it is in.
    const chunks = (await client.hkeys(data)).filter((field) => /^sl.*\b2:\d+$/.test(field));
    expect(chunks.length).toBeGreaterThan(1);
    expect(await graphOn(new RedisSaver(client)).content()).toEqual(await here.content());
  });

  it('is not read again by whoever wrote it', async () => {
    const client = connected((await start()).url);
    const saver = new RedisSaver(client);
    const counting = new CountingSerializer();
    saver.serde = counting;
    const here = graphOn(saver);
    for (let turn = 0; turn < 20; turn++) await here.say(`turn ${turn}`);
    // Tasks' writes of the last step are read besides.
    expect(counting.read).toBeLessThan(60);
    expect(await here.texts()).toHaveLength(40);
  });
});

import { AIMessage } from '@langchain/core/messages';
import { Annotation, END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RedisSaver } from '../../../../src/storage/checkpoints/redis/saver.ts';
import type { RowsSaver } from '../../../../src/storage/checkpoints/row-saver.ts';
import { SqliteSaver } from '../../../../src/storage/checkpoints/sqlite/saver.ts';
import { openSqliteFile } from '../../../../src/storage/sqlite/file.ts';
import { hasRedis } from '../../../helpers/redis.ts';
import { connected, start } from '../redis/fixture.ts';
import { thread } from './fixture.ts';

const keep = () => Annotation<string | null>({ reducer: (_, next) => next, default: () => null });
const State = Annotation.Root({ ...MessagesAnnotation.spec, note: keep(), document: keep(), answer: keep() });

function graphOn(saver: RowsSaver) {
  return new StateGraph(State)
    .addNode('reply', ({ messages }) => ({
      answer: `answer to ${messages.length}`,
      messages: [new AIMessage({ id: `a${messages.length}`, content: 'words' })],
    }))
    .addEdge(START, 'reply')
    .addEdge('reply', END)
    .compile({ checkpointer: saver });
}

const HELD = { configurable: { thread_id: 't', fence: 1, held: true }, durability: 'sync' as const };

/** Savers of one storage, each with nothing in memory. */
const storages: [string, () => Promise<() => RowsSaver>][] = [
  [
    'SQLite',
    async () => {
      const file = openSqliteFile(':memory:');
      onTestFinished(() => file.close());
      return () => new SqliteSaver(file);
    },
  ],
];
if (hasRedis('compact checkpoints')) {
  storages.push([
    'Redis',
    async () => {
      const client = connected((await start()).url);
      return () => new RedisSaver(client);
    },
  ]);
}

describe.each(storages)('the values of a thread whose checkpoints are held, in %s', (_name, open) => {
  const flush = async (saver: RowsSaver) => (await saver.send('t'))?.durable;

  it('are whole for another process, small ones and large ones', async () => {
    const another = await open();
    const saver = another();
    const document = 'x'.repeat(5_000);
    await graphOn(saver).invoke({ messages: [], note: 'a note', document }, HELD);
    await flush(saver);
    await graphOn(saver).invoke({ note: 'another' }, HELD);
    await flush(saver);
    const { values } = await graphOn(another()).getState(thread('t'));
    expect(values).toMatchObject({ note: 'another', document, answer: 'answer to 1' });
    expect(values.messages.map(({ id }: AIMessage) => id)).toEqual(['a0', 'a1']);
  });

  it('are carried on by one who changes another of them without holding it', async () => {
    const another = await open();
    const saver = another();
    await graphOn(saver).invoke({ note: 'a note', document: 'short' }, HELD);
    await flush(saver);
    const other = another();
    await graphOn(other).updateState(thread('t'), { answer: 'mine' }, 'reply');
    await graphOn(other).updateState(thread('t'), { answer: 'mine again' }, 'reply');
    // Not by the graph, which goes back to earlier checkpoints for what is missing.
    const values = (await another().getTuple(thread('t')))?.checkpoint.channel_values;
    expect(values).toMatchObject({ note: 'a note', document: 'short', answer: 'mine again' });
  });

  it('may grow and shrink', async () => {
    const another = await open();
    for (const document of ['short', 'x'.repeat(3_000), 'short again']) {
      const saver = another();
      await graphOn(saver).invoke({ document }, HELD);
      await graphOn(saver).invoke({ note: `beside ${document.length}` }, HELD);
      await flush(saver);
      const { values } = await graphOn(another()).getState(thread('t'));
      expect(values).toMatchObject({ document, note: `beside ${document.length}` });
    }
  });

  it('that nobody put without holding are apart, as they were', async () => {
    const saver = (await open())();
    await graphOn(saver).invoke({ note: 'a note' }, thread('t'));
    const tuple = await saver.getTuple(thread('t'));
    expect(tuple?.config.configurable).not.toHaveProperty('compact');
  });
});

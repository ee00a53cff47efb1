import { Annotation, Command, END, interrupt, START, StateGraph } from '@langchain/langgraph';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FencedError } from '../../../../src/lib/errors.ts';
import { RedisSaver } from '../../../../src/storage/checkpoints/redis/saver.ts';
import type { RowsSaver } from '../../../../src/storage/checkpoints/row-saver.ts';
import { SqliteSaver } from '../../../../src/storage/checkpoints/sqlite/saver.ts';
import { hasRedis } from '../../../helpers/redis.ts';
import { connected, start } from '../redis/fixture.ts';

const State = Annotation.Root({
  said: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
});

function graphOn(checkpointer: RowsSaver) {
  return new StateGraph(State)
    .addNode('ask', () => ({ said: [String(interrupt('?'))] }))
    .addEdge(START, 'ask')
    .addEdge('ask', END)
    .compile({ checkpointer });
}

const savers: [string, () => Promise<RowsSaver>][] = [
  [
    'SqliteSaver',
    async () => {
      const saver = new SqliteSaver(':memory:');
      onTestFinished(() => saver.close());
      return saver;
    },
  ],
];
if (hasRedis('the fence of checkpoints')) {
  savers.push(['RedisSaver', async () => new RedisSaver(connected((await start()).url))]);
}

describe.each(savers)('the fence of %s', (_name, open) => {
  const under = (fence: number, thread = 't') => ({ configurable: { thread_id: thread, fence } });

  it('lets nothing of a worker through whose thread was taken over', async () => {
    const saver = await open();
    const graph = graphOn(saver);
    await graph.invoke({ said: ['hello'] }, under(5));
    const before = await graph.getState(under(5));
    await saver.claim('t', 9);
    await expect(
      graph.invoke(new Command({ resume: 'yes' }), { ...under(5), durability: 'sync' }),
    ).rejects.toBeInstanceOf(FencedError);
    await expect(graph.updateState(under(5), { said: ['late'] }, 'ask')).rejects.toBeInstanceOf(FencedError);
    expect((await graph.getState(under(9))).config).toEqual(before.config);
  });

  it('lets the new holder go on, and claims by its writes', async () => {
    const saver = await open();
    const graph = graphOn(saver);
    await graph.invoke({ said: ['hello'] }, under(5));
    expect(await graph.invoke(new Command({ resume: 'yes' }), under(1_763_752_000_000_001))).toMatchObject({
      said: ['hello', 'yes'],
    });
    await expect(saver.claim('t', 1_763_752_000_000_000)).rejects.toBeInstanceOf(FencedError);
  });

  it('is each thread’s own, goes with it, and is not asked for without a token', async () => {
    const saver = await open();
    const graph = graphOn(saver);
    await saver.claim('t', 9);
    await graph.invoke({ said: ['a'] }, under(5, 'other'));
    await graph.invoke({ said: ['a'] }, { configurable: { thread_id: 't' } });
    await saver.prune('t', 1);
    await expect(saver.claim('t', 8)).rejects.toBeInstanceOf(FencedError);
    await saver.deleteThread('t');
    await saver.claim('t', 1);
  });
});

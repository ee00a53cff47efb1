import { Annotation, Command, END, interrupt, START, StateGraph } from '@langchain/langgraph';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { RedisSaver } from '../../../../src/storage/checkpoints/redis/saver.ts';
import type { RowsSaver } from '../../../../src/storage/checkpoints/row-saver.ts';
import { SqliteSaver } from '../../../../src/storage/checkpoints/sqlite/saver.ts';
import { hasRedis } from '../../../helpers/redis.ts';
import { connected, start } from '../redis/fixture.ts';

const TEN_MINUTES = 10 * 60_000;

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

/** Sets the clock back, as another machine's may be: ids of checkpoints go by it. */
function setBack(byMs: number): void {
  const realNow = Date.now;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => realNow() - byMs);
  onTestFinished(() => clock.mockRestore());
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
if (hasRedis('checkpoints under a clock that was set back')) {
  savers.push(['RedisSaver', async () => new RedisSaver(connected((await start()).url))]);
}

describe.each(savers)('%s, when the clock has been set back', (_name, open) => {
  const thread = { configurable: { thread_id: 't' } };

  it('goes on from what was written last', async () => {
    const graph = graphOn(await open());
    await graph.invoke({ said: ['hello'] }, thread);
    const before = (await graph.getState(thread)).config.configurable?.checkpoint_id;
    setBack(TEN_MINUTES);
    await graph.invoke(new Command({ resume: 'yes' }), { ...thread, durability: 'sync' });
    const { values, tasks, config } = await graph.getState(thread);
    expect(values.said).toEqual(['hello', 'yes']);
    expect(tasks).toEqual([]);
    expect(String(config.configurable?.checkpoint_id) < String(before)).toBe(true);
  });

  it.each([1, 2])('keeps that, with %i left', async (keep) => {
    const saver = await open();
    const graph = graphOn(saver);
    await graph.invoke({ said: ['hello'] }, thread);
    setBack(TEN_MINUTES);
    await graph.invoke(new Command({ resume: 'yes' }), { ...thread, durability: 'sync' });
    await saver.prune('t', keep);
    expect((await graph.getState(thread)).values.said).toEqual(['hello', 'yes']);
    const left = [];
    for await (const { config } of saver.list(thread)) left.push(config);
    expect(left).toHaveLength(keep);
  });
});

import { Command } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { FencedError } from '../../../../src/lib/errors.ts';
import { eachSaver, sayingGraph } from './fixture.ts';

describe.each(eachSaver('the fence of checkpoints'))('the fence of %s', (_name, open) => {
  const under = (fence: number, thread = 't') => ({ configurable: { thread_id: thread, fence } });

  it('lets nothing of a worker through whose thread was taken over', async () => {
    const saver = await open();
    const graph = sayingGraph(saver);
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
    const graph = sayingGraph(saver);
    await graph.invoke({ said: ['hello'] }, under(5));
    expect(await graph.invoke(new Command({ resume: 'yes' }), under(1_763_752_000_000_001))).toMatchObject({
      said: ['hello', 'yes'],
    });
    await expect(saver.claim('t', 1_763_752_000_000_000)).rejects.toBeInstanceOf(FencedError);
  });

  it('is each thread’s own, and is not asked for without a token', async () => {
    const saver = await open();
    const graph = sayingGraph(saver);
    await saver.claim('t', 9);
    await graph.invoke({ said: ['a'] }, under(5, 'other'));
    await graph.invoke({ said: ['a'] }, { configurable: { thread_id: 't' } });
    await saver.prune('t', 1);
    await expect(saver.claim('t', 8)).rejects.toBeInstanceOf(FencedError);
  });
});

import { Command } from '@langchain/langgraph';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { eachSaver, sayingGraph } from './fixture.ts';

const TEN_MINUTES = 10 * 60_000;

/** Sets the clock back, as another machine's may be: ids of checkpoints go by it. */
function setBack(byMs: number): void {
  const realNow = Date.now;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => realNow() - byMs);
  onTestFinished(() => clock.mockRestore());
}

describe.each(eachSaver('checkpoints under a clock that was set back'))(
  '%s, when the clock has been set back',
  (_name, open) => {
    const thread = { configurable: { thread_id: 't' } };

    it('goes on from what was written last', async () => {
      const graph = sayingGraph(await open());
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
      const graph = sayingGraph(saver);
      await graph.invoke({ said: ['hello'] }, thread);
      setBack(TEN_MINUTES);
      await graph.invoke(new Command({ resume: 'yes' }), { ...thread, durability: 'sync' });
      await saver.prune('t', keep);
      expect((await graph.getState(thread)).values.said).toEqual(['hello', 'yes']);
      const left = [];
      for await (const { config } of saver.list(thread)) left.push(config);
      expect(left).toHaveLength(keep);
    });
  },
);

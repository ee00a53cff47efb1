import { describe, expect, it, onTestFinished } from 'vitest';
import { graphContender } from '../../bench/graph.ts';
import { openOfficialSaver } from '../../bench/official-saver.ts';
import { hasRedis, startRedis } from '../helpers/redis.ts';

/**
 * `CHECKPOINTER=langgraph-redis`: the graph on LangChain's own saver. The Redis here has no modules, so the
 * commands of JSON are answered by plain ones in front of it; that a server without them is refused at the
 * start is in `test/unit/app/storage.test.ts`.
 */
describe.skipIf(!hasRedis('the graph on the saver of LangChain'))('the official Redis saver', () => {
  it('carries a turn over its approval, several turns, and threads side by side', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.dispose());
    const saver = await openOfficialSaver(redis.url);
    onTestFinished(() => saver.end());
    const contender = graphContender('official', saver);
    for (let turn = 0; turn < 3; turn += 1) {
      await Promise.all(['one', 'two'].map((thread) => contender.propose(thread)));
      await Promise.all(['one', 'two'].map((thread) => contender.approve(thread)));
    }
    for (const thread of ['one', 'two']) {
      const kept = await saver.getTuple({ configurable: { thread_id: thread } });
      expect(kept?.checkpoint.channel_values.messages).toHaveLength(3 * 4);
    }
  });
});

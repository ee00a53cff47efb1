import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { Annotation, END, messagesStateReducer, START, StateGraph } from '@langchain/langgraph';
import { describe, expect, test } from 'vitest';
import { RedisSaver } from '../../../../../src/storage/checkpoints/redis/saver.ts';
import { sendRead } from '../../../../../src/storage/redis/client.ts';
import { hasRedis } from '../../../../helpers/redis.ts';
import { redisForSuite } from '../fixture.ts';

describe.skipIf(!hasRedis('the size of checkpoints on Redis'))('what a thread takes in Redis', () => {
  const redis = redisForSuite();

  /** All memory that the server gives to the thread's keys, in bytes. */
  async function bytesOf(threadId: string): Promise<number> {
    const keys = await sendRead(redis.client, () => redis.client.keys(`*:${threadId}`));
    const sizes = await sendRead(redis.client, () =>
      Promise.all(keys.map((key) => redis.client.memory('USAGE', key, 'SAMPLES', 0))),
    );
    return sizes.reduce((sum: number, size) => sum + (size ?? 0), 0);
  }

  /** Bytes after 10, 50 and 200 turns. */
  async function bytesOverTurns(threadId: string, keep: number | null): Promise<number[]> {
    const saver = new RedisSaver(redis.client);
    const graph = talkingGraph(saver);
    const measured: number[] = [];
    for (let turn = 1; turn <= 200; turn++) {
      const question = new HumanMessage({
        id: `question ${turn}`,
        content: `Question ${turn}: ${'words '.repeat(10)}`,
      });
      await graph.invoke(
        { messages: [question] },
        { configurable: { thread_id: threadId }, durability: 'sync' },
      );
      if (keep !== null) await saver.prune(threadId, keep);
      if ([10, 50, 200].includes(turn)) measured.push(await bytesOf(threadId));
    }
    const { messages } = (await graph.getState({ configurable: { thread_id: threadId } })).values;
    expect(messages).toHaveLength(400);
    return measured;
  }

  /** What a turn adds late in the thread, for each byte that one adds early. */
  const growth = ([first = 0, second = 0, third = 0]: number[]) =>
    (third - second) / 150 / ((second - first) / 40);

  test('pruned after each turn it is what was said and a little more', { timeout: 60_000 }, async () => {
    const measured = await bytesOverTurns('pruned', 8);
    expect(measured.at(-1)).toBeLessThan(200_000);
    expect(growth(measured)).toBeLessThan(1.2);
  });

  test('with all its history it grows by as much with each turn', { timeout: 60_000 }, async () => {
    const measured = await bytesOverTurns('whole', null);
    expect(measured.at(-1)).toBeLessThan(2_000_000);
    expect(growth(measured)).toBeLessThan(1.2);
  });
});

/** Plans, then answers, as a small assistant does. */
function talkingGraph(checkpointer: RedisSaver) {
  const State = Annotation.Root({
    messages: Annotation<BaseMessage[]>({ reducer: messagesStateReducer, default: () => [] }),
    plan: Annotation<string>,
  });
  return new StateGraph(State)
    .addNode('think', ({ messages }) => ({ plan: `answer ${messages.length}` }))
    .addNode('answer', ({ messages, plan }) => ({
      messages: [
        new AIMessage({ id: `answer ${messages.length}`, content: `${plan}: ${'words '.repeat(20)}` }),
      ],
    }))
    .addEdge(START, 'think')
    .addEdge('think', 'answer')
    .addEdge('answer', END)
    .compile({ checkpointer });
}

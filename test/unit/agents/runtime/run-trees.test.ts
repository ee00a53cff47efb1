import { RunnableLambda } from '@langchain/core/runnables';
import { AsyncLocalStorageProviderSingleton as storage } from '@langchain/core/singletons';
import { LangChainTracer } from '@langchain/core/tracers/tracer_langchain';
import '@langchain/langgraph';
import { expect, it, vi } from 'vitest';
import { shareUntracedRunTree } from '../../../../src/agents/runtime/run-trees.ts';

shareUntracedRunTree();

/** What a runnable finds beside it while it runs. */
const look = RunnableLambda.from(() => {
  const { id, tracingEnabled } = storage.getInstance().getStore();
  return { id, tracingEnabled, thread: storage.getRunnableConfig().configurable.thread };
});

it('runnables that nobody traces share a tree, and each finds its own config', async () => {
  const [one, other] = await Promise.all(
    ['A', 'B'].map((thread) => look.invoke(null, { configurable: { thread } })),
  );
  expect(one).toEqual({ id: expect.any(String), tracingEnabled: false, thread: 'A' });
  expect(other).toEqual({ ...one, thread: 'B' });
});

it('runnables that are traced have a tree each', async () => {
  const sent: (string | undefined)[] = [];
  const tracer = new LangChainTracer();
  vi.spyOn(tracer.client, 'createRun').mockImplementation(async ({ id }) => void sent.push(id));
  vi.spyOn(tracer.client, 'updateRun').mockResolvedValue(undefined);
  const callbacks = [tracer];
  const one = await look.invoke(null, { callbacks, configurable: { thread: 'A' } });
  const other = await look.invoke(null, { callbacks, configurable: { thread: 'B' } });
  expect(one).toEqual({ id: sent[0], tracingEnabled: true, thread: 'A' });
  expect(other).toEqual({ id: sent[1], tracingEnabled: true, thread: 'B' });
  expect(sent[0]).not.toBe(sent[1]);
});

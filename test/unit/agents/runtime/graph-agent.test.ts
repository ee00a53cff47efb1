import { AIMessage } from '@langchain/core/messages';
import { Annotation, END, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { createGraphAgent } from '../../../../src/agents/index.ts';
import type { AgentPorts } from '../../../../src/agents/ports.ts';
import { threads } from '../../../../src/runs/collections.ts';
import { put } from '../../../../src/storage/store.ts';
import { SLACK, startNetwork } from '../../../helpers/network.ts';

const OTHER = 'slack:T1:C1:2.0';

/** A graph of one call: it proposes an event, waits for people, and says what they decided. */
function planner(ports: AgentPorts) {
  const State = Annotation.Root({
    ...MessagesAnnotation.spec,
    plan: Annotation<string | null>({ reducer: (_, next) => next, default: () => null }),
  });
  return createGraphAgent<typeof State.State>(
    (contexts) =>
      new StateGraph(State)
        .addNode('propose', ({ messages }) => ({
          messages: [
            new AIMessage({
              id: `plan:${messages.length}`,
              content: '',
              tool_calls: [{ id: `p${messages.length}`, name: 'create_event', args: { title: 'Planning' } }],
            }),
          ],
        }))
        .addNode('decide', async ({ messages }, config) => {
          const callId = `p${messages.length - 1}`;
          interrupt({ callIds: [callId] });
          const { threadId } = contexts.of(config);
          const [call] = await ports.gate.getCalls(threadId, [callId]);
          return { plan: `the plan is ${call?.state}` };
        })
        .addEdge(START, 'propose')
        .addEdge('propose', 'decide')
        .addEdge('decide', END)
        .compile({ checkpointer: ports.checkpoints.saver }),
    ports,
    { fresh: { plan: null }, finalResponse: ({ plan }) => plan ?? null, lastNode: 'decide' },
  );
}

describe('a second graph beside the assistant', () => {
  it('runs the threads that name it, through the same gate, in one process', async () => {
    const network = startNetwork({ graphs: (ports) => ({ planner: planner(ports) }) });
    network.model.script('I am the assistant.');
    const planned = await network.say('plan my week', { threadId: OTHER, graph: 'planner' });
    expect(planned.state).toBe('running');
    const { digest } = await network.call('p1', OTHER);
    const approve = { callKey: network.keyOf('p1', OTHER), digest, type: 'approve' as const };
    await network.gate.decisions.decide([approve], planned.actor);
    await network.runs.idle();
    expect(await network.item(planned.itemId)).toMatchObject({
      state: 'answered',
      response: 'the plan is succeeded',
    });
    expect((await network.say('hello')).response).toBe('I am the assistant.');
  });

  it('closes a run that was stopped, and takes the next message', async () => {
    const network = startNetwork({ graphs: (ports) => ({ planner: planner(ports) }) });
    const planned = await network.say('plan my week', { threadId: OTHER, graph: 'planner' });
    await network.runs.cancel(OTHER, planned.actor);
    await network.runs.idle();
    expect((await network.item(planned.itemId)).state).toBe('cancelled');
    const next = await network.say('plan it again', { threadId: OTHER });
    expect(next.state).toBe('running');
    const proposed = (await network.messages(OTHER)).filter((it) => it.getType() === 'tool');
    expect(proposed).toHaveLength(1);
  });
});

describe('a thread whose graph this process does not have', () => {
  it('is left as it is, and its person hears so', async () => {
    const network = startNetwork();
    const item = await network.say('plan my week', { threadId: OTHER, graph: 'planner' });
    expect(item.state).toBe('failed');
    expect(item.response).toMatch(
      /^This conversation runs the agent “planner”, which isn't set up here now\./,
    );
    expect((await network.runs.thread(OTHER))?.graph).toBe('planner');
    expect(await network.messages(OTHER)).toEqual([]);
    expect(network.runEvents.at(-1)?.type).toBe('failed');
  });

  it('goes on with its request where a process has the graph', async () => {
    const first = startNetwork({ graphs: (ports) => ({ planner: planner(ports) }) });
    const planned = await first.say('plan my week', { threadId: OTHER, graph: 'planner' });
    await first.runs.stop();
    const second = startNetwork({ path: first.path });
    const { digest } = await second.call('p1', OTHER);
    const approve = { callKey: second.keyOf('p1', OTHER), digest, type: 'approve' as const };
    await second.gate.decisions.decide([approve], planned.actor);
    await second.runs.sweep();
    await second.runs.idle();
    expect((await second.item(planned.itemId)).state).toBe('running');
    const third = startNetwork({ path: first.path, graphs: (ports) => ({ planner: planner(ports) }) });
    await third.runs.sweep();
    await third.runs.idle();
    expect((await third.item(planned.itemId)).response).toBe('the plan is succeeded');
  });
});

it('a thread of a version that had one graph is the assistant’s', async () => {
  const network = startNetwork();
  const { graph: _, ...old } = { threadId: OTHER, surface: SLACK, createdAt: 1, graph: '' };
  const row = put(threads, OTHER, { ...old, graph: 'assistant' });
  await network.store.commit({ put: [{ ...row, json: JSON.stringify(old) }] });
  expect(await network.runs.thread(OTHER)).toEqual({ ...old, graph: 'assistant' });
});

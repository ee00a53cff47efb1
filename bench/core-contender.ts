import { randomUUID } from 'node:crypto';
import { createPlanner } from '../src/agents/index.ts';
import { callKey } from '../src/gate/call/digest.ts';
import type { CallRecord } from '../src/gate/call/record.ts';
import { policySchema } from '../src/gate/policy/schema.ts';
import type { Surface } from '../src/runs/index.ts';
import { AGENT_NAMES, type AgentName } from '../src/runs/ports.ts';
import { carryCheckpoints } from '../src/storage/checkpoints/carry.ts';
import type { RowsSaver } from '../src/storage/checkpoints/row-saver.ts';
import type { Store } from '../src/storage/store.ts';
import type { ToolDefinition } from '../src/tools/ports.ts';
import { createCore } from '../test/helpers/core.ts';
import { type Contender, checkAnswer } from './contender.ts';
import { ANSWER, InstantModel } from './model.ts';
import { ANA, tools as ownTools, RESULT } from './tool.ts';

export interface CoreOptions {
  /** Rules of the policy that none of its calls fits. @default none */
  readonly rules?: readonly object[];
  /** @default the one that it calls */
  readonly tools?: readonly ToolDefinition[];
  /** Which graph answers. @default the assistant */
  readonly graph?: AgentName;
  /** How many calls a turn proposes, which are approved together. @default 1 */
  readonly calls?: number;
}

/** Contends with all of the core: mailbox, lease, gate, journal and graph, on a store and a saver. */
export function coreContender(
  name: string,
  records: Store,
  saver: RowsSaver,
  { rules = [], tools = ownTools, graph = AGENT_NAMES[0], calls = 1 }: CoreOptions = {},
): Contender {
  const { store, checkpoints } = carryCheckpoints(records, saver);
  const policy = policySchema.parse({ rules });
  const asked = new Map<string, PromiseWithResolvers<readonly CallRecord[]>>();
  const answered = new Map<string, PromiseWithResolvers<string | null>>();
  const pending = new Map<string, readonly CallRecord[]>();
  const surface: Surface = {
    kind: 'http',
    newMessage: 'supersede',
    announceGate: () => [],
    announceRun: () => [],
    notifyGate: () => undefined,
    notifyRun(thread, event) {
      if (event.type === 'answered') answered.get(thread.threadId)?.resolve(event.item.response);
      if (event.type !== 'failed') return;
      const failure = new Error(`the run failed: ${event.item.response}`);
      asked.get(thread.threadId)?.reject(failure);
      answered.get(thread.threadId)?.reject(failure);
    },
  };
  const { gate, runs } = createCore({
    store,
    policy,
    send: async () => ({
      kind: 'ended',
      outcome: { status: 'succeeded', content: [{ type: 'text', text: RESULT }], structured: null },
    }),
    agent: {
      models: { main: new InstantModel({ calls, plans: graph === 'planner' }), router: null },
      checkpoints,
      tools: async () => tools,
    },
    graphs: (ports) => ({ planner: createPlanner(ports) }),
    listeners: [
      {
        notify(event) {
          if (event.type === 'opened') asked.get(event.request.threadId)?.resolve(event.calls);
        },
      },
    ],
    surfaces: [surface],
    log: { error: (details, message) => console.error(message, details) },
  });
  runs.start();

  return {
    name,
    async propose(threadId) {
      const question = Promise.withResolvers<readonly CallRecord[]>();
      asked.set(threadId, question);
      await runs.receive({
        threadId,
        graph,
        surface: { kind: 'http', keyName: 'bench', name: threadId },
        itemId: randomUUID(),
        actor: ANA,
        text: 'Put planning into my calendar, tomorrow at nine.',
        at: Date.now(),
      });
      pending.set(threadId, await question.promise);
      asked.delete(threadId);
    },
    async approve(threadId) {
      const answer = Promise.withResolvers<string | null>();
      answered.set(threadId, answer);
      const decisions = (pending.get(threadId) ?? []).map(({ callId, digest }) => ({
        callKey: callKey(threadId, callId),
        digest,
        type: 'approve' as const,
      }));
      await gate.decisions.decide(decisions, ANA);
      checkAnswer(await answer.promise, ANSWER);
      answered.delete(threadId);
    },
    idle: runs.idle,
    close: () => runs.stop(),
  };
}

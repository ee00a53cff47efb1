import { randomUUID } from 'node:crypto';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { createAssistant } from '../src/agents/assistant/index.ts';
import type { ProposedCall } from '../src/gate/call/record.ts';
import { UNTRACED } from '../src/lib/telemetry/tracing.ts';
import type { RunContext, RunInput } from '../src/runs/ports.ts';
import type { RowsSaver } from '../src/storage/checkpoints/row-saver.ts';
import { type Contender, checkAnswer } from './contender.ts';
import { ANSWER, InstantModel } from './model.ts';
import { ANA, recordOf, tools } from './tool.ts';

/**
 * Our graph and a saver alone, the gate's record being a map: the same work as `createAgent` with its
 * middleware. What a saver of ours holds back is written at the end of each run.
 */
export function graphContender(
  name: string,
  saver: BaseCheckpointSaver | RowsSaver,
  close: () => Promise<void> = async () => undefined,
): Contender {
  const records = new Map<string, ReturnType<typeof recordOf>>();
  const known = (threadId: string, callId: string) => {
    const record = records.get(`${threadId} ${callId}`);
    if (!record) throw new Error(`the call ${callId} was not approved`);
    return record;
  };
  const agent = createAssistant({
    summaries: null,
    models: { main: new InstantModel(), router: null },
    tools: {
      offer: async () => ({ tools, instructions: [], down: [] }),
      call: async ({ threadId, call }) => known(threadId, call.callId),
      readKept: null,
      readImage: null,
      shares: { sharing: async () => new Set<string>(), noteWithheld: async () => undefined },
    },
    gate: {
      planApprovals: () => async () => true,
      refusal: () => null,
      getCalls: async (threadId, callIds) => callIds.map((callId) => known(threadId, callId)),
    },
    checkpoints: {
      saver,
      claim: async () => {},
      areCarried: 'send' in saver,
    },
    prompt: { clock: Date.now, timeZone: 'Europe/Berlin', instructions: '' },
    limits: { maxSteps: 25, maxTools: 128, maxCalls: 32, contextTokens: 128_000 },
  });
  const run = async (threadId: string, input: RunInput) => {
    const state = await agent.run(input, contextOf(threadId));
    if ('send' in saver) await (await saver.send(threadId))?.durable;
    return state;
  };
  const waiting = new Map<
    string,
    { readonly interruptId: string; readonly calls: readonly ProposedCall[] }
  >();

  return {
    name,
    async propose(threadId) {
      const itemId = randomUUID();
      const input = {
        kind: 'message',
        itemId,
        text: 'Put planning into my calendar, tomorrow at nine.',
      } as const;
      const interrupt = (await run(threadId, input))?.interrupt;
      if (!interrupt) throw new Error('nothing was asked');
      waiting.set(threadId, interrupt);
    },
    async approve(threadId) {
      const interrupt = waiting.get(threadId);
      if (!interrupt) throw new Error('nothing waits');
      for (const call of interrupt.calls) {
        records.set(`${threadId} ${call.callId}`, recordOf(threadId, call));
      }
      const input = { kind: 'resume', interruptId: interrupt.interruptId } as const;
      checkAnswer((await run(threadId, input))?.response, ANSWER);
      for (const call of interrupt.calls) records.delete(`${threadId} ${call.callId}`);
      waiting.delete(threadId);
    },
    idle: async () => undefined,
    close,
  };
}

export function contextOf(threadId: string): RunContext {
  return {
    threadId,
    runId: threadId,
    requester: ANA,
    fence: { token: 1, expectation: { collection: 'fences', id: threadId, version: 1 } },
    confirmLease: async () => undefined,
    signal: new AbortController().signal,
    emit: () => undefined,
    account: { kind: 'person', owner: 'slack:T1:U1', channel: null },
    tokens: { assertLeft: async () => undefined, spend: () => undefined },
    trace: UNTRACED.of({ id: 'run', traceparent: null }),
    whileWaiting: (wait) => wait(),
  };
}

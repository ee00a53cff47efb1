import { beforeEach, describe, expect, it } from 'vitest';
import { UNTRACED } from '../../../../src/lib/telemetry/tracing.ts';
import type { Agent, AgentState, RunContext } from '../../../../src/runs/ports.ts';
import { cacheAgent } from '../../../../src/runs/run/cached-agent.ts';

const state = (response: string): AgentState => ({
  interrupt: null,
  unfinished: false,
  response,
  read: [],
  plans: [],
  knows: () => true,
});
const context: RunContext = {
  threadId: 't',
  runId: 'r',
  requester: { id: 'slack:T1:U1', name: 'Ana' },
  fence: { token: 1, expectation: { collection: 'fences', id: 't', version: 1 } },
  confirmLease: async () => undefined,
  signal: new AbortController().signal,
  emit: () => undefined,
  account: { kind: 'person', owner: 'slack:T1:U1', channel: null },
  tokens: { assertLeft: async () => undefined, spend: () => undefined },
  trace: UNTRACED.of({ id: 'run', traceparent: null }),
  whileWaiting: (wait) => wait(),
};

describe('a look at the graph, while the lease is held', () => {
  let looks: number;
  let outcome: () => Promise<AgentState | null>;
  let agent: Agent;
  const run = () => agent.run({ kind: 'continue' }, context);
  const responseSeen = async () => (await agent.inspect('t', null, context.fence)).response;

  beforeEach(() => {
    looks = 0;
    outcome = async () => state('from the run');
    const inner: Agent = {
      run: () => outcome(),
      async inspect() {
        looks += 1;
        return state(`look ${looks}`);
      },
      abandon: async () => undefined,
      join: async () => undefined,
      claim: async () => undefined,
    };
    agent = cacheAgent(inner);
  });

  it('is taken once', async () => {
    await responseSeen();
    expect(await responseSeen()).toBe('look 1');
  });

  it('is what the run said after one', async () => {
    await responseSeen();
    await run();
    expect(await responseSeen()).toBe('from the run');
  });

  it('is taken anew after a run that could not say', async () => {
    await responseSeen();
    outcome = async () => null;
    await run();
    expect(await responseSeen()).toBe('look 2');
  });

  it('is taken anew after a run that failed', async () => {
    await responseSeen();
    outcome = () => Promise.reject(new Error('the model is away'));
    await run().catch(() => undefined);
    expect(await responseSeen()).toBe('look 2');
  });

  it('is taken anew after a run was abandoned', async () => {
    await responseSeen();
    await agent.abandon('t', 'given up', context.fence);
    expect(await responseSeen()).toBe('look 2');
  });
});

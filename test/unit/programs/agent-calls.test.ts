import { setMaxListeners } from 'node:events';
import { expect, it, vi } from 'vitest';
import { createGate, createReceipts } from '../../../src/gate/index.ts';
import { compilePolicy } from '../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../src/gate/policy/schema.ts';
import { calls } from '../../../src/gate/store/collections.ts';
import { type CallRecord, recordKey } from '../../../src/gate/types.ts';
import { AgentCalls, CallWaits } from '../../../src/programs/index.ts';
import { openThread } from '../../../src/runs/mailbox.ts';
import { put } from '../../../src/storage/store.ts';
import { auditKeys } from '../../helpers/audit-keys.ts';
import { openGate, refusal } from '../../helpers/gate.ts';
import { UNLIMITED } from '../../helpers/held-calls.ts';
import { ana, THREAD } from '../../helpers/people.ts';

/** A function that a program asks about, while it waits for a decision. */
async function asked({ isStillIn = async () => true, summary = 'v2', waits = new CallWaits() } = {}) {
  const fixture = openGate();
  const { gate, store } = fixture;
  const clock = () => fixture.time.now;
  const agentCalls = new AgentCalls({
    gate,
    store,
    clock,
    waits,
    limits: UNLIMITED,
    ids: () => 'c1',
    receipts: createReceipts({ auditKeys, clock, issuer: () => 'https://countersign.example.com' }),
    runs: { openThread: (thread) => openThread(thread, clock) },
    findPlace: async () => ({ requester: ana, threadId: () => THREAD, surface: { kind: 'test' } }),
    keep: async (_call, outcome) => outcome,
  });
  const caller = {
    program: { id: 'key:env', name: 'Builder' },
    settings: { title: 'Builder', person: ana.id, channel: null, holdMs: 1, tools: [] },
    isStillIn,
  };
  const session = { session: null, agentName: null, agentType: null };
  const input = { ...session, name: 'deploy', summary, timeoutMs: 30_000, traceparent: null };
  const gone = new AbortController();
  const begun = agentCalls.begin(caller, input, gone.signal);
  // Where it can't be waited for, that is said at once.
  begun.catch(() => undefined);
  while (fixture.events.length === 0 || waits.size === 0) await new Promise(setImmediate);
  const call = await fixture.call('c1');
  return {
    ...fixture,
    agentCalls,
    caller,
    begun,
    gone,
    call,
    lookAgain: () => waits.lookAgain(gate.calls.getMany),
  };
}

it('a function that its person approved may run, and has a receipt', async () => {
  const { gate, begun, call, lookAgain } = await asked();
  await gate.decisions.decide([{ callKey: recordKey(call), digest: call.digest, type: 'approve' }], ana);
  await lookAgain();
  expect(await begun).toMatchObject({ refusal: null, receipt: expect.stringMatching(/^eyJ/) });
});

it('arguments of over a million characters are cut, and say by how much', async () => {
  const { call, gone, begun } = await asked({ summary: `${'x'.repeat(1_000_000)}and more` });
  expect(call.arguments).toEqual({ summary: `${'x'.repeat(1_000_000)}… (cut: 8 more characters)` });
  gone.abort();
  await begun;
});

it('a function may not run on an approval that somebody wrote into the store, and gets no receipt', async () => {
  const { store, begun, call, lookAgain } = await asked();
  const decision = { type: 'approve' as const, actor: ana, at: 1_000_000, feedback: null };
  const forged: CallRecord = { ...call, state: 'approved', decision };
  await store.commit({ put: [put(calls, recordKey(call), forged)] });
  await lookAgain();
  expect(await begun).toMatchObject({
    refusal: expect.stringContaining('The audit does not prove'),
    receipt: null,
  });
});

it('the receipt that a function began with is on record with its outcome, which may be reported twice', async () => {
  const { gate, time, begun, call, caller, agentCalls, lookAgain } = await asked();
  await gate.decisions.decide([{ callKey: recordKey(call), digest: call.digest, type: 'approve' }], ana);
  time.now += 2_000;
  await lookAgain();
  const { session, callKey: key, receipt } = await begun;
  const callKey = key ?? '';
  time.now += 60_000;
  const end = { session, callKey, isError: false, summary: 'done', durationMs: null };
  await agentCalls.end(caller, end);
  await agentCalls.end(caller, end);
  expect(receipt).toMatch(/^eyJ/);
  expect(await gate.calls.get(callKey)).toMatchObject({ state: 'succeeded', outcome: { receipt } });
});

it('a function may not run whose program lost its key while it waited', async () => {
  const { gate, begun, call, lookAgain } = await asked({ isStillIn: async () => false });
  await gate.decisions.decide([{ callKey: recordKey(call), digest: call.digest, type: 'approve' }], ana);
  await lookAgain();
  expect(await begun).toMatchObject({ refusal: expect.stringContaining('was revoked'), receipt: null });
});

it('people may decide until a little before the program gives up: it has to hear of it', async () => {
  const { call, gone, begun } = await asked();
  expect(call.program?.waitsUntil).toBe(call.proposedAt + 28_000);
  expect(call.timing?.decideBy).toBe(call.program?.waitsUntil);
  gone.abort();
  expect(await begun).toMatchObject({ refusal: 'Builder withdrew this.' });
});

it('a function that can no longer be waited for is withdrawn, and its program told to ask later', async () => {
  const waits = new CallWaits();
  const ended = new AbortController();
  setMaxListeners(0, ended.signal);
  const bounds = { until: Date.now() + 60_000, signal: ended.signal };
  const isDone = () => false;
  // Asked for at once, and admitted, before the first of them waited.
  for (let at = 0; at < 9_999; at += 1)
    void waits.wait({ key: `k${at}`, program: 'key:env', isDone }, bounds, 0);
  waits.admit('key:env');
  for (let at = 0; at < 1_001; at += 1)
    void waits.wait({ key: `m${at}`, program: 'key:env', isDone }, bounds, 0);
  vi.spyOn(waits, 'admit').mockReturnValue();
  const { begun, gate, call } = await asked({ waits });
  await expect(begun).rejects.toMatchObject({ code: 'too_many_wait' });
  ended.abort();
  expect((await gate.calls.get(recordKey(call)))?.state).toBe('cancelled');
});

it('no click frees a function that the policy of the process that takes it denies by then', async () => {
  const { gate, ports, time, begun, call, lookAgain } = await asked();
  const rules = [{ tools: 'agent.agent_deploy', action: 'deny', reason: 'Nothing is deployed.' }];
  const stricter = createGate({ ...ports, evaluate: compilePolicy(policySchema.parse({ rules })) });
  const key = recordKey(call);
  const { digest } = call;
  const terms = { fixed: [], scope: 'requester', until: time.now + 60_000, limit: 1 } as const;
  async function clickInVain(why: string) {
    const approve = { callKey: key, digest, type: 'approve' } as const;
    for (const click of [approve, { ...approve, instruction: 'Tell Bob' }, approve]) {
      expect(await refusal(stricter.decisions.decide([click], ana))).toContain(why);
    }
    expect(await refusal(stricter.grants.approveAndIssue(key, ana, { digest, terms }))).toContain(why);
    await lookAgain();
  }
  let isAnswered = false;
  const answered = begun.finally(() => {
    isAnswered = true;
  });

  await clickInVain('denied_by_policy');
  expect(await gate.calls.get(key)).toMatchObject({ state: 'pending', decision: null });
  expect(isAnswered).toBe(false);
  expect(await stricter.requests.endForbidden()).toBe(1);
  await clickInVain('already_decided');
  expect(await answered).toMatchObject({
    refusal: expect.stringContaining('Nothing is deployed.'),
    receipt: null,
  });
  expect(await gate.calls.get(key)).toMatchObject({ state: 'denied', decision: null });
});

import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import type { Outcome } from '../../../../src/gate/call/outcome.ts';
import type { ToolSnapshot } from '../../../../src/gate/call/record.ts';
import { workerThreads } from '../../../../src/gate/index.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { entriesOf, problemsOf } from '../../../helpers/audit.ts';
import { beginning, type OpenGate, openGate, opening, proposed, THREAD } from '../../../helpers/gate.ts';
import { ana, bob } from '../../../helpers/house.ts';

const program = { id: 'api:builder', name: 'builder' };
const KEY = callKey(THREAD, 'c1');
const DONE: Outcome = { status: 'succeeded', content: [{ type: 'text', text: 'made' }], structured: null };
const LOST: Outcome = { status: 'in_doubt', message: 'The connection was lost.' };
const FAILED: Outcome = { status: 'failed', message: 'no such calendar', content: [] };

function open(): OpenGate {
  const house = openGate();
  onTestFinished(() => house.close());
  return house;
}

function proposal(callId = 'c1', ...of: readonly [tool?: Partial<ToolSnapshot>, args?: JsonObject]) {
  return { threadId: THREAD, runId: 'r1', requester: ana, call: proposed(callId, ...of) };
}

async function approved(house: OpenGate): Promise<void> {
  const { digest } = await house.gate.requests.propose(proposal());
  await house.gate.decisions.decide([{ callKey: KEY, digest, type: 'approve' }], ana);
}

test('an external call waits in a request of its own, and people are told of it', async () => {
  const house = open();
  const call = await house.gate.requests.propose(proposal());
  expect(call).toMatchObject({ state: 'pending', executor: 'external' });
  const request = await house.gate.requests.get(call.requestId ?? '');
  expect(request).toMatchObject({ state: 'open', executor: 'external', interruptId: null, callIds: ['c1'] });
  expect(house.events).toMatchObject([{ type: 'opened', calls: [{ callId: 'c1' }] }]);
  expect((await house.gate.calls.inbox(ana.id, 10)).calls).toMatchObject([{ callId: 'c1' }]);
});

test('a call that the policy allows may run at once, and nobody is told', async () => {
  const house = open();
  const call = await house.gate.requests.propose(proposal('c1', { name: 'list_events' }));
  expect(call).toMatchObject({ state: 'allowed', requestId: null });
  expect(house.events).toEqual([]);
  expect(await house.gate.journal.report(KEY, program, DONE)).toMatchObject({ state: 'succeeded' });
});

test('a call that the policy denies is denied', async () => {
  const house = open();
  expect(await house.gate.requests.propose(proposal('c1', { name: 'drop_calendar' }))).toMatchObject({
    state: 'denied',
    executor: 'external',
  });
});

test('proposed once more, a call comes back as it stands', async () => {
  const house = open();
  await approved(house);
  expect(await house.gate.requests.propose(proposal())).toMatchObject({ state: 'approved' });
  expect(house.events.filter(({ type }) => type === 'opened')).toHaveLength(1);
});

test('another call under the same id is refused', async () => {
  const house = open();
  await house.gate.requests.propose(proposal());
  const other = proposal('c1', {}, { title: 'Lunch' });
  await expect(house.gate.requests.propose(other)).rejects.toMatchObject({ refusal: 'changed' });
});

test('a worker’s call cannot be proposed again as an external one', async () => {
  const house = open();
  await house.gate.requests.open(opening(await house.fence(), proposed('c1')));
  await expect(house.gate.requests.propose(proposal())).rejects.toMatchObject({ refusal: 'changed' });
  await expect(house.gate.journal.report(KEY, program, DONE)).rejects.toMatchObject({
    refusal: 'not_applicable',
  });
});

test('a report ends the call and closes its request, and the audit has it', async () => {
  const house = open();
  await approved(house);
  expect(await house.gate.journal.report(KEY, program, DONE)).toMatchObject({
    state: 'succeeded',
    attempt: 1,
    outcome: DONE,
  });
  const { requestId } = await house.call('c1');
  expect(await house.gate.requests.get(requestId ?? '')).toMatchObject({ state: 'closed' });
  expect(house.events.at(-1)).toMatchObject({ type: 'ended', call: { callId: 'c1' } });
  expect(await problemsOf(house.store)).toEqual([]);
});

test('the first report stands: the same one changes nothing, another one is refused', async () => {
  const house = open();
  await approved(house);
  await house.gate.journal.report(KEY, program, FAILED);
  const told = house.events.length;
  expect(await house.gate.journal.report(KEY, program, FAILED)).toMatchObject({ state: 'failed' });
  await expect(house.gate.journal.report(KEY, program, DONE)).rejects.toMatchObject({
    refusal: 'already_decided',
  });
  expect(house.events).toHaveLength(told);
  expect(await house.call('c1')).toMatchObject({ state: 'failed', outcome: FAILED });
});

test.each(['pending', 'rejected', 'expired'] as const)(
  'a report on a call that is %s is refused',
  async (state) => {
    const house = open();
    const { digest } = await house.gate.requests.propose(proposal());
    if (state === 'rejected') {
      const rejection = { callKey: KEY, digest, type: 'reject', feedback: 'not now' } as const;
      await house.gate.decisions.decide([rejection], ana);
    }
    if (state === 'expired') {
      house.time.now += 60_001;
      await house.gate.requests.expire();
    }
    expect((await house.call('c1')).state).toBe(state);
    await expect(house.gate.journal.report(KEY, program, DONE)).rejects.toMatchObject({
      refusal: 'not_allowed',
    });
  },
);

test.each(['reject', 'ignore', 'withdraw'] as const)('%s closes the request with the call', async (type) => {
  const house = open();
  const { digest, requestId } = await house.gate.requests.propose(proposal());
  await house.gate.decisions.decide([{ callKey: KEY, digest, type, feedback: 'not now' }], ana);
  expect(await house.gate.requests.get(requestId ?? '')).toMatchObject({ state: 'closed' });
  expect(await problemsOf(house.store)).toEqual([]);
});

test('an expired call closes its request', async () => {
  const house = open();
  const { requestId } = await house.gate.requests.propose(proposal());
  house.time.now += 60_001;
  expect(await house.gate.requests.expire()).toBe(1);
  expect(await house.gate.requests.get(requestId ?? '')).toMatchObject({ state: 'closed' });
});

test('a program that does not know what happened leaves a doubt, which a person settles', async () => {
  const house = open();
  await approved(house);
  await house.gate.journal.report(KEY, program, LOST);
  const { digest, requestId } = await house.call('c1');
  expect(await house.gate.requests.get(requestId ?? '')).toMatchObject({ state: 'open' });
  await house.gate.decisions.settleDoubt(KEY, ana, { digest, word: 'happened' });
  expect(await house.call('c1')).toMatchObject({ state: 'succeeded' });
  expect(await house.gate.requests.get(requestId ?? '')).toMatchObject({ state: 'closed' });
});

test('after a doubt that is asked again, the next report counts', async () => {
  const house = open();
  await approved(house);
  await house.gate.journal.report(KEY, program, LOST);
  const { digest } = await house.call('c1');
  await house.gate.decisions.settleDoubt(KEY, ana, { digest, word: 'ask_again' });
  await house.gate.decisions.decide([{ callKey: KEY, digest, type: 'approve' }], ana);
  expect(await house.gate.journal.report(KEY, program, DONE)).toMatchObject({
    state: 'succeeded',
    attempt: 2,
  });
});

test('a refused report is in the audit', async () => {
  const house = open();
  await house.gate.requests.propose(proposal());
  await expect(house.gate.journal.report(KEY, program, DONE)).rejects.toThrow('must not run');
  expect((await entriesOf(house.store)).at(-1)).toMatchObject({
    what: 'refused',
    actor: program,
    callId: 'c1',
    details: { attempt: 'report', code: 'not_allowed' },
  });
});

test('giving up a run of the same thread leaves an external call alone', async () => {
  const house = open();
  await approved(house);
  await house.gate.journal.abandon(THREAD, { actor: bob, fence: await house.fence() });
  expect(await house.call('c1')).toMatchObject({ state: 'approved' });
});

const step = fc.constantFrom(
  'approve',
  'edit',
  'reject',
  'withdraw',
  'report',
  'lost',
  'failed',
  'ask_again',
  'happened',
  'later',
  'expire',
  'escalate',
  'abandon',
  'begin',
);

test('whatever happens to an external call, no worker finds, wakes for or dispatches it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const house = openGate();
      try {
        const { gate } = house;
        const fence = await house.fence();
        await gate.requests.propose(proposal());
        for (const act of steps) {
          const { digest, state } = await house.call('c1');
          const decision = { callKey: KEY, digest, feedback: 'so it is', arguments: { title: 'Lunch' } };
          const acts: Record<typeof act, () => Promise<unknown>> = {
            approve: () => gate.decisions.decide([{ ...decision, type: 'approve' }], ana),
            edit: () => gate.decisions.decide([{ ...decision, type: 'edit' }], ana),
            reject: () => gate.decisions.decide([{ ...decision, type: 'reject' }], ana),
            withdraw: () => gate.decisions.withdraw(KEY, ana, { digest }),
            report: () => gate.journal.report(KEY, program, DONE),
            lost: () => gate.journal.report(KEY, program, LOST),
            failed: () => gate.journal.report(KEY, program, FAILED),
            ask_again: () => gate.decisions.settleDoubt(KEY, ana, { digest, word: 'ask_again' }),
            happened: () => gate.decisions.settleDoubt(KEY, ana, { digest, word: 'happened' }),
            later: async () => {
              house.time.now += 25_000;
            },
            expire: () => gate.requests.expire(),
            escalate: () => gate.requests.escalate(),
            abandon: () => gate.journal.abandon(THREAD, { actor: bob, fence }),
            begin: async () => {
              const { kind } = await gate.journal.begin(beginning(fence, proposed('c1')));
              expect(kind).not.toBe('ready');
              expect((await house.call('c1')).state).toBe(state);
            },
          };
          // What cannot be done to it as it stands is refused.
          await acts[act]().catch((error: unknown) => {
            if (!(error instanceof Error && 'refusal' in error)) throw error;
          });
          expect(await gate.requests.openIn(THREAD)).toBeNull();
          expect(await gate.calls.unfinishedIn(THREAD, 10)).toEqual([]);
          expect(await gate.calls.unfinishedThreads()).toEqual(new Set());
          expect((await house.call('c1')).state).not.toBe('executing');
        }
        expect(house.events.flatMap(workerThreads)).toEqual([]);
        expect(await problemsOf(house.store)).toEqual([]);
      } finally {
        await house.close();
      }
    }),
    { numRuns: 40 },
  );
});

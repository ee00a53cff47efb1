import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { eventThreads } from '../../../../src/gate/call/events.ts';
import type { Outcome } from '../../../../src/gate/call/outcome.ts';
import type { ToolSnapshot } from '../../../../src/gate/call/record.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { entriesOf, problemsOf } from '../../../helpers/audit.ts';
import { beginning, type OpenGate, openGate, opening, proposed } from '../../../helpers/gate.ts';
import { ana, bob, THREAD } from '../../../helpers/people.ts';

const program = { id: 'api:builder', name: 'builder' };
const KEY = callKey(THREAD, 'c1');
const DONE: Outcome = { status: 'succeeded', content: [{ type: 'text', text: 'made' }], structured: null };
const LOST: Outcome = { status: 'in_doubt', message: 'The connection was lost.' };
const FAILED: Outcome = { status: 'failed', message: 'no such calendar', content: [] };

function proposal(callId = 'c1', ...of: readonly [tool?: Partial<ToolSnapshot>, args?: JsonObject]) {
  const call = proposed(callId, ...of);
  return { threadId: THREAD, runId: 'r1', requester: ana, call, runBy: 'program' } as const;
}

async function approved(fixture: OpenGate): Promise<void> {
  const { digest } = await fixture.gate.requests.propose(proposal());
  await fixture.gate.decisions.decide([{ callKey: KEY, digest, type: 'approve' }], ana);
}

test('an external call waits in a request of its own, and people are told of it', async () => {
  const fixture = openGate();
  const call = await fixture.gate.requests.propose(proposal());
  expect(call).toMatchObject({ state: 'pending', executor: 'external' });
  const request = await fixture.gate.requests.get(call.requestId ?? '');
  expect(request).toMatchObject({ state: 'open', executor: 'external', interruptId: null, callIds: ['c1'] });
  expect(fixture.events).toMatchObject([{ type: 'opened', calls: [{ callId: 'c1' }] }]);
  expect((await fixture.gate.calls.inbox(ana.id, 10)).calls).toMatchObject([{ callId: 'c1' }]);
});

test('a call that the policy allows may run at once, and nobody is told', async () => {
  const fixture = openGate();
  const call = await fixture.gate.requests.propose(proposal('c1', { name: 'list_events' }));
  expect(call).toMatchObject({ state: 'allowed', requestId: null });
  expect(fixture.events).toEqual([]);
  expect(await fixture.gate.journal.report(KEY, program, DONE)).toMatchObject({ state: 'succeeded' });
});

test('a call that the policy denies is denied', async () => {
  const fixture = openGate();
  expect(await fixture.gate.requests.propose(proposal('c1', { name: 'drop_calendar' }))).toMatchObject({
    state: 'denied',
    executor: 'external',
  });
});

test('proposed once more, a call comes back as it stands', async () => {
  const fixture = openGate();
  await approved(fixture);
  expect(await fixture.gate.requests.propose(proposal())).toMatchObject({ state: 'approved' });
  expect(fixture.events.filter(({ type }) => type === 'opened')).toHaveLength(1);
});

test('another call under the same id is refused', async () => {
  const fixture = openGate();
  await fixture.gate.requests.propose(proposal());
  const other = proposal('c1', {}, { title: 'Lunch' });
  await expect(fixture.gate.requests.propose(other)).rejects.toMatchObject({ refusal: 'changed' });
});

test('a worker’s call cannot be proposed again as an external one', async () => {
  const fixture = openGate();
  await fixture.gate.requests.open(opening(await fixture.fence(), proposed('c1')));
  await expect(fixture.gate.requests.propose(proposal())).rejects.toMatchObject({ refusal: 'changed' });
  await expect(fixture.gate.journal.report(KEY, program, DONE)).rejects.toMatchObject({
    refusal: 'not_applicable',
  });
});

test('a report ends the call and closes its request, and the audit has it', async () => {
  const fixture = openGate();
  await approved(fixture);
  expect(await fixture.gate.journal.report(KEY, program, DONE)).toMatchObject({
    state: 'succeeded',
    attempt: 1,
    outcome: DONE,
  });
  const { requestId } = await fixture.call('c1');
  expect(await fixture.gate.requests.get(requestId ?? '')).toMatchObject({ state: 'closed' });
  expect(fixture.events.at(-1)).toMatchObject({ type: 'ended', call: { callId: 'c1' } });
  expect(await problemsOf(fixture.store)).toEqual([]);
});

test('the first report stands: the same one changes nothing, another one is refused', async () => {
  const fixture = openGate();
  await approved(fixture);
  await fixture.gate.journal.report(KEY, program, FAILED);
  const told = fixture.events.length;
  expect(await fixture.gate.journal.report(KEY, program, FAILED)).toMatchObject({ state: 'failed' });
  await expect(fixture.gate.journal.report(KEY, program, DONE)).rejects.toMatchObject({
    refusal: 'already_decided',
  });
  expect(fixture.events).toHaveLength(told);
  expect(await fixture.call('c1')).toMatchObject({ state: 'failed', outcome: FAILED });
});

test.each(['pending', 'rejected', 'expired'] as const)(
  'a report on a call that is %s is refused',
  async (state) => {
    const fixture = openGate();
    const { digest } = await fixture.gate.requests.propose(proposal());
    if (state === 'rejected') {
      const rejection = { callKey: KEY, digest, type: 'reject', feedback: 'not now' } as const;
      await fixture.gate.decisions.decide([rejection], ana);
    }
    if (state === 'expired') {
      fixture.time.now += 60_001;
      await fixture.gate.requests.expire();
    }
    expect((await fixture.call('c1')).state).toBe(state);
    await expect(fixture.gate.journal.report(KEY, program, DONE)).rejects.toMatchObject({
      refusal: 'not_allowed',
    });
  },
);

test.each(['reject', 'ignore', 'withdraw'] as const)('%s closes the request with the call', async (type) => {
  const fixture = openGate();
  const { digest, requestId } = await fixture.gate.requests.propose(proposal());
  await fixture.gate.decisions.decide([{ callKey: KEY, digest, type, feedback: 'not now' }], ana);
  expect(await fixture.gate.requests.get(requestId ?? '')).toMatchObject({ state: 'closed' });
  expect(await problemsOf(fixture.store)).toEqual([]);
});

test('an expired call closes its request', async () => {
  const fixture = openGate();
  const { requestId } = await fixture.gate.requests.propose(proposal());
  fixture.time.now += 60_001;
  expect(await fixture.gate.requests.expire()).toBe(1);
  expect(await fixture.gate.requests.get(requestId ?? '')).toMatchObject({ state: 'closed' });
});

test('a program that does not know what happened leaves a doubt, which a person settles', async () => {
  const fixture = openGate();
  await approved(fixture);
  await fixture.gate.journal.report(KEY, program, LOST);
  const { digest, requestId } = await fixture.call('c1');
  expect(await fixture.gate.requests.get(requestId ?? '')).toMatchObject({ state: 'open' });
  await fixture.gate.decisions.settleDoubt(KEY, ana, { digest, answer: 'happened' });
  expect(await fixture.call('c1')).toMatchObject({ state: 'succeeded' });
  expect(await fixture.gate.requests.get(requestId ?? '')).toMatchObject({ state: 'closed' });
});

test('after a doubt that is asked again, the next report counts', async () => {
  const fixture = openGate();
  await approved(fixture);
  await fixture.gate.journal.report(KEY, program, LOST);
  const { digest } = await fixture.call('c1');
  await fixture.gate.decisions.settleDoubt(KEY, ana, { digest, answer: 'ask_again' });
  await fixture.gate.decisions.decide([{ callKey: KEY, digest, type: 'approve' }], ana);
  expect(await fixture.gate.journal.report(KEY, program, DONE)).toMatchObject({
    state: 'succeeded',
    attempt: 2,
  });
});

test('a refused report is in the audit', async () => {
  const fixture = openGate();
  await fixture.gate.requests.propose(proposal());
  await expect(fixture.gate.journal.report(KEY, program, DONE)).rejects.toThrow('must not run');
  expect((await entriesOf(fixture.store)).at(-1)).toMatchObject({
    what: 'refused',
    actor: program,
    callId: 'c1',
    details: { attempt: 'report', code: 'not_allowed' },
  });
});

test('giving up a run of the same thread leaves an external call alone', async () => {
  const fixture = openGate();
  await approved(fixture);
  await fixture.gate.journal.abandon(THREAD, { actor: bob, fence: await fixture.fence() });
  expect(await fixture.call('c1')).toMatchObject({ state: 'approved' });
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
      const fixture = openGate();
      const { gate } = fixture;
      const fence = await fixture.fence();
      await gate.requests.propose(proposal());
      for (const act of steps) {
        const { digest, state } = await fixture.call('c1');
        const decision = { callKey: KEY, digest, feedback: 'so it is', arguments: { title: 'Lunch' } };
        const acts: Record<typeof act, () => Promise<unknown>> = {
          approve: () => gate.decisions.decide([{ ...decision, type: 'approve' }], ana),
          edit: () => gate.decisions.decide([{ ...decision, type: 'edit' }], ana),
          reject: () => gate.decisions.decide([{ ...decision, type: 'reject' }], ana),
          withdraw: () => gate.decisions.withdraw(KEY, ana, { digest }),
          report: () => gate.journal.report(KEY, program, DONE),
          lost: () => gate.journal.report(KEY, program, LOST),
          failed: () => gate.journal.report(KEY, program, FAILED),
          ask_again: () => gate.decisions.settleDoubt(KEY, ana, { digest, answer: 'ask_again' }),
          happened: () => gate.decisions.settleDoubt(KEY, ana, { digest, answer: 'happened' }),
          later: async () => {
            fixture.time.now += 25_000;
          },
          expire: () => gate.requests.expire(),
          escalate: () => gate.requests.escalate(),
          abandon: () => gate.journal.abandon(THREAD, { actor: bob, fence }),
          begin: async () => {
            const { kind } = await gate.journal.begin(beginning(fence, proposed('c1')));
            expect(kind).not.toBe('ready');
            expect((await fixture.call('c1')).state).toBe(state);
          },
        };
        // What cannot be done to it as it stands is refused.
        await acts[act]().catch((error: unknown) => {
          if (!(error instanceof Error && 'refusal' in error)) throw error;
        });
        expect(await gate.requests.openIn(THREAD)).toBeNull();
        expect(await gate.calls.unfinishedIn(THREAD, 10)).toEqual([]);
        expect(await gate.calls.unfinishedThreads()).toEqual(new Set());
        expect((await fixture.call('c1')).state).not.toBe('executing');
      }
      expect(fixture.events.flatMap((event) => eventThreads(event).ofWorkers)).toEqual([]);
      expect(await problemsOf(fixture.store)).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

test('what a program waits for can’t be decided once it waits no longer', async () => {
  const fixture = openGate();
  const waitsUntil = fixture.ports.clock() + 5_000;
  const { digest } = await fixture.gate.requests.propose({
    ...proposal(),
    program: { id: 'key:builder', name: 'Builder', session: 's1', waitsUntil },
  });
  fixture.time.now += 5_001;
  await expect(
    fixture.gate.decisions.decide([{ callKey: KEY, digest, type: 'approve' }], ana),
  ).rejects.toMatchObject({ refusal: 'expired' });
  expect(await fixture.gate.calls.get(KEY)).toMatchObject({ state: 'expired' });
});

test('a program’s own arguments can’t be changed', async () => {
  const fixture = openGate();
  const { digest } = await fixture.gate.requests.propose(proposal());
  const edit = { callKey: KEY, digest, type: 'edit', arguments: { title: 'Lunch' } } as const;
  await expect(fixture.gate.decisions.decide([edit], ana)).rejects.toMatchObject({
    refusal: 'not_applicable',
  });
});

test('a worker finds what a program proposes and the policy allows, in a request of its own', async () => {
  const fixture = openGate();
  const call = await fixture.gate.requests.propose({
    ...proposal('c1', { name: 'list_events' }),
    runBy: 'worker',
  });
  expect(call).toMatchObject({ state: 'allowed' });
  expect(await fixture.gate.requests.openIn(THREAD)).toMatchObject({ callIds: ['c1'], interruptId: null });
  const begun = await fixture.gate.journal.begin(
    beginning(await fixture.fence(), proposed('c1', { name: 'list_events' })),
  );
  expect(begun).toMatchObject({ kind: 'ready' });
  await fixture.gate.journal.finish(begun.call, DONE);
  expect(await fixture.gate.requests.openIn(THREAD)).toBeNull();
});

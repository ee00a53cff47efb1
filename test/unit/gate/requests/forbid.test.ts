import { expect, test } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { createGate } from '../../../../src/gate/index.ts';
import { compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import { entriesOf, problemsOf } from '../../../helpers/audit.ts';
import { beginning, type OpenGate, openGate, opening, proposed, refusal } from '../../../helpers/gate.ts';
import { ana, THREAD } from '../../../helpers/people.ts';

const KEY = callKey(THREAD, 'c1');
const builder = { id: 'key:builder', name: 'Builder', session: 's1' };
const REVOKED = 'The key of Builder was revoked.';

/** A gate with a call that a program has made, and how to revoke its key. */
async function openWithProgram(runBy: 'worker' | 'program' = 'worker') {
  const revoked = new Set<string>();
  const programs = { refusal: async ({ id }: { id: string }) => (revoked.has(id) ? REVOKED : null) };
  const fixture = openGate({ programs, isIdempotent: () => true });
  const call = await fixture.gate.requests.propose({
    threadId: THREAD,
    runId: 'r1',
    requester: ana,
    program: builder,
    call: proposed('c1'),
    runBy,
  });
  return { ...fixture, call, revoked, revoke: () => revoked.add(builder.id) };
}

/** The gate on the same record as after a restart with these rules. */
function restarted({ ports }: OpenGate, ...rules: readonly object[]) {
  return createGate({ ...ports, evaluate: compilePolicy(policySchema.parse({ rules })) });
}

test('an approval and an edit of a call are refused once the key of its program was revoked', async () => {
  const { gate, call, revoke } = await openWithProgram();
  revoke();
  const why = `denied_by_policy: ${REVOKED} Nothing was done.`;
  const { digest } = call;
  expect(await refusal(gate.decisions.decide([{ callKey: KEY, digest, type: 'approve' }], ana))).toBe(why);
  const edit = { callKey: KEY, digest, type: 'edit', arguments: { title: 'Lunch' } } as const;
  expect(await refusal(gate.decisions.decide([edit], ana))).toBe(why);
  const terms = { fixed: [], scope: 'requester', until: 2_000_000, limit: 1 } as const;
  expect(await refusal(gate.grants.approveAndIssue(KEY, ana, { digest, terms }))).toBe(why);
  expect(await gate.decisions.mayApprove(KEY, ana, { digest })).toBe(false);
});

test('a call that was approved before the key of its program was revoked is not sent', async () => {
  const { gate, call, revoke, fence, events } = await openWithProgram();
  await gate.decisions.decide([{ callKey: KEY, digest: call.digest, type: 'approve' }], ana);
  revoke();
  const begun = await gate.journal.begin(beginning(await fence(), proposed('c1')));
  expect(begun).toMatchObject({ kind: 'ended', call: { state: 'denied', verdict: { reason: REVOKED } } });
  expect(events.at(-1)).toMatchObject({ type: 'ended' });
});

test('a call is not sent once more after the key of its program was revoked', async () => {
  const { gate, call, revoke, revoked, fence } = await openWithProgram();
  await gate.decisions.decide([{ callKey: KEY, digest: call.digest, type: 'approve' }], ana);
  const held = await fence();
  const begun = await gate.journal.begin(beginning(held, proposed('c1')));
  revoke();
  expect(await gate.journal.retry(begun.call, { fence: held })).toBeNull();
  revoked.clear();
  expect(await gate.journal.retry(begun.call, { fence: held })).toMatchObject({ attempt: 2 });
});

test.each(['worker', 'program'] as const)(
  'what waits and may not run any more ends, is told of, and closes its request (run by a %s)',
  async (runBy) => {
    const { gate, call, revoke, events, store } = await openWithProgram(runBy);
    expect(await gate.requests.endForbidden()).toBe(0);
    revoke();
    expect(await gate.requests.endForbidden()).toBe(1);
    expect(await gate.calls.get(KEY)).toMatchObject({
      state: 'denied',
      verdict: { rule: 'programs', reason: REVOKED },
      endedAt: expect.any(Number),
    });
    expect(events.at(-1)).toMatchObject({
      type: 'decided',
      closed: [call.requestId],
      calls: [{ callId: 'c1' }],
    });
    expect((await entriesOf(store, THREAD)).map(({ what }) => what)).toEqual(['asked', 'denied', 'closed']);
    expect(await problemsOf(store)).toEqual([]);
    expect(await gate.requests.endForbidden()).toBe(0);
  },
);

test('what a stricter policy denies ends after a restart, and the rest of its request still waits', async () => {
  const fixture = openGate();
  const calls = [proposed('c1'), proposed('c2', { name: 'move_event' })];
  const { requestId } = await fixture.gate.requests.open(opening(await fixture.fence(), ...calls));
  const gate = restarted(fixture, { name: 'no more', tools: '*.create_*', action: 'deny' });
  expect(await gate.requests.endForbidden()).toBe(1);
  expect(await fixture.call('c1')).toMatchObject({ state: 'denied', verdict: { rule: 'no more' } });
  expect(await fixture.call('c2')).toMatchObject({ state: 'pending' });
  expect(await gate.requests.get(requestId)).toMatchObject({ state: 'open' });
});

test('what may have happened is not ended: a person says whether it did', async () => {
  const { gate, call, revoke, fence } = await openWithProgram();
  await gate.decisions.decide([{ callKey: KEY, digest: call.digest, type: 'approve' }], ana);
  const begun = await gate.journal.begin(beginning(await fence(), proposed('c1')));
  await gate.journal.finish(begun.call, { status: 'in_doubt', message: 'The connection was lost.' });
  revoke();
  expect(await gate.requests.endForbidden()).toBe(0);
  expect(await gate.calls.get(KEY)).toMatchObject({ state: 'in_doubt', endedAt: null });
  // Asked about once more, it stays unclear.
  await gate.decisions.settleDoubt(KEY, ana, { digest: call.digest, answer: 'ask_again' });
  expect(await gate.requests.endForbidden()).toBe(1);
  expect(await gate.calls.get(KEY)).toMatchObject({ state: 'in_doubt', endedAt: expect.any(Number) });
});

test('a question to a person is under no policy, and waits on', async () => {
  const fixture = openGate();
  const ask = { ...proposed('c1', { server: 'countersign', name: 'ask_user' }), kind: 'question' } as const;
  await fixture.gate.requests.open(opening(await fixture.fence(), ask));
  expect(await restarted(fixture, { tools: '*', action: 'deny' }).requests.endForbidden()).toBe(0);
});

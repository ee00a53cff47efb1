import { expect, test } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import type { Retry } from '../../../../src/gate/requests/retry.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { entriesOf, problemsOf } from '../../../helpers/audit.ts';
import { failure, success } from '../../../helpers/fake-hub.ts';
import { beginning, openGate, opening, proposed, refusal } from '../../../helpers/gate.ts';
import { ana, bob, carol, THREAD } from '../../../helpers/people.ts';

const [KEY, BESIDE] = [callKey(THREAD, 'c1'), callKey(THREAD, 'c2')];

/** A request of two calls, of which the first was approved, sent, and failed. */
async function openFailed({
  after = [],
  options = {},
}: {
  readonly after?: readonly string[];
  readonly options?: Parameters<typeof openGate>[0];
} = {}) {
  const fixture = openGate(options);
  const { gate } = fixture;
  const fence = await fixture.fence();
  const calls = [
    proposed('c1'),
    { ...proposed('c2'), ...(after.length > 0 && { after, needs: [] }) },
  ] as const;
  const plan = after.length > 0 ? { title: 'Both', later: [] } : null;
  const first = { ...calls[0], ...(plan && { after: [] }) };
  const request = await gate.requests.open({ ...opening(fence, first, calls[1]), plan });
  const send = async (callId: 'c1' | 'c2', outcome: ReturnType<typeof failure>) => {
    const { digest } = await fixture.call(callId);
    const callKeyOf = callId === 'c1' ? KEY : BESIDE;
    await gate.decisions.decide([{ callKey: callKeyOf, digest, type: 'approve' }], ana);
    const begun = await gate.journal.begin(beginning(fence, callId === 'c1' ? calls[0] : calls[1]));
    await gate.journal.finish(begun.call, outcome);
  };
  await send('c1', failure('no such calendar'));
  const { digest } = await fixture.call('c1');
  const retry = (args?: JsonObject, by: Partial<Retry> = {}) =>
    gate.requests.retry({ key: KEY, actor: ana, digest, ...(args && { arguments: args }), ...by });
  return { ...fixture, fence, request, send, retry };
}

test('a failed call is asked about again while its run waits for another, and its end is what then comes of it', async () => {
  const { retry, call, send, gate, store, request } = await openFailed();
  await retry();
  expect(await call('c1')).toMatchObject({
    ...{ state: 'pending', decision: null, outcome: null, endedAt: null, requester: ana },
    askedAgain: 'It failed, and Ana wants it tried again.',
  });
  await send('c2', success('made'));
  expect(await gate.requests.get(request.requestId)).toMatchObject({ state: 'open' });
  await send('c1', success('made'));
  expect(await call('c1')).toMatchObject({ state: 'succeeded', attempt: 2 });
  const asked = (await entriesOf(store, THREAD)).filter(
    ({ what, callId }) => what === 'asked' && callId === 'c1',
  );
  expect(asked.map(({ actor }) => actor.id)).toEqual([ana.id, ana.id]);
  expect(await problemsOf(store)).toEqual([]);
});

test('with other arguments, they are asked about, and whoever changed them is on record', async () => {
  const { retry, call } = await openFailed();
  await retry({ title: 'Lunch' });
  expect(await call('c1')).toMatchObject({
    ...{ state: 'pending', arguments: { title: 'Lunch' }, proposedArguments: { title: 'Standup' } },
    edits: [{ by: ana }],
    askedAgain: 'It failed. Ana changed it, and wants it tried again.',
  });
});

test('with arguments that do not fit, or asked for twice, it is refused', async () => {
  const { retry, call } = await openFailed();
  expect(await refusal(retry({ title: 1 }))).toContain('invalid_arguments');
  expect(await call('c1')).toMatchObject({ state: 'failed' });
  await retry();
  expect(await refusal(retry())).toContain('asked for already');
});

test('once the run waits no longer, it is none of its request', async () => {
  const { retry, call, send, gate, request, fence } = await openFailed();
  await send('c2', success('made'));
  await gate.requests.close(request.requestId, fence);
  expect(await retry()).toBeNull();
  expect(await call('c1')).toMatchObject({ state: 'failed' });
});

test('of a request that closes at that moment, one of both happens', async () => {
  const { retry, call, send, gate, request, fence } = await openFailed();
  await send('c2', success('made'));
  const [again] = await Promise.all([retry(), gate.requests.close(request.requestId, fence)]);
  const isOpen = (await gate.requests.get(request.requestId))?.state === 'open';
  expect((await call('c1')).state).toBe(isOpen ? 'pending' : 'failed');
  expect(again === null).toBe(!isOpen);
});

test('a step of a plan is not tried again in place, since others went with it', async () => {
  const { retry } = await openFailed({ after: ['c1'] });
  expect(await retry()).toBeNull();
});

test.each([
  ['with other arguments', { title: 'Lunch' }],
  ['as it was', undefined],
])('nobody else has it tried again %s while its run waits, which is on record', async (_how, args) => {
  const { retry, call, gate, store } = await openFailed();
  const { digest } = await call('c1');
  const opens = gate.requests.checkRetry({ key: KEY, actor: bob, digest });
  expect(await refusal(opens)).toContain('not_allowed: Ana’s request goes on once all of it is decided');
  expect(await refusal(retry(args, { actor: bob }))).toContain('not_allowed');
  expect(await call('c1')).toMatchObject({ state: 'failed', arguments: { title: 'Standup' } });
  const entries = await entriesOf(store, THREAD);
  expect(entries.filter(({ what }) => what === 'refused')).toMatchObject([
    { actor: bob, callId: 'c1', details: { attempt: 'open a form', code: 'not_allowed' } },
    { actor: bob, callId: 'c1', details: { attempt: 'try again', code: 'not_allowed', shown: digest } },
  ]);
});

/** A policy by which Bob decides too, but nothing that is called Lunch, and Carol only that. */
const BOB_DECIDES = policySchema.parse({
  rules: [
    { tools: '*', when: { title: { equals: 'Lunch' } }, action: 'ask', approvers: ['requester', 'user:U3'] },
    { tools: '*', action: 'ask', approvers: ['requester', 'user:U2'] },
  ],
});

test('whoever may decide it as it failed has it tried again, also for others to decide; nobody by what they make of it', async () => {
  const { retry, call } = await openFailed({ options: { evaluate: compilePolicy(BOB_DECIDES) } });
  expect(await refusal(retry({ title: 'Lunch' }, { actor: carol }))).toContain('not_allowed');
  await retry({ title: 'Lunch' }, { actor: bob });
  expect(await call('c1')).toMatchObject({ state: 'pending', requester: ana, edits: [{ by: bob }] });
});

test('who was shown other arguments than it failed with has nothing tried again', async () => {
  const { retry, call, send } = await openFailed();
  const { digest } = await call('c1');
  await retry({ title: 'Lunch' });
  await send('c1', failure('no such calendar'));
  expect(await refusal(retry({ title: 'Standup' }, { digest }))).toContain('changed');
  expect(await call('c1')).toMatchObject({ state: 'failed', arguments: { title: 'Lunch' } });
});

test('with the proposed arguments again, nobody counts as having changed them', async () => {
  const { retry, call, send } = await openFailed();
  await retry({ title: 'Lunch' });
  await send('c1', failure('no such calendar'));
  await retry({ title: 'Standup' }, { digest: (await call('c1')).digest });
  expect((await call('c1')).edits).toBeUndefined();
});

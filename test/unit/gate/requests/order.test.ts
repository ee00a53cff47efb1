import { beforeEach, describe, expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { dependentSteps, placeDigest, unneededSteps } from '../../../../src/gate/call/order.ts';
import { requestRecordSchema } from '../../../../src/gate/call/record.ts';
import { calls, requests } from '../../../../src/gate/store/collections.ts';
import { put } from '../../../../src/storage/store.ts';
import { beginning, type OpenGate, openGate, opening, proposed } from '../../../helpers/gate.ts';
import { ana, bob, THREAD } from '../../../helpers/people.ts';

let fixture: OpenGate;
beforeEach(() => {
  fixture = openGate();
});

const one = proposed('c1');
const two = { ...proposed('c2'), after: ['c1'] };
const read = { ...proposed('c2', { name: 'list_events' }), after: ['c1'] };
const plan = { title: 'Two meetings', later: [] };

async function open(...steps: Parameters<typeof opening>[1][]) {
  const fence = await fixture.fence();
  return { fence, request: await fixture.gate.requests.open({ ...opening(fence, ...steps), plan }) };
}

async function approve(callId: string): Promise<void> {
  const call = await fixture.call(callId);
  const { digest } = call;
  const place = placeDigest(call);
  const input = { callKey: callKey(THREAD, callId), digest, place, type: 'approve' as const };
  await fixture.gate.decisions.decide([input], ana);
}

describe('the calls of a plan', () => {
  it('are recorded with their plan and its order', async () => {
    const { request } = await open(one, two);
    expect(request.plan).toEqual(plan);
    expect(await fixture.call('c2')).toMatchObject({ state: 'pending', after: ['c1'], ordinal: 1 });
  });

  it('have later steps that are read from older records by their titles alone', async () => {
    const { request } = await open(one);
    const older = { ...request, plan: { title: 'Two meetings', later: ['Invite all'] } };
    expect(requestRecordSchema.parse(older).plan?.later).toEqual([
      { title: 'Invite all', arguments: {}, why: '' },
    ]);
  });

  it('that the policy allows belong to the request as they are', async () => {
    const { request } = await open(one, read);
    expect(await fixture.call('c2')).toMatchObject({ state: 'allowed', requestId: request.requestId });
  });

  it('are not begun before those that they come after', async () => {
    const { fence } = await open(one, two);
    await approve('c2');
    expect((await fixture.gate.journal.begin(beginning(fence, two))).kind).toBe('waiting');
    await approve('c1');
    const { call } = await fixture.gate.journal.begin(beginning(fence, one));
    expect((await fixture.gate.journal.begin(beginning(fence, two))).kind).toBe('waiting');
    await fixture.gate.journal.finish(call, { status: 'succeeded', content: [], structured: null });
    expect((await fixture.gate.journal.begin(beginning(fence, two))).kind).toBe('ready');
  });

  it('are withdrawn after one that failed, with the reason, and the audit says so', async () => {
    const { fence, request } = await open(one, two);
    await approve('c1');
    await approve('c2');
    const { call } = await fixture.gate.journal.begin(beginning(fence, one));
    await fixture.gate.journal.finish(call, { status: 'failed', message: 'full', content: [] });
    await fixture.gate.requests.withdrawBroken(request.requestId, fence);
    expect(await fixture.call('c2')).toMatchObject({
      state: 'cancelled',
      withdrawnBecause: 'step 1 failed: full',
      decision: { type: 'approve' },
    });
  });

  it('are withdrawn without what an own account answered, as everybody reads the plan', async () => {
    const { fence, request } = await open(one, two);
    await approve('c1');
    const { call } = await fixture.gate.journal.begin(beginning(fence, one));
    const failed = { status: 'failed', message: 'No mail from Dr. Love', content: [] } as const;
    await fixture.gate.journal.finish(call, { ...failed, content: [], ownAccount: true });
    await fixture.gate.requests.withdrawBroken(request.requestId, fence);
    expect((await fixture.call('c2')).withdrawnBecause).toBe('step 1 failed');
  });

  it('stay while what they come after may still succeed', async () => {
    const { fence, request } = await open(one, two);
    await approve('c1');
    await fixture.gate.journal.begin(beginning(fence, one));
    await fixture.gate.requests.withdrawBroken(request.requestId, fence);
    expect((await fixture.call('c2')).state).toBe('pending');
  });

  it('are withdrawn after one that ended at once and is in no request', async () => {
    const denied = proposed('c1', { name: 'drop_calendar' });
    const { fence, request } = await open(denied, two);
    expect(request.callIds).toEqual(['c2']);
    await fixture.gate.requests.withdrawBroken(request.requestId, fence);
    expect(await fixture.call('c2')).toMatchObject({
      state: 'cancelled',
      withdrawnBecause: 'a step before it could not be done',
    });
  });
});

describe('the order of a plan', () => {
  const three = { ...proposed('c3'), after: ['c1', 'c2'], needs: ['c1'] };
  const reorder = (requestId: string, order: readonly string[], actor = ana) =>
    fixture.gate.requests.reorder(requestId, actor, order);

  it('is changed by whoever asked for it, and the steps then run in it', async () => {
    const { fence, request } = await open(one, two, three);
    await reorder(request.requestId, ['c1', 'c3', 'c2']);
    expect((await fixture.gate.requests.get(request.requestId))?.callIds).toEqual(['c1', 'c3', 'c2']);
    expect(await fixture.call('c3')).toMatchObject({ after: ['c1'], ordinal: 1 });
    expect(await fixture.call('c2')).toMatchObject({ after: ['c1', 'c3'], ordinal: 2 });
    for (const callId of ['c1', 'c2']) await approve(callId);
    const { call } = await fixture.gate.journal.begin(beginning(fence, one));
    await fixture.gate.journal.finish(call, { status: 'succeeded', content: [], structured: null });
    expect((await fixture.gate.journal.begin(beginning(fence, two))).kind).toBe('waiting');
    await approve('c3');
    expect((await fixture.gate.journal.begin(beginning(fence, three))).kind).toBe('ready');
  });

  it('is not changed by others, nor once a step is approved in its place', async () => {
    const { request } = await open(one, two, three);
    await expect(reorder(request.requestId, ['c2', 'c1', 'c3'], bob)).rejects.toMatchObject({
      refusal: 'not_allowed',
    });
    await approve('c2');
    await expect(reorder(request.requestId, ['c2', 'c1', 'c3'])).rejects.toMatchObject({
      refusal: 'already_decided',
    });
    expect((await fixture.gate.requests.get(request.requestId))?.callIds).toEqual(['c1', 'c2', 'c3']);
  });

  it.each([
    ['a step before one that it needs', ['c3', 'c1', 'c2']],
    ['a step that is missing', ['c1', 'c2']],
    ['a step that is there twice', ['c1', 'c2', 'c2']],
    ['a step of another plan', ['c1', 'c2', 'c9']],
  ])('is not changed to one with %s', async (_what, order) => {
    const { request } = await open(one, two, three);
    await expect(reorder(request.requestId, order)).rejects.toMatchObject({ refusal: 'changed' });
  });

  it('is not changed to one with a step, of which nothing is said, before any that was before it', async () => {
    const { request } = await open(one, { ...two, needs: [] }, { ...three, needs: undefined });
    await expect(reorder(request.requestId, ['c1', 'c3', 'c2'])).rejects.toMatchObject({
      refusal: 'changed',
    });
    // What it needs stays what it was, though more comes before it now.
    await reorder(request.requestId, ['c2', 'c1', 'c3']);
    expect(await fixture.call('c3')).toMatchObject({ after: ['c2', 'c1'], needs: ['c1', 'c2'] });
    expect(await fixture.call('c2')).toMatchObject({ ordinal: 0, movedFrom: 1 });
  });

  it('leaves what a step of an older record needs as it was', async () => {
    const { request } = await open(one, { ...two, needs: [] });
    const older = { ...(await fixture.call('c2')), callId: 'c3', after: ['c1', 'c2'], needs: undefined };
    await fixture.store.commit({
      put: [
        put(calls, callKey(THREAD, 'c3'), older),
        put(requests, request.requestId, { ...request, callIds: ['c1', 'c2', 'c3'] }),
      ],
    });
    await reorder(request.requestId, ['c2', 'c1', 'c3']);
    expect(await fixture.call('c3')).toMatchObject({ after: ['c2', 'c1'], needs: ['c1', 'c2'] });
  });

  it('vouches for no step whose record was changed past the gate', async () => {
    const { request } = await open(one, { ...two, needs: [] });
    const forged = { ...(await fixture.call('c2')), requester: bob };
    await fixture.store.commit({ put: [put(calls, callKey(THREAD, 'c2'), forged)] });
    await expect(reorder(request.requestId, ['c2', 'c1'])).rejects.toMatchObject({ refusal: 'changed' });
    expect((await fixture.call('c2')).state).toBe('failed');
  });

  it('that somebody saw before a change is not what they approve by', async () => {
    const { request } = await open(one, { ...two, needs: [] }, { ...three, needs: [] });
    const shown = await fixture.call('c2');
    await reorder(request.requestId, ['c3', 'c2', 'c1']);
    const { digest } = shown;
    const input = { callKey: callKey(THREAD, 'c2'), digest, type: 'approve' as const };
    // Who names no place was shown the one that it was proposed in.
    for (const place of [placeDigest(shown), undefined])
      await expect(fixture.gate.decisions.decide([{ ...input, place }], ana)).rejects.toMatchObject({
        refusal: 'changed',
      });
    await expect(
      fixture.gate.decisions.checkDecidable(input.callKey, ana, { digest, place: placeDigest(shown) }),
    ).rejects.toMatchObject({ refusal: 'changed' });
    await fixture.gate.decisions.decide([{ ...input, place: placeDigest(await fixture.call('c2')) }], ana);
  });
});

describe('a step that needs only some of those before it', () => {
  it('runs after another one was rejected, and not before that is decided', async () => {
    const alone = { ...two, needs: [] };
    const { fence, request } = await open(one, alone);
    await approve('c2');
    expect((await fixture.gate.journal.begin(beginning(fence, alone))).kind).toBe('waiting');
    const { digest } = await fixture.call('c1');
    const rejection = { callKey: callKey(THREAD, 'c1'), digest, type: 'reject' as const };
    await fixture.gate.decisions.decide([rejection], ana);
    await fixture.gate.requests.withdrawBroken(request.requestId, fence);
    expect((await fixture.gate.journal.begin(beginning(fence, alone))).kind).toBe('ready');
  });

  it('is withdrawn with what it needs, and so is what needs it', async () => {
    const last = { ...proposed('c3'), after: ['c1', 'c2'], needs: ['c2'] };
    const { fence, request } = await open(one, two, last);
    const { digest } = await fixture.call('c1');
    await fixture.gate.decisions.decide([{ callKey: callKey(THREAD, 'c1'), digest, type: 'reject' }], ana);
    for (const _ of ['c2', 'c3']) await fixture.gate.requests.withdrawBroken(request.requestId, fence);
    expect(await fixture.call('c3')).toMatchObject({
      state: 'cancelled',
      withdrawnBecause: 'step 2 was withdrawn',
    });
  });
});

it('a step takes those with it that need it, also through others, until it is decided', async () => {
  const [two, three, four] = [
    { ...proposed('c2'), after: ['c1'] },
    { ...proposed('c3'), after: ['c1', 'c2'], needs: ['c2'] },
    { ...proposed('c4'), after: ['c1', 'c2', 'c3'], needs: [] },
  ];
  await open(one, two, three, four);
  const find = async () => {
    const calls = await Promise.all(['c1', 'c2', 'c3', 'c4'].map(fixture.call));
    return calls.map((call) => dependentSteps(call, calls));
  };
  expect(await find()).toEqual([[2, 3], [3], [], []]);
  await approve('c3');
  expect(await find()).toEqual([[2, 3], [3], [], []]);
  await approve('c2');
  expect(await find()).toEqual([[2, 3], [], [], []]);
});

describe('what a step runs without', () => {
  const [two, three] = [
    { ...proposed('c2'), after: ['c1'], needs: [] },
    { ...proposed('c3'), after: ['c1', 'c2'], needs: ['c2'] },
  ];
  const recorded = () => Promise.all(['c1', 'c2', 'c3'].map(fixture.call));

  it('are the steps before it that neither it needs nor what it needs, as long as they are not done', async () => {
    const { fence } = await open(one, two, three);
    const calls = await recorded();
    expect(calls.map((call) => unneededSteps(call, calls))).toEqual([[], [1], [1]]);
    await approve('c1');
    const { call } = await fixture.gate.journal.begin(beginning(fence, one));
    await fixture.gate.journal.finish(call, { status: 'succeeded', content: [], structured: null });
    const after = await recorded();
    expect(after.map((step) => unneededSteps(step, after))).toEqual([[], [], []]);
  });

  it('is part of the place that is approved', async () => {
    await open(one, two, three);
    const call = await fixture.call('c2');
    expect(placeDigest(call)).not.toBe(placeDigest({ ...call, needs: ['c1'] }));
  });
});

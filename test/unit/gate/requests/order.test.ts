import { beforeEach, describe, expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { beginning, type OpenGate, openGate, opening, proposed } from '../../../helpers/gate.ts';
import { ana, THREAD } from '../../../helpers/people.ts';

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
  const { digest } = await fixture.call(callId);
  const input = { callKey: callKey(THREAD, callId), digest, type: 'approve' as const };
  await fixture.gate.decisions.decide([input], ana);
}

describe('the calls of a plan', () => {
  it('are recorded with their plan and its order', async () => {
    const { request } = await open(one, two);
    expect(request.plan).toEqual(plan);
    expect(await fixture.call('c2')).toMatchObject({ state: 'pending', after: ['c1'], ordinal: 1 });
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

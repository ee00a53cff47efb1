import { beforeEach, describe, expect, it } from 'vitest';
import type { DecisionInput } from '../../../../src/gate/call/decision.ts';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { placeDigest } from '../../../../src/gate/call/order.ts';
import { calls } from '../../../../src/gate/store/collections.ts';
import { put } from '../../../../src/storage/store.ts';
import { type OpenGate, openGate, opening, proposed, refusalOf } from '../../../helpers/gate.ts';
import { ana, bob, THREAD } from '../../../helpers/people.ts';

let fixture: OpenGate;
const plan = { title: 'Five meetings', later: [] };
const edit = { type: 'edit', arguments: { title: 'Retro' } } as const;

/** The third needs the first through the second, the fourth needs nothing, and the fifth is allowed. */
beforeEach(async () => {
  fixture = openGate();
  const before = ['c1', 'c2', 'c3', 'c4'];
  const steps = [
    proposed('c1'),
    { ...proposed('c2'), after: before.slice(0, 1) },
    { ...proposed('c3'), after: before.slice(0, 2), needs: ['c2'] },
    { ...proposed('c4'), after: before.slice(0, 3), needs: [] },
    { ...proposed('c5', { name: 'list_events' }), after: before },
  ].map((step) => ({ after: [], ...step }));
  await fixture.gate.requests.open({ ...opening(await fixture.fence(), ...steps), plan });
});

async function toInput(callId: string, input: Partial<DecisionInput> = {}): Promise<DecisionInput> {
  const call = await fixture.call(callId);
  return {
    callKey: callKey(THREAD, callId),
    digest: call.digest,
    place: placeDigest(call),
    type: 'approve',
    ...input,
  };
}

async function decide(callId: string, input: Partial<DecisionInput> = {}): Promise<void> {
  await fixture.gate.decisions.decide([await toInput(callId, input)], ana);
}

const states = async () =>
  Promise.all(['c1', 'c2', 'c3', 'c4', 'c5'].map(async (callId) => (await fixture.call(callId)).state));

describe('editing a step of a plan', () => {
  it('asks anew about the approved steps that need it, also through others, and about no other', async () => {
    for (const callId of ['c2', 'c3', 'c4']) await decide(callId);
    fixture.events.length = 0;
    await decide('c1', edit);
    expect(await states()).toEqual(['approved', 'pending', 'pending', 'approved', 'allowed']);
    for (const callId of ['c2', 'c3'])
      expect(await fixture.call(callId)).toMatchObject({
        decision: null,
        askedAgain: 'Ana changed step 1, which this one needs.',
      });
    expect(fixture.events).toMatchObject([
      { type: 'asked', calls: [{ callId: 'c1' }, { callId: 'c2' }, { callId: 'c3' }] },
    ]);
    for (const callId of ['c2', 'c3']) await decide(callId);
    expect(await states()).toEqual(['approved', 'approved', 'approved', 'approved', 'allowed']);
  });

  it('refuses an approval of a step that was shown after the old one', async () => {
    const shown = await toInput('c2');
    const unneeded = await toInput('c4');
    await decide('c1', edit);
    const refused = await refusalOf(fixture.gate.decisions.decide([shown], ana));
    expect(refused.refusal).toBe('changed');
    await fixture.gate.decisions.decide([unneeded], ana);
    expect(await fixture.call('c2')).toMatchObject({ state: 'pending' });
    expect((await fixture.call('c2')).askedAgain).toBeUndefined();
  });

  it('without a change leaves approvals as they are', async () => {
    await decide('c2');
    await decide('c1', { type: 'edit', arguments: (await fixture.call('c1')).arguments });
    expect((await states()).slice(0, 2)).toEqual(['approved', 'approved']);
  });

  it('goes with approvals of the steps that need it, in any order, by whoever sends them together', async () => {
    const sent = [await toInput('c3'), await toInput('c2'), await toInput('c1', edit)];
    const decided = await fixture.gate.decisions.decide(sent, ana);
    expect(decided.map(({ callId, state }) => [callId, state])).toEqual([
      ['c3', 'approved'],
      ['c2', 'approved'],
      ['c1', 'approved'],
    ]);
  });

  it('pins anew a step that needs it and that nobody decided yet', async () => {
    const before = placeDigest(await fixture.call('c3'));
    await decide('c1', edit);
    const call = await fixture.call('c3');
    expect(call).toMatchObject({ state: 'pending', decision: null });
    expect(placeDigest(call)).not.toBe(before);
  });

  it('takes no word from a record that was changed past the gate', async () => {
    await decide('c2');
    const forged = { ...(await fixture.call('c2')), requester: bob };
    await fixture.store.commit({ put: [put(calls, callKey(THREAD, 'c2'), forged)] });
    await decide('c1', edit);
    expect((await fixture.call('c2')).state).toBe('failed');
  });
});

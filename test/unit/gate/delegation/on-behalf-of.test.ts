import { describe, expect, it } from 'vitest';
import type { PeopleDirectory, Standing } from '../../../../src/gate/approval/people.ts';
import type { Actor } from '../../../../src/gate/call/actor.ts';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { type Delegation, delegations } from '../../../../src/gate/delegation/record.ts';
import { compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import { put, type Store } from '../../../../src/storage/store.ts';
import { problemsOf } from '../../../helpers/audit.ts';
import { beginning, openGate, opening, proposed, refusal } from '../../../helpers/gate.ts';
import { ana, bob, carol, membersOnly, THREAD } from '../../../helpers/people.ts';

const DAY = 86_400_000;
const NOW = 1_000_000;
const dave: Actor = { id: 'slack:T1:U4', name: 'Dave' };
const KEY = callKey(THREAD, 'c1');
const WEEK = { begins: NOW - 1, until: NOW + 7 * DAY, reason: null };

/** A call of Ana's that waits, under a rule with these approvers; finance is Bob and Carol. */
async function asked(approvers?: unknown) {
  const standings = new Map<string, Standing>();
  const finance = [bob.id, carol.id];
  const people: PeopleDirectory = {
    ...membersOnly,
    standing: async (actor) => standings.get(actor.id) ?? 'member',
    belongs: async (actor) => finance.includes(actor.id),
    nameOf: async (ref) => ref,
  };
  const rules = [{ tools: '*', action: 'ask', ...(approvers === undefined ? {} : { approvers }) }];
  const fixture = openGate({ evaluate: compilePolicy(policySchema.parse({ rules })), people });
  const call = proposed('c1');
  await fixture.gate.requests.open(opening(await fixture.fence(), call));
  return {
    ...fixture,
    standings,
    finance,
    async decide(actor: Actor, type: 'approve' | 'reject' | 'edit' = 'approve') {
      const { digest } = await fixture.call('c1');
      const words = type === 'reject' ? { feedback: 'no' } : { arguments: { title: 'Retro' } };
      await fixture.gate.decisions.decide([{ callKey: KEY, digest, type, ...words }], actor);
      return fixture.call('c1');
    },
    delegate: (from: Actor, to: Actor, time = {}) =>
      fixture.gate.delegation.delegate({ to, ...WEEK, ...time }, from),
    handOver: (from: Actor, to: Actor) => fixture.gate.delegation.reassign(KEY, from, { to, digest: null }),
    begin: async () => fixture.gate.journal.begin(beginning(await fixture.fence(), call)),
  };
}

describe('who stands in for somebody', () => {
  it('decides what they may, and the record names both', async () => {
    const { decide, delegate } = await asked();
    await delegate(ana, dave);
    expect((await decide(dave)).decision).toMatchObject({ type: 'approve', actor: dave, for: ana });
  });

  it('rejects and edits in their place, too', async () => {
    for (const type of ['reject', 'edit'] as const) {
      const { decide, delegate } = await asked('@finance');
      await delegate(bob, dave);
      expect((await decide(dave, type)).decision).toMatchObject({ type, actor: dave, for: bob });
    }
  });

  it('decides nothing before it begins, and nothing from its end on', async () => {
    const { decide, delegate, time } = await asked('@finance');
    await delegate(bob, dave, { begins: NOW + 100, until: NOW + 200 });
    expect(await refusal(decide(dave))).toContain('may decide this');
    time.now = NOW + 200;
    expect(await refusal(decide(dave))).toContain('may decide this');
    time.now = NOW + 199;
    expect((await decide(dave)).state).toBe('approved');
  });

  it('uses up their word, and has one word for however many', async () => {
    const { decide, delegate, finance } = await asked({ from: '@finance', quorum: 3 });
    finance.push(ana.id);
    await delegate(bob, dave);
    await delegate(carol, dave);
    expect((await decide(dave)).votes).toMatchObject([{ actor: dave, for: bob }]);
    expect(await refusal(decide(dave))).toContain('Your approval is already counted');
    expect(await refusal(decide(bob))).toContain('Dave has already decided on your behalf');
    expect((await decide(carol)).votes).toHaveLength(2);
  });

  it('has no second word where they have one of their own', async () => {
    const { decide, delegate } = await asked({ from: '@finance', quorum: 2 });
    await delegate(bob, carol);
    const { votes } = await decide(carol);
    expect(votes).toHaveLength(1);
    expect(votes?.[0]?.for).toBeUndefined();
    expect(await refusal(decide(carol))).toContain('Your approval is already counted');
    expect((await decide(bob)).state).toBe('approved');
  });

  it('has no word where they have had theirs', async () => {
    const { decide, delegate } = await asked({ from: '@finance', quorum: 2 });
    await decide(bob);
    await delegate(bob, dave);
    expect(await refusal(decide(dave))).toContain('may decide this');
  });

  it('never approves their own request, though it be in the place of somebody who may', async () => {
    const { decide, delegate } = await asked('@finance');
    await delegate(bob, ana);
    expect(await refusal(decide(ana))).toContain('may decide this');
  });

  it('has no word for whoever asked, where those are left out', async () => {
    const { decide, delegate, finance } = await asked({ from: '@finance', exclude_requester: true });
    finance.push(ana.id);
    await delegate(ana, dave);
    expect(await refusal(decide(dave))).toContain('may decide this');
  });

  it('does not pass it on', async () => {
    const { decide, delegate, handOver } = await asked('@finance');
    await delegate(bob, dave);
    await delegate(dave, ana);
    const erin = { id: 'slack:T1:U5', name: 'Erin' };
    await delegate(dave, erin);
    expect(await refusal(decide(erin))).toContain('may decide this');
    expect(await refusal(handOver(dave, erin))).toContain('may decide this');
  });

  it.each([
    ['guest', 'Guests may not decide'],
    ['deactivated', 'deactivated'],
    ['stranger', 'other organisations'],
    ['app', 'Apps can’t decide'],
    ['unknown', 'doesn’t exist'],
  ] as const)('is no %s, neither when named nor when deciding', async (standing, why) => {
    const { decide, delegate, handOver, standings } = await asked('@finance');
    standings.set(ana.id, standing);
    expect(await refusal(delegate(bob, ana))).toContain(why);
    standings.set(dave.id, standing);
    expect(await refusal(handOver(bob, dave))).toContain(why);
    standings.delete(dave.id);
    await delegate(bob, dave);
    standings.set(dave.id, standing);
    expect(await refusal(decide(dave))).toContain(why);
  });

  it('has no word of somebody whose own would not count', async () => {
    const { decide, delegate, standings, finance } = await asked('@finance');
    await delegate(bob, dave);
    standings.set(bob.id, 'deactivated');
    expect(await refusal(decide(dave))).toContain('may decide this');
    standings.delete(bob.id);
    finance.splice(0, 1);
    expect(await refusal(decide(dave))).toContain('may decide this');
  });

  it.each([
    ['themselves', bob, {}, 'You can’t name yourself'],
    ['somebody for the past', dave, { begins: 1, until: NOW }, 'time has passed'],
    ['somebody for no time', dave, { begins: NOW + 2, until: NOW + 2 }, 'time has passed'],
    ['somebody for years', dave, { until: NOW + 400 * DAY }, 'a year at most'],
  ])('cannot be %s', async (_, to, time, why) => {
    const { delegate } = await asked('@finance');
    expect(await refusal(delegate(bob, to, time))).toContain(why);
  });

  it('is seen among those who have it waiting', async () => {
    const { gate, delegate } = await asked();
    expect((await gate.calls.inbox(dave.id, 10)).calls).toHaveLength(0);
    await delegate(ana, dave);
    expect((await gate.calls.inbox(dave.id, 10)).calls).toHaveLength(1);
    expect((await gate.calls.inbox(ana.id, 10)).calls).toHaveLength(1);
  });
});

describe('before a call is sent that was approved in somebody’s place', () => {
  it('it is asked about again when they have ended it, also where whoever asked decides alone', async () => {
    for (const [approvers, from] of [
      [undefined, ana],
      ['@finance', bob],
    ] as const) {
      const { gate, decide, delegate, begin, call } = await asked(approvers);
      const { delegationId } = await delegate(from, dave);
      await decide(dave);
      await gate.delegation.end(delegationId, from);
      expect((await begin()).kind).toBe('waiting');
      expect(await call('c1')).toMatchObject({ state: 'pending', votes: [] });
      expect((await call('c1')).askedAgain).toContain(
        `Dave for ${from.name} approved this but may no longer do so.`,
      );
    }
  });

  it('it runs when their time was over only after the word', async () => {
    const { decide, delegate, begin, time } = await asked('@finance');
    await delegate(bob, dave, { until: NOW + 10 });
    await decide(dave);
    time.now = NOW + 20;
    expect((await begin()).kind).toBe('ready');
  });

  it('it is asked about again when either account has been closed', async () => {
    for (const gone of [bob, dave]) {
      const { decide, delegate, begin, standings } = await asked('@finance');
      await delegate(bob, dave);
      await decide(dave);
      standings.set(gone.id, 'deactivated');
      expect((await begin()).kind).toBe('waiting');
    }
  });
});

describe('a call that is handed over', () => {
  it('is decided by the other, and not by who handed it over, until they take it back', async () => {
    const { gate, decide, handOver } = await asked();
    await handOver(ana, dave);
    expect(await refusal(decide(ana))).toContain('You handed this to Dave');
    expect(await refusal(decide(bob))).toContain('Only Dave for Ana may decide this');
    await gate.delegation.undoReassign(KEY, ana);
    expect(await refusal(decide(dave))).toContain('Only Ana may decide this');
    await handOver(ana, dave);
    expect((await decide(dave)).decision).toMatchObject({ actor: dave, for: ana });
  });

  it('waits in the one list and not in the other', async () => {
    const { gate, handOver } = await asked();
    await handOver(ana, dave);
    expect((await gate.calls.inbox(dave.id, 10)).calls).toHaveLength(1);
    expect((await gate.calls.inbox(ana.id, 10)).calls).toHaveLength(0);
  });

  it('is not decided by who stands in for them otherwise', async () => {
    const { decide, delegate, handOver } = await asked();
    const erin = { id: 'slack:T1:U5', name: 'Erin' };
    await delegate(ana, erin);
    await handOver(ana, dave);
    expect(await refusal(decide(erin))).toContain('Only Dave for Ana may decide this');
  });

  it('is taken back neither by others, nor once the other has decided', async () => {
    const { gate, decide, handOver } = await asked({ from: '@finance', quorum: 2 });
    await handOver(bob, dave);
    expect(await refusal(gate.delegation.undoReassign(KEY, carol))).toContain(
      'You haven’t handed this to anybody',
    );
    await decide(dave);
    expect(await refusal(gate.delegation.undoReassign(KEY, bob))).toContain(
      'Dave has already decided on your behalf',
    );
    expect((await decide(carol)).state).toBe('approved');
  });

  it.each([
    ['to whoever asked', bob, ana, 'Ana asked for this'],
    ['to somebody who may decide it anyway', bob, carol, 'Carol can decide this anyway'],
    ['to oneself', bob, bob, 'You can’t name yourself'],
    ['by somebody whose it is not', dave, carol, 'may decide this'],
  ])('cannot be handed %s', async (_, from, to, why) => {
    const { handOver, call } = await asked('@finance');
    expect(await refusal(handOver(from, to))).toContain(why);
    expect((await call('c1')).handOvers).toBeUndefined();
  });

  it('cannot be handed over twice, nor after it was decided, nor as something else than was shown', async () => {
    const { gate, decide, handOver } = await asked('@finance');
    expect(await refusal(gate.delegation.reassign(KEY, bob, { to: dave, digest: 'other' }))).toContain(
      'has changed since it was shown',
    );
    await handOver(bob, dave);
    expect(await refusal(handOver(bob, dave))).toContain('You already handed this over');
    await decide(carol);
    expect(await refusal(gate.delegation.undoReassign(KEY, bob))).toContain('isn’t waiting for a decision');
  });

  it('lets who approved it say what became of it', async () => {
    const { gate, handOver, decide, begin, call } = await asked();
    await handOver(ana, dave);
    await decide(dave);
    const { call: attempt } = await begin();
    await gate.journal.finish(attempt, { status: 'in_doubt', message: 'No answer.' });
    await gate.decisions.settleDoubt(KEY, dave, { digest: null, answer: 'happened' });
    expect((await call('c1')).state).toBe('succeeded');
  });
});

describe('an account that was closed', () => {
  /** Says of Ana's account that it is open, unless it is looked up anew. */
  async function closing() {
    let isClosed = false;
    const people: PeopleDirectory = {
      ...membersOnly,
      standing: async (actor, _threadId, { fresh }) =>
        isClosed && fresh && actor.id === ana.id ? 'deactivated' : 'member',
    };
    const fixture = openGate({ people });
    await fixture.gate.delegation.delegate({ to: bob, ...WEEK }, ana);
    await fixture.gate.requests.open(opening(await fixture.fence(), proposed('c1')));
    const approve = async () => {
      const { digest } = await fixture.call('c1');
      await fixture.gate.decisions.decide([{ callKey: KEY, digest, type: 'approve' }], bob);
    };
    return {
      ...fixture,
      approve,
      close: () => {
        isClosed = true;
      },
    };
  }

  it('lets no delegate decide for its person, whatever was last known of it', async () => {
    const { approve, close, call } = await closing();
    close();
    await expect(approve()).rejects.toMatchObject({ code: 'not_allowed' });
    expect((await call('c1')).state).toBe('pending');
  });

  it('lets nothing run that a delegate approved before', async () => {
    const { approve, close, call, gate, fence } = await closing();
    await approve();
    close();
    expect((await gate.journal.begin(beginning(await fence(), proposed('c1')))).kind).toBe('waiting');
    expect((await call('c1')).state).toBe('pending');
  });
});

it('a call is reassigned to nobody once its time is over', async () => {
  const { handOver, time, call } = await asked(['user:U1', 'user:U2']);
  time.now += 61_000;
  await expect(handOver(bob, carol)).rejects.toMatchObject({ code: 'not_applicable' });
  expect((await call('c1')).handOvers ?? []).toEqual([]);
});

describe('a delegation that was written past the gate', () => {
  const forged = { delegationId: 'd1', from: ana, to: dave, ...WEEK, at: NOW, ended: null };
  const write = (store: Store, delegation: Delegation) =>
    store.commit({ put: [put(delegations, delegation.delegationId, delegation)] });

  it.each<[string, (made: Delegation) => Delegation]>([
    ['nobody made one', () => forged],
    ['it is to somebody else', (made) => ({ ...made, to: dave })],
    ['it lasts longer', (made) => ({ ...made, to: dave, until: made.until * 2 })],
  ])('lets nobody decide, and the audit shows it: %s', async (_, change) => {
    const { decide, delegate, gate, store } = await asked();
    const made = await delegate(ana, bob);
    await write(store, change(made));
    expect(await refusal(decide(dave))).toBe(
      'not_allowed: Ana’s delegation to you doesn’t count, because the audit doesn’t prove it. Ana can delegate again. Nothing was changed.',
    );
    expect(await gate.delegation.to(dave.id)).toEqual([]);
    expect(await problemsOf(store)).toEqual([
      `delegations:${ana.id}: The record of a delegation by Ana to Dave says more than the audit: it was changed past Countersign.`,
    ]);
  });

  it('after it was ended lets nobody decide', async () => {
    const { decide, delegate, gate, store } = await asked();
    const made = await delegate(ana, dave);
    await gate.delegation.end(made.delegationId, ana);
    await write(store, made);
    expect(await refusal(decide(dave))).toMatch(/^not_allowed: Ana’s delegation to you doesn’t count/);
  });

  it('upholds no vote that was cast meanwhile', async () => {
    const { begin, decide, delegate, gate, store } = await asked();
    const made = await delegate(ana, dave);
    await decide(dave);
    await gate.delegation.end(made.delegationId, ana);
    await write(store, made);
    expect((await begin()).kind).toBe('waiting');
  });

  it('is one of no others: what was made is proven', async () => {
    const { decide, delegate, store } = await asked();
    await delegate(ana, bob);
    await delegate(ana, dave);
    expect((await decide(dave)).decision).toMatchObject({ for: ana });
    expect(await problemsOf(store)).toEqual([]);
  });
});

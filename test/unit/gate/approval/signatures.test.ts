import { describe, expect, it } from 'vitest';
import type { PeopleDirectory, Standing } from '../../../../src/gate/approval/people.ts';
import type { Actor } from '../../../../src/gate/call/actor.ts';
import type { DecisionInput } from '../../../../src/gate/call/decision.ts';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { createGate } from '../../../../src/gate/index.ts';
import { compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import { beginning, openGate, opening, proposed, refusal } from '../../../helpers/gate.ts';
import { ana, bob, carol, membersOnly, THREAD } from '../../../helpers/people.ts';

const dave: Actor = { id: 'slack:T1:U4', name: 'Dave' };
const KEY = callKey(THREAD, 'c1');
const refOf = ({ id }: Actor) => `user:${id.split(':')[2]}`;
const retro = (title = 'Retro') => ({ type: 'edit', arguments: { title } }) as const;

/** A call of Ana's that waits, under a rule like this; finance is Bob and Carol. */
async function asked(rule: Record<string, unknown>) {
  const standings = new Map<string, Standing>();
  const finance = [bob.id, carol.id];
  const people: PeopleDirectory = {
    ...membersOnly,
    async standing(actor, _threadId, { fresh }) {
      // What is believed for minutes is that everybody is a member.
      return fresh ? (standings.get(actor.id) ?? 'member') : 'member';
    },
    belongs: async (actor) => finance.includes(actor.id),
    nameOf: async (ref) => ref,
  };
  const evaluateBy = (written: Record<string, unknown>) =>
    compilePolicy(policySchema.parse({ rules: [{ tools: '*', action: 'ask', ...written }] }));
  const fixture = openGate({ evaluate: evaluateBy(rule), people });
  let { gate } = fixture;
  const call = proposed('c1');
  await gate.requests.open(opening(await fixture.fence(), call));
  const input = async (more: Partial<DecisionInput>): Promise<DecisionInput> => {
    const { digest } = await fixture.call('c1');
    return { callKey: KEY, digest, type: 'approve', ...more };
  };
  return {
    ...fixture,
    standings,
    finance,
    async say(actor: Actor, more: Partial<DecisionInput> = {}) {
      await gate.decisions.decide([await input(more)], actor);
      return fixture.call('c1');
    },
    async onTheWeb(actor: Actor) {
      await gate.decisions.decideOnWeb([await input({})], actor);
      return fixture.call('c1');
    },
    /** Whoever is back first is spoken for first. */
    delegate: (from: Actor, to: Actor, days = 1) => {
      const { now } = fixture.time;
      return gate.delegation.delegate(
        { to, begins: now - 1, until: now + days * 86_400_000, reason: null },
        from,
      );
    },
    begin: async () => (await gate.journal.begin(beginning(await fixture.fence(), call))).kind,
    becomes(written: Record<string, unknown>) {
      gate = createGate({ ...fixture.ports, evaluate: evaluateBy(written) });
    },
  };
}

describe('where whoever asked may not approve', () => {
  const rule = { approvers: { from: '@finance', exclude_requester: true } };

  it('an edit approves nothing, and whoever made it is an author like them', async () => {
    const { say, begin } = await asked(rule);
    const changed = await say(bob, retro());
    expect(changed).toMatchObject({ state: 'pending', decision: null, votes: [], edits: [{ by: bob }] });
    expect(changed.askedAgain).toBe('Bob changed it, so somebody else must approve it.');
    expect(await refusal(say(bob))).toContain('You changed this, so somebody else must approve it');
    expect(await refusal(say(bob, retro()))).toContain('You changed this');
    expect((await say(carol)).state).toBe('approved');
    expect(await begin()).toBe('ready');
  });

  it('whoever made an earlier change is one too, until it is again what was proposed', async () => {
    const { say } = await asked(rule);
    await say(bob, retro('First'));
    await say(carol, retro('Second'));
    for (const actor of [bob, carol]) expect(await refusal(say(actor))).toContain('You changed this');
    const back = await say(carol, retro('Standup'));
    expect(back).toMatchObject({ state: 'pending', votes: [] });
    expect(back.edits).toBeUndefined();
    expect((await say(carol)).state).toBe('approved');
  });

  it('an author may still reject it', async () => {
    const { say } = await asked(rule);
    await say(bob, retro());
    expect((await say(bob, { type: 'reject', feedback: 'no' })).state).toBe('rejected');
  });

  it('neither who changed it in somebody’s place nor the one who was away approves it', async () => {
    const { say, delegate } = await asked(rule);
    await delegate(bob, dave);
    await say(dave, retro());
    await delegate(carol, dave);
    for (const actor of [bob, dave]) expect(await refusal(say(actor))).toContain('You changed this');
    expect((await say(carol)).state).toBe('approved');
  });

  it('that holds also where the policy said so only after the edit', async () => {
    const { say, becomes } = await asked({ approvers: { from: '@finance', quorum: 2 } });
    await say(bob, retro());
    becomes({ approvers: { from: '@finance', quorum: 2, exclude_requester: true } });
    expect(await say(carol)).toMatchObject({ state: 'pending', votes: [{ actor: carol }] });
    expect(await refusal(say(bob))).toContain('You changed this');
  });
});

describe('a word in somebody’s place', () => {
  it('is not upheld by somebody else who named the same person', async () => {
    const { gate, say, delegate, begin, call } = await asked({ approvers: { from: '@finance', quorum: 2 } });
    const { delegationId } = await delegate(bob, dave);
    await delegate(carol, dave, 2);
    expect((await say(dave)).votes).toMatchObject([{ actor: dave, for: bob }]);
    expect((await say(carol)).state).toBe('approved');
    await gate.delegation.end(delegationId, bob);
    expect(await begin()).toBe('waiting');
    expect((await call('c1')).votes).toMatchObject([{ actor: carol }]);
  });

  it('falls with the membership of whom it was for, and of nobody else', async () => {
    const { say, delegate, begin, finance } = await asked({ approvers: '@finance' });
    await delegate(bob, dave);
    await delegate(carol, dave, 2);
    await say(dave);
    finance.splice(1, 1);
    expect(await begin()).toBe('ready');
  });
});

describe('an edit that does not say of what', () => {
  it('counts for nothing once it is asked again', async () => {
    const { say, begin, finance, call } = await asked({ approvers: '@finance' });
    await say(bob);
    finance.splice(0, 1);
    expect(await begin()).toBe('waiting');
    const same = { type: 'edit', arguments: { title: 'Standup' }, digest: null } as const;
    expect(await refusal(say(carol, same))).toContain('This has changed since it was first shown');
    expect((await call('c1')).state).toBe('pending');
  });
});

describe('an account that was closed after a sign-in on the web', () => {
  it('approves nothing there', async () => {
    const { onTheWeb, standings } = await asked({ decide_on: 'web' });
    standings.set(ana.id, 'deactivated');
    expect(await refusal(onTheWeb(ana))).toContain('This account is deactivated');
  });

  it('is looked up again when the call is sent, however short a time after', async () => {
    const { onTheWeb, standings, begin } = await asked({ decide_on: 'web' });
    await onTheWeb(ana);
    standings.set(ana.id, 'deactivated');
    expect(await begin()).toBe('waiting');
  });
});

describe('several steps', () => {
  it('are approved by different people', async () => {
    const { say } = await asked({ approvers: { sequence: [{ from: refOf(bob) }, { from: '@finance' }] } });
    await say(bob);
    expect(await refusal(say(bob))).toContain('Your approval is already counted');
    expect((await say(carol)).state).toBe('approved');
  });

  it('leave whom a later one needs for that one', async () => {
    const { say } = await asked({ approvers: { sequence: [{ from: '@finance' }, { from: refOf(bob) }] } });
    expect(await refusal(say(bob))).toBe(
      'not_allowed: The rule needs your approval in step 2, so somebody else must approve step 1. Nothing was changed.',
    );
    expect(await say(bob, retro())).toMatchObject({ state: 'pending', votes: [] });
    await say(carol);
    expect((await say(bob)).state).toBe('approved');
  });

  it('do not let who is needed later approve in the place of somebody else', async () => {
    const { say, delegate } = await asked({
      approvers: { sequence: [{ from: '@finance' }, { from: refOf(dave) }] },
    });
    await delegate(bob, dave);
    expect(await refusal(say(dave))).toContain('The rule needs your approval in step 2');
  });

  it('let who is needed later reject before', async () => {
    const { say } = await asked({ approvers: { sequence: [{ from: '@finance' }, { from: refOf(bob) }] } });
    expect((await say(bob, { type: 'reject', feedback: 'no' })).state).toBe('rejected');
  });
});

describe('where it takes two to reject', () => {
  const rule = { approvers: { from: '@finance', quorum: 2, rejections: 2 } };

  it('no approver ends it by taking it back', async () => {
    const { say, call } = await asked(rule);
    expect(await refusal(say(bob, { type: 'withdraw' }))).toContain('Only Ana may withdraw this.');
    expect((await call('c1')).state).toBe('pending');
  });

  it('whoever stands in for the requester takes it back, in their name', async () => {
    const { say, delegate } = await asked(rule);
    await delegate(ana, dave);
    expect(await say(dave, { type: 'withdraw' })).toMatchObject({
      state: 'cancelled',
      decision: { actor: dave, for: ana },
    });
  });

  it('an edit leaves the first rejection, until who rejected says otherwise', async () => {
    const no = { type: 'reject', feedback: 'no' } as const;
    const first = await asked(rule);
    await first.say(carol, no);
    expect((await first.say(bob, retro())).votes).toMatchObject([
      { type: 'reject', earlier: true },
      { type: 'edit' },
    ]);
    const approved = await first.say(carol);
    expect(approved).toMatchObject({ state: 'approved', votes: [{ actor: bob }, { actor: carol }] });
    const second = await asked(rule);
    second.finance.push(dave.id);
    await second.say(carol, no);
    await second.say(bob, retro());
    expect(await second.say(carol, no)).toMatchObject({ state: 'pending' });
    expect((await second.say(dave, no)).state).toBe('rejected');
  });
});

describe('an edit without a change, under a policy that asks for more by now', () => {
  it('is an approval like any other', async () => {
    const two = { from: '@finance', quorum: 2 };
    const { say, becomes } = await asked({ approvers: two });
    await say(bob);
    becomes({ approvers: { ...two, from: ['@finance', refOf(dave)] } });
    const after = await say(carol, { type: 'edit', arguments: { title: 'Standup' } });
    expect(after).toMatchObject({ state: 'pending', votes: [{ actor: carol, type: 'approve' }] });
    expect(after.askedAgain).toContain('The policy now requires more approval');
  });
});

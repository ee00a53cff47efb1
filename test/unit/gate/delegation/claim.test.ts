import { describe, expect, it } from 'vitest';
import { currentClaim, isClaimable } from '../../../../src/gate/approval/claim-state.ts';
import { type PeopleDirectory, StandingUnknownError } from '../../../../src/gate/approval/people.ts';
import { auditEntries } from '../../../../src/gate/audit/chain.ts';
import type { Actor } from '../../../../src/gate/call/actor.ts';
import { refusal } from '../../../helpers/gate.ts';
import { ana, bob, carol, membersOnly } from '../../../helpers/people.ts';
import { HOUR, KEY, MINUTE, openTimedGate, rule } from '../../../helpers/timed-gate.ts';

const dave: Actor = { id: 'slack:T1:U4', name: 'Dave' };

/** A call of Ana's that waits for finance, which is Bob and Carol. */
async function asked(approvers: unknown = '@finance', keys = {}) {
  const finance = [bob.id, carol.id];
  const slack = { isAway: false };
  const people: PeopleDirectory = {
    ...membersOnly,
    async belongs(actor) {
      if (slack.isAway) throw new StandingUnknownError(new Error('away'));
      return finance.includes(actor.id);
    },
    nameOf: async (ref) => ref,
  };
  const fixture = await openTimedGate(rule({ approvers, ...keys }), { people });
  return {
    ...fixture,
    finance,
    slack,
    take: (actor: Actor, over = false) => fixture.gate.delegation.claim(KEY, actor, { over }),
    letGo: (actor: Actor) => fixture.gate.delegation.unclaim(KEY, actor),
    taker: async () => currentClaim(membersOnly, await fixture.call())?.by.name ?? null,
    async notes() {
      const { items } = await fixture.store.query(auditEntries, 'byThread', {}, 50);
      return items.map(({ value }) => value).filter(({ what }) => what === 'taken' || what === 'let_go');
    },
  };
}

describe('taking a call', () => {
  it('says who is on it, and takes nothing from anybody', async () => {
    const { take, taker, say, call } = await asked();
    await take(bob);
    expect(await taker()).toBe('Bob');
    await say(carol);
    expect((await call()).decision?.actor).toEqual(carol);
    expect(await taker()).toBeNull();
  });

  it('is for those who may decide it', async () => {
    const { take, taker } = await asked();
    expect(await refusal(take(dave))).toContain('not_allowed: Only');
    expect(await refusal(take(ana))).toContain('not_allowed: Only');
    expect(await taker()).toBeNull();
  });

  it('passes from one to another only where the other means it, and the record has both', async () => {
    const { take, taker, call, notes } = await asked();
    await take(bob);
    expect(await refusal(take(carol))).toContain('changed: Bob already claimed this.');
    expect(await taker()).toBe('Bob');
    await take(carol, true);
    expect((await call()).taken).toMatchObject({ by: carol, from: bob });
    expect((await notes()).at(-1)).toMatchObject({ what: 'taken', actor: carol, details: { from: bob.id } });
  });

  it('goes to one of two who do so at once', async () => {
    const { take, taker } = await asked();
    const done = await Promise.allSettled([take(bob), take(carol)]);
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(['Bob', 'Carol']).toContain(await taker());
  });

  it('is let go by whoever took it, and by nobody else', async () => {
    const { take, letGo, taker, notes } = await asked();
    expect(await refusal(letGo(bob))).toContain('You haven’t claimed this.');
    await take(bob);
    expect(await refusal(take(bob))).toContain('You already claimed this.');
    expect(await refusal(letGo(carol))).toContain('You haven’t claimed this.');
    await letGo(bob);
    expect(await taker()).toBeNull();
    expect((await notes()).map(({ what }) => what)).toEqual(['taken', 'let_go']);
  });

  it('is not possible once it is decided, or over', async () => {
    const { take, pass } = await asked('@finance', { deadline: '1h' });
    pass(2 * HOUR);
    expect(await refusal(take(bob))).toContain('already_decided');
  });

  it.each([
    ['one person decides', 'user:U2', false],
    ['two words are missing', { from: '@finance', quorum: 2 }, false],
    ['whoever asked decides', 'requester', false],
    ['a group decides', '@finance', true],
    ['one of two people decides', ['user:U2', 'user:U3'], true],
    ['anybody in the channel does', 'channel', true],
  ])('where %s', async (_who, approvers, isSo) => {
    const { call } = await asked(approvers);
    expect(isClaimable(await call())).toBe(isSo);
  });

  it('is not possible where nobody else would see it', async () => {
    const { take } = await asked('user:U2');
    expect(await refusal(take(bob))).toContain('Nobody else can decide this, so there’s nothing to claim.');
  });

  it('of a quorum is for the last word that is missing', async () => {
    const { take, say, taker, finance } = await asked({ from: '@finance', quorum: 2 });
    finance.push(dave.id);
    await say(bob);
    expect(await refusal(take(bob))).toContain('not_allowed');
    await take(carol);
    expect(await taker()).toBe('Carol');
  });

  it('ends with the step that it was at', async () => {
    const { take, say, taker, call } = await asked({
      sequence: [{ from: '@finance' }, { from: ['user:U2', 'user:U4'] }],
    });
    await take(bob);
    await say(carol);
    expect((await call()).state).toBe('pending');
    expect(await taker()).toBeNull();
  });

  it('ends when others are asked anew', async () => {
    const { take, taker, call } = await asked();
    await take(bob);
    const { timing, ...rest } = await call();
    const later = { ...rest, timing: timing && { ...timing, askedSince: timing.askedSince + 1 } };
    expect(await taker()).toBe('Bob');
    expect(
      currentClaim(membersOnly, { ...rest, ...(later.timing ? { timing: later.timing } : {}) }),
    ).toBeNull();
  });

  it('ends when they hand it over', async () => {
    const { take, gate, taker } = await asked();
    await take(bob);
    await gate.delegation.reassign(KEY, bob, { to: dave, digest: null });
    expect(await taker()).toBeNull();
  });

  it('ends at the next rung when they may not decide any more', async () => {
    const { take, taker, finance, gate, pass, notes, slack } = await asked('@finance', {
      ladder: [
        { after: '10m', remind: true },
        { after: '20m', remind: true },
      ],
    });
    await take(bob);
    finance.splice(0, finance.length, carol.id);
    slack.isAway = true;
    pass(11 * MINUTE);
    await gate.requests.escalate();
    expect(await taker()).toBe('Bob');
    slack.isAway = false;
    pass(10 * MINUTE);
    await gate.requests.escalate();
    expect(await taker()).toBeNull();
    expect((await notes()).at(-1)).toMatchObject({ what: 'let_go', actor: { id: 'system' } });
  });
});

import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../../src/gate/call/actor.ts';
import { callKey } from '../../../../src/gate/call/digest.ts';
import type { Outcome } from '../../../../src/gate/call/outcome.ts';
import { createGate } from '../../../../src/gate/index.ts';
import { compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import { beginning, openGate, opening, proposed } from '../../../helpers/gate.ts';
import { ana, bob, THREAD } from '../../../helpers/people.ts';

const carol: Actor = { id: 'slack:T1:Ucarol', name: 'Carol' };
const refOf = ({ id }: Actor) => `user:${id.split(':')[2]}`;
const LOST: Outcome = { status: 'in_doubt', message: 'The connection was lost.' };

/** A fixture whose policy is replaced, as by a restart with another file. */
async function opened(rule: Record<string, unknown>) {
  const evaluateBy = (written: Record<string, unknown>) =>
    compilePolicy(policySchema.parse({ rules: [{ tools: '*.create_event', ...written }] }));
  const fixture = openGate({ evaluate: evaluateBy(rule), isIdempotent: () => true });
  let { gate } = fixture;
  const decide = async (actor: Actor, more: Record<string, unknown> = {}) => {
    const { digest } = await fixture.call('c1');
    await gate.decisions.decide(
      [{ callKey: callKey(THREAD, 'c1'), digest, type: 'approve', ...more }],
      actor,
    );
    return fixture.call('c1');
  };
  return {
    fixture,
    decide,
    open: async () => gate.requests.open(opening(await fixture.fence(), proposed('c1'))),
    begin: async () => gate.journal.begin(beginning(await fixture.fence(), proposed('c1'))),
    finish: (outcome: Outcome) => fixture.call('c1').then((call) => gate.journal.finish(call, outcome)),
    sendAgain: async () => gate.journal.retry(await fixture.call('c1'), { fence: await fixture.fence() }),
    becomes(written: Record<string, unknown>) {
      gate = createGate({ ...fixture.ports, evaluate: evaluateBy(written) });
    },
  };
}

describe('when the policy asks for more than it did', () => {
  it('a call that it let through and that was not sent yet waits for people', async () => {
    const { fixture, begin, becomes } = await opened({ action: 'allow' });
    const begun = await begin();
    expect(begun.kind).toBe('ready');
    // As after a sign-in that the server wanted first.
    await fixture.gate.elicitation.block(begun.call, {
      kind: 'oauth_url',
      elicitationId: 'e1',
      url: 'https://example.com',
      message: 'sign in',
    });
    await fixture.gate.elicitation.retry(callKey(THREAD, 'c1'), ana);
    becomes({ action: 'ask', approvers: refOf(bob) });
    expect((await begin()).kind).toBe('waiting');
    expect(await fixture.call('c1')).toMatchObject({ state: 'pending', verdict: { action: 'ask' } });
  });

  it('between two approvals, the first of them counts no more', async () => {
    const { fixture, open, decide, becomes } = await opened({
      action: 'ask',
      approvers: { from: [refOf(ana), refOf(bob)], quorum: 2 },
    });
    await open();
    await decide(ana);
    becomes({
      action: 'ask',
      approvers: {
        sequence: [{ from: refOf(carol) }, { from: [refOf(ana), refOf(bob)], quorum: 2 }],
      },
    });
    const after = await decide(bob);
    expect(after).toMatchObject({ state: 'pending' });
    expect(after.askedAgain).toContain('The policy now requires more approval');
    // Everybody who is asked now can still say so, in the order that holds now.
    for (const actor of [ana, bob, carol, ana, bob]) await decide(actor).catch(() => undefined);
    expect((await fixture.call('c1')).state).toBe('approved');
  });

  it('a word that was typed by nobody does not count beside one that was', async () => {
    const approvers = { from: [refOf(ana), refOf(bob)], quorum: 2 };
    const { open, decide, becomes } = await opened({ action: 'ask', approvers });
    await open();
    await decide(ana);
    becomes({ action: 'ask', approvers, confirm_by_typing: 'title' });
    expect(await decide(bob, { typed: { title: 'Standup' } })).toMatchObject({ state: 'pending' });
    expect(await decide(ana, { typed: { title: 'Standup' } })).toMatchObject({ state: 'approved' });
  });

  it('a call whose worker stopped is not sent once more by itself', async () => {
    const { fixture, open, decide, begin, becomes } = await opened({ action: 'ask' });
    await open();
    await decide(ana);
    expect((await begin()).kind).toBe('ready');
    becomes({ action: 'ask', approvers: refOf(bob) });
    await begin();
    expect(await fixture.call('c1')).toMatchObject({ state: 'in_doubt', attempt: 1 });
  });

  it('an answer that was lost is not asked for once more by itself', async () => {
    const { open, decide, begin, becomes, sendAgain, finish } = await opened({ action: 'ask' });
    await open();
    await decide(ana);
    await begin();
    becomes({ action: 'ask', approvers: refOf(bob) });
    expect(await sendAgain()).toBeNull();
    expect((await finish(LOST)).state).toBe('in_doubt');
  });
});

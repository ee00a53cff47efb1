import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../../src/gate/call/actor.ts';
import type { DecisionInput } from '../../../../src/gate/call/decision.ts';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { RefusalError } from '../../../../src/gate/call/refusal.ts';
import { createGate } from '../../../../src/gate/index.ts';
import { compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import { beginning, openGate, opening, proposed } from '../../../helpers/gate.ts';
import { ana, bob, THREAD } from '../../../helpers/people.ts';

const refOf = ({ id }: Actor) => `user:${id.split(':')[2]}`;
const WEB = { action: 'ask', decide_on: 'web' };
const key = callKey(THREAD, 'c1');

/** A call that is asked about under this rule, by a gate whose policy can be replaced. */
async function asked(rule: Record<string, unknown> = WEB) {
  const evaluateBy = (written: Record<string, unknown>) =>
    compilePolicy(policySchema.parse({ rules: [{ tools: '*.create_event', ...written }] }));
  const fixture = openGate({ evaluate: evaluateBy(rule) });
  let { gate } = fixture;
  await gate.requests.open(opening(await fixture.fence(), proposed('c1')));
  const input = async (more: Partial<DecisionInput> = {}): Promise<DecisionInput> => {
    const { digest } = await fixture.call('c1');
    return { callKey: key, digest, type: 'approve', ...more };
  };
  return {
    fixture,
    call: () => fixture.call('c1'),
    gate: () => gate,
    input,
    click: async (actor: Actor, more: Partial<DecisionInput> = {}) => {
      await gate.decisions.decide([await input(more)], actor);
      return fixture.call('c1');
    },
    onTheWeb: async (actor: Actor, more: Partial<DecisionInput> = {}) => {
      await gate.decisions.decideOnWeb([await input(more)], actor);
      return fixture.call('c1');
    },
    begin: async () => (await gate.journal.begin(beginning(await fixture.fence(), proposed('c1')))).kind,
    becomes(written: Record<string, unknown>) {
      gate = createGate({ ...fixture.ports, evaluate: evaluateBy(written) });
    },
  };
}

async function refusalOf(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => null,
    (reason: unknown) => reason,
  );
  return error instanceof RefusalError ? error.refusal : `no refusal: ${String(error)}`;
}

describe('where the rule has calls decided on the web', () => {
  it('a click approves nothing, whatever it says of itself', async () => {
    const { click, gate, input, call, begin } = await asked();
    expect(await refusalOf(click(ana))).toBe('web_required');
    // What comes from outside may hold anything.
    const forged = { ...(await input()), via: 'web' };
    expect(await refusalOf(gate().decisions.decide([forged], ana))).toBe('web_required');
    expect(await call()).toMatchObject({ state: 'pending', decision: null });
    expect(await begin()).toBe('waiting');
  });

  it('a word on the web approves it, and the record says so', async () => {
    const { onTheWeb, begin } = await asked();
    expect(await onTheWeb(ana)).toMatchObject({
      state: 'approved',
      decision: { type: 'approve', via: 'web' },
    });
    expect(await begin()).toBe('ready');
  });

  it('who may not decide may not on the web either', async () => {
    const { onTheWeb, call } = await asked();
    expect(await refusalOf(onTheWeb(bob))).toBe('not_allowed');
    expect((await call()).state).toBe('pending');
  });

  it('an edit changes it and approves nothing, with or without a change', async () => {
    const { click, onTheWeb } = await asked();
    const same = { type: 'edit', arguments: { title: 'Standup' } } as const;
    expect(await refusalOf(click(ana, same))).toBe('web_required');
    const changed = await click(ana, { type: 'edit', arguments: { title: 'Lunch' } });
    expect(changed).toMatchObject({ state: 'pending', arguments: { title: 'Lunch' }, votes: [] });
    expect(changed.askedAgain).toContain('it isn’t approved yet');
    expect(await onTheWeb(ana)).toMatchObject({ state: 'approved', arguments: { title: 'Lunch' } });
  });

  it('everybody whom the rule wants must say so there', async () => {
    const { click, onTheWeb } = await asked({
      ...WEB,
      approvers: { from: [refOf(ana), refOf(bob)], quorum: 2 },
    });
    expect(await onTheWeb(ana)).toMatchObject({ state: 'pending', votes: [{ via: 'web' }] });
    expect(await refusalOf(click(bob))).toBe('web_required');
    expect((await onTheWeb(bob)).state).toBe('approved');
  });

  it.each([
    ['rejected', { type: 'reject', feedback: 'no' }],
    ['ignored', { type: 'ignore', feedback: 'no' }],
    ['cancelled', { type: 'withdraw' }],
  ] as const)('it is %s by a click all the same', async (state, word) => {
    const { click } = await asked();
    expect((await click(ana, word)).state).toBe(state);
  });

  it('nobody approves others like it along with it', async () => {
    const { gate, call, fixture } = await asked();
    const { digest } = await call();
    const terms = { fixed: [], scope: 'thread', until: fixture.time.now + 1_000, limit: 1 } as const;
    expect(await refusalOf(gate().grants.checkIssuable(key, ana))).toBe('not_applicable');
    expect(await refusalOf(gate().grants.approveAndIssue(key, ana, { digest, terms }))).toBe('web_required');
  });
});

describe('when the policy wants calls decided on the web by now', () => {
  it('what was approved by a click and not sent yet is asked again', async () => {
    const { click, onTheWeb, begin, becomes, call } = await asked({ action: 'ask' });
    await click(ana);
    becomes(WEB);
    expect(await begin()).toBe('waiting');
    expect((await call()).askedAgain).toContain('The policy now requires more approval');
    expect(await refusalOf(click(ana))).toBe('web_required');
    await onTheWeb(ana);
    expect(await begin()).toBe('ready');
  });

  it('a click on a card of before approves nothing, and earlier ones count no more', async () => {
    const approvers = { from: [refOf(ana), refOf(bob)], quorum: 2 };
    const { click, onTheWeb, becomes } = await asked({ action: 'ask', approvers });
    await click(ana);
    becomes({ ...WEB, approvers });
    expect(await refusalOf(click(bob))).toBe('web_required');
    expect(await onTheWeb(bob)).toMatchObject({ state: 'pending', votes: [{ actor: bob }] });
    expect((await onTheWeb(ana)).state).toBe('approved');
  });
});

describe('opening a form', () => {
  it('is possible where it takes several to reject', async () => {
    const { gate, call } = await asked({ action: 'ask', approvers: { from: refOf(ana), rejections: 2 } });
    const { digest } = await call();
    await expect(gate().decisions.checkDecidable(key, ana, { digest })).resolves.toBeUndefined();
    expect(await refusalOf(gate().decisions.checkDecidable(key, bob, { digest }))).toBe('not_allowed');
  });
});

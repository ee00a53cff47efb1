import { beforeEach, describe, expect, it } from 'vitest';
import type { DecisionInput } from '../../../../src/gate/call/decision.ts';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import type { Evaluate } from '../../../../src/gate/policy/ports.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import {
  beginning,
  type OpenGate,
  openGate,
  opening,
  proposed,
  question,
  refusalOf,
} from '../../../helpers/gate.ts';
import { ana, bob, THREAD } from '../../../helpers/people.ts';

let fixture: OpenGate;
beforeEach(async () => {
  fixture = openGate();
  const asked = { ...proposed('q1'), kind: 'question' as const, tool: question };
  await fixture.gate.requests.open(opening(await fixture.fence(), proposed('c1'), proposed('c2'), asked));
});

async function decide(callId: string, input: Partial<DecisionInput>, actor = ana) {
  const { digest } = await fixture.call(callId);
  const decision = { callKey: callKey(THREAD, callId), digest, type: 'approve' as const, ...input };
  return fixture.gate.decisions.decide([decision], actor);
}

describe('a decision', () => {
  it('to approve lets the call run as it was proposed', async () => {
    const [call] = await decide('c1', { type: 'approve' });
    expect(call).toMatchObject({ state: 'approved', arguments: { title: 'Standup' } });
    expect(call?.decision).toEqual({ type: 'approve', actor: ana, at: fixture.time.now, feedback: null });
  });

  it('to edit without a change is an approval', async () => {
    const before = await fixture.call('c1');
    const [call] = await decide('c1', { type: 'edit', arguments: before.arguments });
    expect(call).toMatchObject({ state: 'approved', digest: before.digest, decision: { type: 'approve' } });
  });

  it('to edit puts the new arguments and their digest in place, and keeps the proposed ones', async () => {
    const { digest } = await fixture.call('c1');
    const [call] = await decide('c1', { type: 'edit', arguments: { title: 'Retro' } });
    expect(call).toMatchObject({
      state: 'approved',
      arguments: { title: 'Retro' },
      proposedArguments: { title: 'Standup' },
    });
    expect(call?.digest).not.toBe(digest);
  });

  it('to reject ends the call with its reason', async () => {
    const [call] = await decide('c1', { type: 'reject', feedback: ' make it 10am ' });
    expect(call).toMatchObject({ state: 'rejected', endedAt: fixture.time.now, outcome: null });
    expect(call?.decision?.feedback).toBe('make it 10am');
  });

  it('to ignore ends the call without a reason', async () => {
    const [call] = await decide('c1', { type: 'ignore' });
    expect(call).toMatchObject({ state: 'ignored', endedAt: fixture.time.now });
  });

  it('to answer gives the question its result', async () => {
    const [call] = await decide('q1', { type: 'answer', feedback: 'at ten' });
    expect(call).toMatchObject({
      state: 'succeeded',
      outcome: { status: 'succeeded', content: [{ type: 'text', text: 'at ten' }] },
    });
  });

  it('is announced once, with the calls as they are after', async () => {
    fixture.events.length = 0;
    await decide('c1', { type: 'approve' });
    expect(fixture.events).toMatchObject([{ type: 'decided', calls: [{ callId: 'c1', state: 'approved' }] }]);
  });

  it('leaves the other calls of the request as they are', async () => {
    await decide('c1', { type: 'approve' });
    expect((await fixture.call('c2')).state).toBe('pending');
  });
});

describe('a decision is refused', () => {
  it('on a call that does not exist', async () => {
    const input: DecisionInput = { callKey: 'nothing', digest: null, type: 'approve' };
    expect((await refusalOf(fixture.gate.decisions.decide([input], ana))).refusal).toBe('unknown_call');
  });

  it('on a call that nobody was asked about', async () => {
    const list = proposed('r1', { name: 'list_events' });
    await fixture.gate.journal.begin(beginning(await fixture.fence(), list));
    expect((await refusalOf(decide('r1', {}))).refusal).toBe('already_decided');
  });

  it('by somebody who may not decide, and says who may', async () => {
    const refusal = await refusalOf(decide('c1', {}, bob));
    expect(refusal.refusal).toBe('not_allowed');
    expect(refusal.userMessage).toContain('Only Ana');
    expect((await fixture.call('c1')).state).toBe('pending');
  });

  it('the second time, and says what was decided and by whom', async () => {
    await decide('c1', { type: 'edit', arguments: { title: 'Retro' } });
    const refusal = await refusalOf(decide('c1', { type: 'reject', feedback: 'no' }));
    expect(refusal).toMatchObject({ refusal: 'already_decided', call: { state: 'approved' } });
    expect(refusal.userMessage).toBe('You already approved this, with your changes. It runs once.');
  });

  it('by somebody else after it was decided, and says who decided', async () => {
    await decide('c1', { type: 'reject', feedback: 'no' });
    const refusal = await refusalOf(decide('c1', {}, bob));
    expect(refusal.userMessage).toBe('This was already rejected by Ana. Nothing was changed.');
  });

  it('when something else was shown', async () => {
    expect((await refusalOf(decide('c1', { digest: 'another' }))).refusal).toBe('changed');
  });

  it('after the deadline, and ends the call before a sweep does', async () => {
    fixture.time.now += 60_000;
    expect((await refusalOf(decide('c1', {}))).refusal).toBe('expired');
    // No sweep has run, as where those of other processes go by slower clocks.
    expect(await fixture.call('c1')).toMatchObject({ state: 'expired', decision: null });
    expect(fixture.events.at(-1)).toMatchObject({ type: 'decided' });
  });

  it('after the deadline when a form for it is opened, which ends the call, too', async () => {
    fixture.time.now += 60_000;
    const { digest } = await fixture.call('c1');
    await expect(
      fixture.gate.decisions.checkDecidable(callKey(THREAD, 'c1'), ana, { digest }),
    ).rejects.toMatchObject({
      refusal: 'expired',
    });
    expect(await fixture.call('c1')).toMatchObject({ state: 'expired', decision: null });
  });

  it.each(['', '   '])('as “do that instead” with “%s”', async (feedback) => {
    const decision = { type: 'reject', feedback, instead: true } as const;
    expect((await refusalOf(decide('c1', decision))).refusal).toBe('feedback_required');
    expect((await fixture.call('c1')).state).toBe('pending');
  });

  it('as an empty answer', async () => {
    expect((await refusalOf(decide('q1', { type: 'answer', feedback: ' ' }))).refusal).toBe(
      'feedback_required',
    );
  });

  it('as an approval of a question', async () => {
    expect((await refusalOf(decide('q1', { type: 'approve' }))).refusal).toBe('not_applicable');
  });

  it('as an answer to an action', async () => {
    expect((await refusalOf(decide('c1', { type: 'answer', feedback: 'yes' }))).refusal).toBe(
      'not_applicable',
    );
  });

  it('for two words on one call', async () => {
    const input: DecisionInput = { callKey: callKey(THREAD, 'c1'), digest: null, type: 'approve' };
    expect((await refusalOf(fixture.gate.decisions.decide([input, input], ana))).refusal).toBe(
      'not_applicable',
    );
  });

  it('when the edited arguments do not fit, each problem by itself', async () => {
    const refusal = await refusalOf(decide('c1', { type: 'edit', arguments: { title: 5, room: 'A' } }));
    expect(refusal.refusal).toBe('invalid_arguments');
    expect(refusal.details).toEqual(['room is not an argument of this tool', 'title must be a string']);
  });

  it('when an edit has no arguments', async () => {
    expect((await refusalOf(decide('c1', { type: 'edit' }))).refusal).toBe('invalid_arguments');
  });

  it('when the edited arguments hold what has no exact text', async () => {
    const edit = { type: 'edit' as const, arguments: { title: '\ud800' } };
    expect((await refusalOf(decide('c1', edit))).refusal).toBe('invalid_arguments');
  });
});

describe('a policy that became stricter', () => {
  const denied = compilePolicy(policySchema.parse({ default: 'deny' }));
  const asked = compilePolicy(policySchema.parse({}));
  let evaluate: Evaluate = asked;

  beforeEach(async () => {
    evaluate = asked;
    fixture = openGate({ evaluate: (call) => evaluate(call) });
    await fixture.gate.requests.open(opening(await fixture.fence(), proposed('c1')));
    evaluate = denied;
  });

  it.each<Partial<DecisionInput>>([{ type: 'approve' }, { type: 'edit', arguments: { title: 'Retro' } }])(
    'refuses to $type what was still asked about',
    async (input) => {
      expect((await refusalOf(decide('c1', input))).refusal).toBe('denied_by_policy');
      expect((await fixture.call('c1')).state).toBe('pending');
    },
  );

  it('denies what was approved before and not yet sent', async () => {
    evaluate = asked;
    await decide('c1', {});
    evaluate = denied;
    const begun = await fixture.gate.journal.begin(beginning(await fixture.fence(), proposed('c1')));
    expect(begun).toMatchObject({ kind: 'ended', call: { state: 'denied', attempt: 0 } });
  });
});

describe('several decisions at once', () => {
  const both = (): DecisionInput[] =>
    ['c1', 'c2'].map((id) => ({ callKey: callKey(THREAD, id), digest: null, type: 'approve' }));

  it('are made together', async () => {
    const decided = await fixture.gate.decisions.decide(both(), ana);
    expect(decided.map((call) => call.state)).toEqual(['approved', 'approved']);
  });

  it('on nothing change nothing and tell nobody', async () => {
    fixture.events.length = 0;
    expect(await fixture.gate.decisions.decide([], ana)).toEqual([]);
    expect(fixture.events).toEqual([]);
  });

  it('change nothing when one of them is refused', async () => {
    await decide('c2', { type: 'reject', feedback: 'no' });
    await refusalOf(fixture.gate.decisions.decide(both(), ana));
    expect((await fixture.call('c1')).state).toBe('pending');
  });

  it('on one call by a hundred people’s clicks are won by exactly one', async () => {
    const clicks = Array.from({ length: 100 }, (_, index) =>
      decide('c1', index % 2 === 0 ? { type: 'approve' } : { type: 'reject', feedback: `no ${index}` }),
    );
    const results = await Promise.allSettled(clicks);
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    const refusals = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason.refusal] : [],
    );
    expect(new Set(refusals)).toEqual(new Set(['already_decided']));
    expect(fixture.events.filter((event) => event.type === 'decided')).toHaveLength(1);
  });
});

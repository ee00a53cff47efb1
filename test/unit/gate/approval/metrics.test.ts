import { beforeEach, describe, expect, it } from 'vitest';
import { type ApprovalSample, computeApprovalMetrics } from '../../../../src/gate/approval/metrics.ts';
import type { Actor } from '../../../../src/gate/call/actor.ts';
import type { DecisionInput } from '../../../../src/gate/call/decision.ts';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import { type OpenGate, openGate, opening, proposed, question } from '../../../helpers/gate.ts';
import { ana, bob, THREAD } from '../../../helpers/people.ts';

let fixture: OpenGate;
let requests = 0;
beforeEach(() => {
  fixture = openGate();
});

/** Puts calls to Ana now, in a request of their own. */
async function ask(...callIds: readonly string[]): Promise<void> {
  requests += 1;
  const calls = callIds.map((callId) => proposed(callId));
  await fixture.gate.requests.open({
    ...opening(await fixture.fence(), ...calls),
    interruptId: `i${requests}`,
  });
}

async function decide(callId: string, afterMs: number, input: Partial<DecisionInput> = {}): Promise<void> {
  fixture.time.now += afterMs;
  const decision = { callKey: callKey(THREAD, callId), digest: null, type: 'approve' as const, ...input };
  await fixture.gate.decisions.decide([decision], ana);
}

const facts = () => fixture.gate.calls.approvalFacts(0, 100);
const health = async () => computeApprovalMetrics(await facts(), 0);

describe('the health of approvals', () => {
  it('does not count what a program decided: it reads nothing', async () => {
    const program = { id: 'api:ci', name: 'ci' };
    const opened = opening(await fixture.fence(), proposed('by a key'));
    await fixture.gate.requests.open({ ...opened, requester: program });
    const { digest } = await fixture.call('by a key');
    const decision = { callKey: callKey(THREAD, 'by a key'), digest, type: 'approve' as const };
    await fixture.gate.decisions.decide([decision], program);
    expect((await fixture.call('by a key')).decision?.actor.name).toBe('ci');
    expect(await facts()).toEqual([]);
  });

  it('counts decisions, waits, unread approvals and what expired', async () => {
    await ask('quick', 'slow', 'rejected');
    await decide('quick', 2_999);
    await decide('slow', 1, { type: 'edit', arguments: { title: 'Retro' } });
    await decide('rejected', 7_000, { type: 'reject', feedback: 'no' });
    await ask('late');
    fixture.time.now += 60_001;
    await fixture.gate.requests.expire();
    expect(await health()).toEqual([
      {
        rule: 'default',
        decided: 3,
        approved: 2,
        unread: 1,
        expired: 1,
        medianWaitMs: 3_000,
        p95WaitMs: 10_000,
        unreadShare: 0.5,
        expiredShare: 0.25,
      },
    ]);
  });

  it('looks at every approval by itself, from when that person could see what they approve', async () => {
    const approvers = { from: ['user:U1', 'user:U2'], quorum: 2 };
    const rules = [{ name: 'two', tools: '*', action: 'ask', approvers }];
    const two = openGate({ evaluate: compilePolicy(policySchema.parse({ rules })) });
    await two.gate.requests.open(opening(await two.fence(), proposed('c1')));
    const say = async (actor: Actor, afterMs: number, more: Partial<DecisionInput> = {}) => {
      two.time.now += afterMs;
      const { digest } = await two.call('c1');
      await two.gate.decisions.decide(
        [{ callKey: callKey(THREAD, 'c1'), digest, type: 'approve', ...more }],
        actor,
      );
    };
    // Long after it was asked, but a second after it was changed.
    await say(ana, 30_000, { type: 'edit', arguments: { title: 'Retro' } });
    await say(bob, 1_000);
    expect(computeApprovalMetrics(await two.gate.calls.approvalFacts(0, 10), 0)).toMatchObject([
      { decided: 1, medianWaitMs: 31_000, unreadShare: 0.5 },
    ]);
  });

  it('leaves out what nobody decided: what waits, was taken back, or was never asked', async () => {
    await ask('waits', 'taken back');
    await decide('taken back', 10, { type: 'withdraw' });
    const answered = { ...proposed('question'), kind: 'question' as const, tool: question };
    await fixture.gate.requests.open({ ...opening(await fixture.fence(), answered), interruptId: 'asks' });
    await decide('question', 10, { type: 'answer', feedback: 'yes' });
    const begun = { threadId: THREAD, runId: 'r1', requester: ana, fence: await fixture.fence() };
    await fixture.gate.journal.begin({ ...begun, call: proposed('read', { name: 'list_events' }, {}) });
    expect(await facts()).toEqual([]);
  });

  it('counts a person’s “ignore” as a decision, and as no approval', async () => {
    await ask('ignored');
    await decide('ignored', 10, { type: 'ignore' });
    expect(await health()).toMatchObject([{ decided: 1, unreadShare: null, expiredShare: 0 }]);
  });

  it('looks at the latest calls, so many and no more, since a time', async () => {
    for (const callId of ['first', 'second', 'third']) {
      await ask(callId);
      await decide(callId, 100);
    }
    const asked = 1_000_000;
    expect((await facts()).map(({ askedAt }) => askedAt - asked)).toEqual([200, 100, 0]);
    expect(await fixture.gate.calls.approvalFacts(0, 2)).toHaveLength(2);
    expect(await fixture.gate.calls.approvalFacts(asked + 100, 100)).toHaveLength(2);
  });
});

const fact = (changes: Partial<ApprovalSample>): ApprovalSample => ({
  rule: 'writes',
  askedAt: 10,
  waitMs: 5_000,
  approvalWaitsMs: [5_000],
  isExpired: false,
  ...changes,
});

describe('per rule', () => {
  it('the busiest is first, and older calls are left out', () => {
    const found = computeApprovalMetrics(
      [fact({ rule: 'quiet' }), fact({}), fact({}), fact({ rule: 'old', askedAt: 9 })],
      10,
    );
    expect(found.map(({ rule, decided }) => [rule, decided])).toEqual([
      ['writes', 2],
      ['quiet', 1],
    ]);
  });

  it.each([
    [[7], 7, 7],
    [[1, 2], 1, 2],
    [[3, 1, 2], 2, 3],
    [Array.from({ length: 100 }, (_, index) => index + 1), 50, 95],
  ])('waits of %j have this median and 95th percentile', (waits, median, p95) => {
    const [only] = computeApprovalMetrics(
      waits.map((waitMs) => fact({ waitMs })),
      0,
    );
    expect([only?.medianWaitMs, only?.p95WaitMs]).toEqual([median, p95]);
  });

  it('a rule under which all expired has shares where there is something to divide by', () => {
    expect(computeApprovalMetrics([fact({ waitMs: null, approvalWaitsMs: [], isExpired: true })], 0)).toEqual(
      [
        {
          rule: 'writes',
          decided: 0,
          approved: 0,
          unread: 0,
          expired: 1,
          medianWaitMs: null,
          p95WaitMs: null,
          unreadShare: null,
          expiredShare: 1,
        },
      ],
    );
  });
});

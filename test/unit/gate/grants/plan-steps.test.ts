import { beforeEach, describe, expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { grants } from '../../../../src/gate/grants/record.ts';
import { compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import { beginning, type OpenGate, openGate, opening, proposed } from '../../../helpers/gate.ts';
import { ana, membersOnly, THREAD } from '../../../helpers/people.ts';

const DAY = 86_400_000;

let fixture: OpenGate;
let rules: unknown[];
beforeEach(() => {
  rules = [];
  const evaluate = (call: Parameters<ReturnType<typeof compilePolicy>>[0]) =>
    compilePolicy(policySchema.parse({ rules }))(call);
  fixture = openGate({ evaluate, people: membersOnly });
});

const one = proposed('c1');
const two = { ...proposed('c2'), after: ['c1'] };
const other = { ...proposed('c2', {}, { title: 'Another' }), after: ['c1'] };

/** Has a call like the first step approved and remembered, for so many uses. */
async function remember(limit: number) {
  const call = proposed('g');
  await fixture.gate.requests.open({ ...opening(await fixture.fence(), call), interruptId: 'g' });
  const { digest } = await fixture.call('g');
  const terms = { fixed: ['title'], scope: 'thread' as const, until: 1_000_000 + DAY, limit };
  return fixture.gate.grants.approveAndIssue(callKey(THREAD, 'g'), ana, { digest, terms });
}

async function open(...steps: Parameters<typeof opening>[1][]) {
  const fence = await fixture.fence();
  const plan = { title: 'Two meetings', later: [] };
  return { fence, request: await fixture.gate.requests.open({ ...opening(fence, ...steps), plan }) };
}

const states = async () => [(await fixture.call('c1')).state, (await fixture.call('c2')).state];
async function uses(): Promise<number[]> {
  const page = await fixture.store.query(grants, 'byPerson', {}, 10);
  return page.items.map(({ value }) => value.used);
}

describe('a step of a plan that a grant covers', () => {
  it('is let through in its turn, and counted when it begins', async () => {
    const { grantId } = await remember(3);
    const { fence } = await open({ ...one, after: [] }, other);
    expect(await states()).toEqual(['allowed', 'pending']);
    expect(await uses()).toEqual([0]);
    const begun = await fixture.gate.journal.begin(beginning(fence, one));
    expect(begun).toMatchObject({ kind: 'ready', call: { grant: { grantId, by: ana }, decision: null } });
    expect(await uses()).toEqual([1]);
  });

  it('uses nothing up where it never runs', async () => {
    await remember(3);
    const { fence, request } = await open({ ...proposed('c1', {}, { title: 'Another' }), after: [] }, two);
    expect(await states()).toEqual(['pending', 'allowed']);
    const { digest } = await fixture.call('c1');
    await fixture.gate.decisions.decide([{ callKey: callKey(THREAD, 'c1'), digest, type: 'reject' }], ana);
    await fixture.gate.requests.withdrawBroken(request.requestId, fence);
    expect(await states()).toEqual(['rejected', 'cancelled']);
    expect(await uses()).toEqual([0]);
  });

  it('is asked about where the uses that are left are for the steps before it', async () => {
    await remember(1);
    await open({ ...one, after: [] }, two);
    expect(await states()).toEqual(['allowed', 'pending']);
  });

  it('is asked about after all where the grant was used up, or ended, before its turn', async () => {
    const { grantId } = await remember(2);
    const { fence } = await open({ ...one, after: [] }, two);
    expect(await states()).toEqual(['allowed', 'allowed']);
    const { call } = await fixture.gate.journal.begin(beginning(fence, one));
    await fixture.gate.journal.finish(call, { status: 'succeeded', content: [], structured: null });
    await fixture.gate.grants.revoke(grantId, ana);
    expect((await fixture.gate.journal.begin(beginning(fence, two))).kind).toBe('waiting');
    expect(await fixture.call('c2')).toMatchObject({
      state: 'pending',
      askedAgain: expect.stringContaining(ana.name),
    });
    expect(await uses()).toEqual([1]);
  });

  it.each([
    ['never to be remembered', { remember: 'never' }, 'pending'],
    ['for several to approve', { approvers: { quorum: 2, from: ['user:U1', 'user:U2'] } }, 'pending'],
  ])('is asked about where the rule has become one %s, at its beginning too', async (_what, rule, state) => {
    await remember(3);
    const { fence } = await open({ ...one, after: [] });
    rules.push({ tools: '*', action: 'ask', ...rule });
    expect((await fixture.gate.journal.begin(beginning(fence, one))).kind).toBe('waiting');
    expect((await fixture.call('c1')).state).toBe(state);
    expect(await uses()).toEqual([0]);
  });

  it('does not run where the policy denies it by then', async () => {
    await remember(3);
    const { fence } = await open({ ...one, after: [] });
    rules.push({ tools: '*', action: 'deny' });
    expect(await fixture.gate.journal.begin(beginning(fence, one))).toMatchObject({
      kind: 'ended',
      call: { state: 'denied' },
    });
    expect(await uses()).toEqual([0]);
  });
});

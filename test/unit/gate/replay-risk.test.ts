import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CallRecord } from '../../../src/gate/call/record.ts';
import { RefusalError } from '../../../src/gate/call/refusal.ts';
import { compilePolicy } from '../../../src/gate/policy/evaluate.ts';
import { type Policy, policySchema } from '../../../src/gate/policy/schema.ts';
import { type ReplayedCall, replayPolicy } from '../../../src/gate/replay-policy.ts';
import { recordKey } from '../../../src/gate/types.ts';
import type { Store } from '../../../src/storage/store.ts';
import { proposed } from '../../helpers/gate.ts';
import { ana } from '../../helpers/people.ts';
import { openRiskGate, riskPorts } from '../../helpers/risk.ts';

const TOOLS = [
  'mail.list_mail',
  'mail.list_vault',
  'web.list_page',
  'mail.send_mail',
  'mail.post_public',
  'mail.list_time',
  'mail.list_closed',
] as const;
const SESSIONS = ['one', 'two'] as const;
const ALL = policySchema.parse({ default: 'allow' });
const READERS_ASK = policySchema.parse({
  default: 'allow',
  rules: [
    { name: 'after a page', tools: 'mail.*', action: 'deny', when: { 'session.has_read': 'untrusted' } },
  ],
});

/** What people do with a call that they are asked about, and how many calls later. */
const wishArbitrary = fc.record({
  session: fc.constantFrom(...SESSIONS),
  tool: fc.constantFrom(...TOOLS),
  decision: fc.constantFrom('approve', 'reject', null),
  after: fc.integer({ min: 0, max: 3 }),
});
type Wish = typeof wishArbitrary extends fc.Arbitrary<infer T> ? T : never;

/** Has a gate asked about calls of two sessions of a program, one after the other, and people decide some of them. */
async function live(policy: Policy, wishes: readonly Wish[]) {
  const { gate, store, time } = openRiskGate({ evaluate: compilePolicy(policy) });
  const due: { readonly at: number; readonly call: CallRecord; readonly type: 'approve' | 'reject' }[] = [];
  for (const [index, { session, tool, decision, after }] of wishes.entries()) {
    time.now += 10;
    const [server = '', name = ''] = tool.split('.');
    const call = await gate.requests.propose({
      threadId: `t${index}`,
      runId: 'r',
      requester: ana,
      program: { id: 'key:p', name: 'P', session },
      call: proposed(`c${index}`, { server, name }),
      runBy: 'program',
    });
    if (call.state === 'pending' && decision !== null) due.push({ at: index + after, call, type: decision });
    time.now += 1;
    for (const { call: waiting, type } of due.filter(({ at }) => at === index)) {
      const word = { callKey: recordKey(waiting), type, digest: waiting.digest };
      // What the policy refuses by then stays undecided.
      await gate.decisions
        .decide([word], ana)
        .catch((error: unknown) => expect(error).toBeInstanceOf(RefusalError));
    }
  }
  return store;
}

async function replay(store: Store, policy: Policy, risk: Parameters<typeof replayPolicy>[0]['risk']) {
  const ports = { store, evaluate: compilePolicy(policy), risk, isUnfit: () => false };
  const replayed: ReplayedCall[] = [];
  for await (const one of replayPolicy(ports, { from: null, before: null })) replayed.push(one);
  return replayed;
}

it.each([
  ['everything is allowed', ALL],
  ['a rule asks what the session has read', READERS_ASK],
])('says of each call what the gate had said when it was asked, where %s', async (_what, policy) => {
  await fc.assert(
    fc.asyncProperty(fc.array(wishArbitrary, { minLength: 1, maxLength: 14 }), async (wishes) => {
      const store = await live(policy, wishes);
      const replayed = await replay(store, policy, riskPorts);
      expect(replayed).toHaveLength(wishes.length);
      for (const { call, verdict, isOtherwise } of replayed) {
        expect([verdict.action, verdict.rule]).toEqual([call.verdict.action, call.verdict.rule]);
        expect(isOtherwise).toBe(false);
      }
    }),
    { numRuns: 30 },
  );
});

it('says what would run unasked without the permissions, and be asked about with them', async () => {
  const wish = (tool: Wish['tool']) => ({ session: 'one' as const, tool, decision: null, after: 0 });
  const store = await live(ALL, [wish('mail.list_mail'), wish('web.list_page'), wish('mail.send_mail')]);
  const changes = async (risk: Parameters<typeof replayPolicy>[0]['risk']) =>
    (await replay(store, ALL, risk)).map(({ was, verdict: { action } }) => `${was} → ${action}`);
  expect(await changes(null)).toEqual(['allow → allow', 'allow → allow', 'ask → allow']);
  expect(await changes(riskPorts)).toEqual(['allow → allow', 'allow → allow', 'ask → ask']);
});

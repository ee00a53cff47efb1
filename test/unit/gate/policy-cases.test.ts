import { describe, expect, it } from 'vitest';
import { policySchema } from '../../../src/gate/policy.ts';
import { policyCasesSchema, runCases } from '../../../src/gate/policy-cases.ts';

const policy = policySchema.parse({
  rules: [
    {
      name: 'large',
      tools: 'pay.*',
      when: { amount: { over: 9 } },
      action: 'ask',
      approvers: { from: ['@a', '@b'], quorum: 2 },
    },
    { name: 'no', tools: 'drop.*', action: 'deny' },
  ],
});
function problems(tool: string, expected: object, args: object = { amount: 10 }) {
  const cases = policyCasesSchema.parse([{ name: 'case', tool, arguments: args, expect: expected }]);
  return runCases(policy, cases).flatMap((result) => result.problems);
}

describe('a case', () => {
  it.each([
    ['pay.send', { action: 'ask' }],
    ['pay.send', { action: 'ask', rule: 'large' }],
    ['pay.send', { action: 'ask', approvers: { from: ['@b', '@a'], quorum: 2 } }],
    ['files.read', { action: 'ask', rule: 'default', approvers: 'requester' }],
    ['drop.a.table', { action: 'deny', rule: 'no' }],
  ])('%s is as expected: %j', (tool, expected) => {
    expect(problems(tool, expected)).toEqual([]);
  });

  it.each([
    ['pay.send', { action: 'allow' }, 'expected allow, but it is ask'],
    ['pay.send', { action: 'ask', rule: 'no' }, 'expected the rule "no", but it is "large"'],
    [
      'pay.send',
      { action: 'ask', approvers: '@a' },
      'expected approval by group:a, but it is by 2 of group:a, group:b',
    ],
    [
      'pay.send',
      { action: 'ask', approvers: { from: ['@a', '@b'], quorum: 2, exclude_requester: true } },
      'expected approval by 2 of group:a, group:b; whoever asked may not, but it is by 2 of group:a, group:b',
    ],
    [
      'files.read',
      { action: 'ask', approvers: '@a' },
      'expected approval by group:a, but it is by requester',
    ],
  ])('%s is not as expected: %j', (tool, expected, problem) => {
    expect(problems(tool, expected)).toEqual([problem]);
  });

  it('is explained', () => {
    const [result] = runCases(
      policy,
      policyCasesSchema.parse([{ name: 'x', tool: 'drop.it', expect: { action: 'ask' } }]),
    );
    expect(result?.explanation).toContain('Verdict: deny, by the rule "no"');
  });

  it.each([
    ['no tool', { name: 'x', expect: { action: 'ask' } }],
    ['a tool without its server', { name: 'x', tool: 'send', expect: { action: 'ask' } }],
    ['no expectation', { name: 'x', tool: 'pay.send' }],
    ['an unknown key', { name: 'x', tool: 'pay.send', args: {}, expect: { action: 'ask' } }],
    ['an unknown expectation', { name: 'x', tool: 'pay.send', expect: { action: 'ask', verdict: 'x' } }],
    [
      'approvers of what nobody is asked',
      { name: 'x', tool: 'pay.send', expect: { action: 'deny', approvers: '@a' } },
    ],
  ])('with %s is refused', (_what, written) => {
    expect(policyCasesSchema.safeParse([written]).success).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import { policyCasesSchema, runPolicyCases } from '../../../../src/gate/policy/test-cases.ts';
import { createArgumentValidator } from '../../../../src/mcp/arguments/validator.ts';

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
    { name: 'page', tools: 'bank.*', action: 'ask', decide_on: 'web' },
    {
      name: 'typed',
      tools: 'wire.*',
      action: 'ask',
      confirm_by_typing: ['amount', 'to'],
      remember: 'never',
      deadline: '8h',
      ladder: [
        { after: '2h', add: '@b' },
        { after: '1h', remind: true },
      ],
    },
    { name: 'maybe', tools: 'mail.*', when: { to: { equals: 'x' } }, action: 'ask', deadline: '2h' },
    { name: 'mail', tools: 'mail.*', action: 'ask', deadline: 'never' },
  ],
  arguments: {
    'pay.*': { properties: { amount: { maximum: 5000 } } },
    'pay.send': { properties: { currency: { enum: ['EUR'] } } },
    'drop.*': { required: ['why'] },
  },
});
function problems(tool: string, expected: object, args: object = { amount: 10 }) {
  const cases = policyCasesSchema.parse([{ name: 'case', tool, arguments: args, expect: expected }]);
  return runPolicyCases(policy, cases, createArgumentValidator()).flatMap((result) => result.problems);
}

describe('a case', () => {
  it.each([
    ['pay.send', { action: 'ask' }],
    ['pay.send', { action: 'ask', rule: 'large' }],
    ['bank.send', { action: 'ask', decide_on: 'web' }],
    ['pay.send', { action: 'ask', approvers: { from: ['@b', '@a'], quorum: 2 } }],
    ['files.read', { action: 'ask', rule: 'default', approvers: 'requester' }],
    ['drop.a.table', { action: 'deny', rule: 'no' }],
    ['pay.send', { action: 'unfit' }, { amount: 5001 }],
    ['pay.send', { action: 'unfit', rule: 'pay.*' }, { amount: 5001, currency: 'USD' }],
    ['pay.send', { action: 'unfit', rule: 'pay.send' }, { amount: 5001, currency: 'USD' }],
    ['pay.take', { action: 'ask' }, { amount: 5000, currency: 'USD' }],
    [
      'wire.send',
      { action: 'ask', confirm_by_typing: ['to', 'amount'], remember: 'never', deadline: '480m' },
    ],
    [
      'wire.send',
      {
        action: 'ask',
        ladder: [
          { after: '60m', remind: true },
          { after: '2h', add: ['@b'] },
        ],
      },
    ],
    ['mail.send', { action: 'ask', deadline: '2h' }],
    ['mail.send', { action: 'ask', deadline: 'never' }, { to: 'y' }],
  ])('%s is as expected: %j', (tool, expected, args?: object) => {
    expect(problems(tool, expected, args)).toEqual([]);
  });

  it.each([
    [
      'pay.send',
      { action: 'ask' },
      { amount: 5001 },
      'expected ask, but the arguments are invalid: amount is more than 5000',
    ],
    [
      'pay.send',
      { action: 'deny' },
      { amount: 5001 },
      'expected deny, but the arguments are invalid: amount is more than 5000',
    ],
    ['pay.send', { action: 'unfit' }, { amount: 5000 }, 'expected unfit, but it is ask'],
    ['drop.it', { action: 'unfit' }, {}, 'expected unfit, but it is deny'],
    [
      'pay.send',
      { action: 'unfit', rule: 'pay.send' },
      { amount: 5001 },
      'expected to be unfit for "pay.send", but it is for "pay.*"',
    ],
  ])('%s is not as expected: %j, of %j', (tool, expected, args, problem) => {
    expect(problems(tool, expected, args)).toEqual([problem]);
  });

  it.each([
    ['pay.send', { action: 'allow' }, 'expected allow, but it is ask'],
    [
      'pay.send',
      { action: 'ask', decide_on: 'web' },
      'expected approval on the web page, but a click is enough',
    ],
    [
      'wire.send',
      { action: 'ask', confirm_by_typing: 'amount' },
      'expected amount to be typed, but it is amount, to',
    ],
    [
      'pay.send',
      { action: 'ask', confirm_by_typing: 'amount' },
      'expected amount to be typed, but it is nothing',
    ],
    ['pay.send', { action: 'ask', remember: 'never' }, 'expected that it is never remembered, but it may be'],
    [
      'wire.send',
      { action: 'ask', deadline: 'never' },
      'expected to be open for as long as it takes, but it is for 8 hours',
    ],
    [
      'wire.send',
      { action: 'ask', deadline: '2h' },
      'expected to be open for 2 hours, but it is for 8 hours',
    ],
    [
      'mail.send',
      { action: 'ask', deadline: 'never' },
      'expected to be open for as long as it takes, but it is for as long as it takes, or less: 2 hours',
    ],
    [
      'pay.send',
      { action: 'ask', deadline: '2h' },
      'expected to be open for 2 hours, but it is for as long as requests.open_for says',
    ],
    [
      'wire.send',
      { action: 'ask', ladder: [{ after: '1h', remind: true }] },
      'expected, while nobody decides, after 1 hour a reminder, but it is after 1 hour a reminder; after 2 hours group:b may decide, too',
    ],
    [
      'pay.send',
      { action: 'ask', ladder: [{ after: '1h', remind: true }] },
      'expected, while nobody decides, after 1 hour a reminder, but it is nothing',
    ],
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
    const [result] = runPolicyCases(
      policy,
      policyCasesSchema.parse([{ name: 'x', tool: 'drop.it', expect: { action: 'ask' } }]),
      createArgumentValidator(),
    );
    expect(result?.explanation).toContain('Not allowed (rule "no")');
  });

  it('is explained with what its arguments do not fit', () => {
    const [result] = runPolicyCases(
      policy,
      policyCasesSchema.parse([
        { name: 'x', tool: 'pay.send', arguments: { amount: 6000 }, expect: { action: 'ask' } },
      ]),
      createArgumentValidator(),
    );
    expect(result?.explanation.slice(-2)).toEqual([
      'Invalid arguments: nobody is asked and nothing runs',
      'policy.arguments, pay.*: amount is more than 5000',
    ]);
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
    ...[
      { remember: 'never' },
      { deadline: '2h' },
      { ladder: [{ after: '1h', remind: true }] },
      { confirm_by_typing: 'a' },
    ].map((more): [string, object] => [
      `${Object.keys(more)} of what nobody is asked`,
      { name: 'x', tool: 'pay.send', expect: { action: 'allow', ...more } },
    ]),
    [
      'approvers of what is unfit',
      { name: 'x', tool: 'pay.send', expect: { action: 'unfit', approvers: '@a' } },
    ],
    ['a ladder with no rungs', { name: 'x', tool: 'pay.send', expect: { action: 'ask', ladder: [] } }],
    ['a deadline of no unit', { name: 'x', tool: 'pay.send', expect: { action: 'ask', deadline: '2' } }],
  ])('with %s is refused', (_what, written) => {
    expect(policyCasesSchema.safeParse([written]).success).toBe(false);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import { isAtLeastAsStrict } from '../../../helpers/strictness.ts';

function verdictOf(policy: unknown, args: Record<string, number | string>) {
  return compilePolicy(policySchema.parse(policy))({ server: 'pay', tool: 'send', arguments: args });
}
const rule = (action: string, when: unknown, more: object = {}) => ({
  tools: 'pay.*',
  action,
  when,
  ...more,
});
const small = { amount: { at_most: 100 } };

describe('a rule whose conditions are unclear', () => {
  it.each([
    ['allow', 'ask', 'ask'],
    ['allow', 'deny', 'deny'],
    ['allow', 'allow', 'allow'],
    ['ask', 'allow', 'ask'],
    ['ask', 'ask', 'ask'],
    ['ask', 'deny', 'deny'],
    ['deny', 'allow', 'deny'],
    ['deny', 'ask', 'deny'],
  ])('that would %s, before what would %s, leaves it at %s', (action, fallback, expected) => {
    const policy = { default: fallback, rules: [rule(action, small)] };
    expect(verdictOf(policy, { amount: '1,00' }).action).toBe(expected);
  });

  it('is passed over when what holds without it is stricter, and names that', () => {
    const policy = {
      rules: [rule('allow', small), rule('deny', undefined, { name: 'no', reason: 'closed' })],
    };
    expect(verdictOf(policy, { amount: '1,00' })).toMatchObject({
      action: 'deny',
      rule: 'no',
      reason: 'closed',
    });
  });

  it('needs its people and those who would be asked without it', () => {
    const policy = {
      rules: [
        rule('ask', { amount: { over: 1_000 } }, { name: 'large', approvers: '@finance' }),
        rule('ask', undefined, { name: 'rest', approvers: '@lead' }),
      ],
    };
    expect(verdictOf(policy, { amount: 'a lot' })).toMatchObject({
      action: 'ask',
      rule: 'large',
      approval: { steps: [{ from: ['group:lead'] }, { from: ['group:finance'] }] },
    });
    expect(verdictOf(policy, { amount: 5 })).toMatchObject({ rule: 'rest' });
    expect(verdictOf(policy, { amount: 5_000 }).approval?.steps).toHaveLength(1);
  });

  it('does not hide one after it that denies', () => {
    const policy = { rules: [rule('ask', small), rule('deny', { to: { equals: 'eve' } })] };
    expect(verdictOf(policy, { amount: '?', to: 'eve' }).action).toBe('deny');
    expect(verdictOf(policy, { amount: 1, to: 'eve' }).action).toBe('ask');
  });
});

it('property: the verdict on what is unclear is at least as strict as on anything that it may mean', () => {
  const person = fc.constantFrom('user:U1', 'user:U2', '@finance');
  const anyRule = fc.record({
    action: fc.constantFrom('allow', 'ask', 'deny'),
    approvers: fc.option(
      fc.record({ from: fc.array(person, { minLength: 1, maxLength: 2 }), exclude_requester: fc.boolean() }),
      { nil: undefined },
    ),
    // 1 meets the condition, 2 does not, and a text that is no number is unclear.
    value: fc.constantFrom<(number | string)[]>(1, 2, 'one'),
  });
  fc.assert(
    fc.property(
      fc.array(anyRule, { maxLength: 4 }),
      fc.constantFrom('allow', 'ask', 'deny'),
      fc.array(fc.constantFrom(1, 2), { minLength: 4, maxLength: 4 }),
      (rules, fallback, meanings) => {
        const policy = {
          default: fallback,
          rules: rules.map(({ action, approvers }, index) =>
            rule(action, { [`a${index}`]: { equals: 1 } }, { approvers }),
          ),
        };
        const given = Object.fromEntries(rules.map(({ value }, index) => [`a${index}`, value]));
        const meant = Object.fromEntries(
          rules.map(({ value }, index) => [`a${index}`, value === 'one' ? (meanings[index] ?? 1) : value]),
        );
        expect(isAtLeastAsStrict(verdictOf(policy, given), verdictOf(policy, meant))).toBe(true);
      },
    ),
    { numRuns: 1_000 },
  );
});

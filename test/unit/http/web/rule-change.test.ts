import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import type { RuleSuggestion } from '../../../../src/gate/types.ts';
import { changeRule } from '../../../../src/http/web/admin/rule-change.ts';

const { rules } = policySchema.parse({
  rules: [
    { tools: 'files.*', action: 'ask' },
    {
      name: 'money',
      tools: 'ledger.*',
      when: { amount: { at_most: 10 } },
      action: 'ask',
      approvers: 'user:U1',
    },
  ],
});

function suggestion(kind: RuleSuggestion['kind'], rule: string): RuleSuggestion {
  const none = { medianWaitMs: null, p95WaitMs: null, unreadShare: null, expiredShare: null };
  return { kind, metrics: { rule, decided: 20, approved: 20, unread: 20, expired: 0, ...none } };
}

describe('the rule that a suggestion would change', () => {
  it('keeps its name, tools and conditions, and is a rule of the policy', () => {
    const changed = parse(changeRule(suggestion('allow', 'money'), rules) ?? '');
    expect(changed).toEqual([
      { name: 'money', tools: 'ledger.*', when: { amount: { at_most: 10 } }, action: 'allow' },
    ]);
    expect(policySchema.safeParse({ rules: changed }).success).toBe(true);
  });

  it('is found by its place where it has no name', () => {
    expect(parse(changeRule(suggestion('deny', 'rule 1'), rules) ?? '')).toEqual([
      { tools: 'files.*', action: 'deny' },
    ]);
  });

  it.each([
    ['more_approvers', 'money'],
    ['allow', 'default'],
    ['allow', 'gone'],
  ] as const)('is none for %s of %s', (kind, rule) => {
    expect(changeRule(suggestion(kind, rule), rules)).toBeNull();
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ApprovalTerms, REQUESTER_ALONE } from '../../../../src/gate/policy/approver-rules.ts';
import { stricterVerdict } from '../../../../src/gate/policy/strictness.ts';
import type { PolicyAction, Verdict } from '../../../../src/gate/policy/verdict.ts';
import { isAtLeastAsStrict } from '../../../helpers/strictness.ts';

function verdict(action: PolicyAction, rule: string, approval?: ApprovalTerms): Verdict {
  const named = { action, rule, reason: `for ${rule}`, policyVersion: rule };
  return approval ? { ...named, approval } : named;
}
const terms = (...groups: string[]): ApprovalTerms => ({
  steps: groups.map((group) => ({ from: [`group:${group}`], quorum: 1 })),
  excludeRequester: false,
  rejections: 1,
});
const stepsOf = (it: Verdict) => it.approval?.steps.map(({ from }) => from.join());

describe('the stricter of two verdicts', () => {
  it.each([
    ['allow', 'allow', 'after'],
    ['allow', 'ask', 'after'],
    ['allow', 'deny', 'after'],
    ['ask', 'allow', 'before'],
    ['ask', 'ask', 'after'],
    ['ask', 'deny', 'after'],
    ['deny', 'allow', 'before'],
    ['deny', 'ask', 'before'],
    ['deny', 'deny', 'after'],
  ] as const)('of %s and then %s is that of %s', (first, second, winner) => {
    const result = stricterVerdict(verdict(first, 'before'), verdict(second, 'after'));
    expect(result).toMatchObject({ rule: winner, reason: `for ${winner}`, policyVersion: 'after' });
  });

  it('needs the people of both, one after another', () => {
    const result = stricterVerdict(verdict('ask', 'a', terms('lead')), verdict('ask', 'b', terms('finance')));
    expect(stepsOf(result)).toEqual(['group:lead', 'group:finance']);
  });

  it('needs whoever asked, where one of them says nothing of approvers', () => {
    const result = stricterVerdict(verdict('ask', 'a'), verdict('ask', 'b', terms('finance')));
    expect(stepsOf(result)).toEqual(['requester', 'group:finance']);
    expect(stricterVerdict(verdict('ask', 'a'), verdict('ask', 'b')).approval).toBeUndefined();
  });

  it.each([
    [['lead'], ['lead'], ['lead']],
    [['lead'], ['lead', 'finance'], ['lead', 'finance']],
    [['lead'], ['finance', 'lead'], ['finance', 'lead']],
    [
      ['lead', 'finance'],
      ['finance', 'lead'],
      ['lead', 'finance', 'lead'],
    ],
    [
      ['lead', 'finance', 'lead'],
      ['finance', 'lead'],
      ['lead', 'finance', 'lead'],
    ],
    [['lead', 'lead'], ['lead'], ['lead', 'lead']],
  ])('of %j and then %j takes what both have once, and keeps both orders: %j', (first, second, both) => {
    const result = stricterVerdict(
      verdict('ask', 'a', terms(...first)),
      verdict('ask', 'b', terms(...second)),
    );
    expect(stepsOf(result)).toEqual(both.map((group) => `group:${group}`));
  });

  it('takes steps for the same only when as many of them are needed', () => {
    const two: ApprovalTerms = { ...REQUESTER_ALONE, steps: [{ from: ['user:U1', 'user:U2'], quorum: 2 }] };
    const one: ApprovalTerms = { ...REQUESTER_ALONE, steps: [{ from: ['user:U2', 'user:U1'], quorum: 1 }] };
    const swapped: ApprovalTerms = {
      ...REQUESTER_ALONE,
      steps: [{ from: ['user:U2', 'user:U1'], quorum: 2 }],
    };
    expect(stricterVerdict(verdict('ask', 'a', two), verdict('ask', 'b', one)).approval?.steps).toHaveLength(
      2,
    );
    expect(
      stricterVerdict(verdict('ask', 'a', two), verdict('ask', 'b', swapped)).approval?.steps,
    ).toHaveLength(1);
  });

  it('excludes whoever asked if either does, and then does not wait for them alone', () => {
    const others: ApprovalTerms = { ...terms('finance'), excludeRequester: true };
    for (const result of [
      stricterVerdict(verdict('ask', 'a'), verdict('ask', 'b', others)),
      stricterVerdict(verdict('ask', 'b', others), verdict('ask', 'a')),
    ]) {
      expect(result.approval).toMatchObject({ excludeRequester: true });
      expect(stepsOf(result)).toEqual(['group:finance']);
    }
  });

  it('ends with as few rejections as either wants', () => {
    const three = { ...terms('lead'), rejections: 3 };
    const two = { ...terms('lead'), rejections: 2 };
    expect(stricterVerdict(verdict('ask', 'a', three), verdict('ask', 'b', two)).approval?.rejections).toBe(
      2,
    );
    expect(stricterVerdict(verdict('ask', 'a', two), verdict('ask', 'b', three)).approval?.rejections).toBe(
      2,
    );
  });
});

const step = fc.record({
  from: fc.uniqueArray(fc.constantFrom('requester', 'channel', 'user:U1', 'group:finance'), { minLength: 1 }),
  quorum: fc.integer({ min: 1, max: 2 }),
}) satisfies fc.Arbitrary<ApprovalTerms['steps'][number]>;
const anyTerms: fc.Arbitrary<ApprovalTerms> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  excludeRequester: fc.boolean(),
  rejections: fc.integer({ min: 1, max: 3 }),
});
const anyVerdict = fc
  .record({
    action: fc.constantFrom<PolicyAction[]>('allow', 'ask', 'ask', 'deny'),
    approval: fc.option(anyTerms, { nil: undefined }),
    others: fc.constantFrom<Partial<Verdict>[]>(
      {},
      { remember: 'never' },
      { confirmByTyping: ['amount'] },
      { confirmByTyping: ['to', 'amount'] },
      { decideOn: 'web' },
    ),
  })
  .map(({ action, approval, others }) => ({ ...verdict(action, 'any', approval), ...others }));

describe('property: the stricter of two verdicts', () => {
  it('is never laxer than either', () => {
    fc.assert(
      fc.property(anyVerdict, anyVerdict, (before, after) => {
        const result = stricterVerdict(before, after);
        expect(isAtLeastAsStrict(result, before)).toBe(true);
        expect(isAtLeastAsStrict(result, after)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('stays as it is when one of them speaks again', () => {
    fc.assert(
      fc.property(anyTerms, anyTerms, (one, other) => {
        const before = verdict('ask', 'any', one);
        const after = verdict('ask', 'any', other);
        const result = stricterVerdict(before, after);
        expect(stricterVerdict(result, after)).toEqual(result);
        expect(stricterVerdict(result, before)).toEqual(result);
      }),
      { numRuns: 2_000 },
    );
  });

  it('of a verdict and itself is that verdict', () => {
    fc.assert(
      fc.property(anyTerms, (approval) => {
        const same = verdict('ask', 'any', approval);
        expect(stricterVerdict(same, same)).toEqual(same);
      }),
    );
  });

  it('always has a step that somebody can take, where both had', () => {
    fc.assert(
      fc.property(anyTerms, anyTerms, (one, other) => {
        const { approval } = stricterVerdict(verdict('ask', 'a', one), verdict('ask', 'b', other));
        expect(approval?.steps.length).toBeGreaterThan(0);
      }),
    );
  });
});

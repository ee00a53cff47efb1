import type { ApproverRef } from './approver-rules.ts';
import type { Policy } from './schema.ts';
import { globCovers } from './tool-glob.ts';

/** Everybody whom the rules of a policy name: as those who decide, or as those whom a ladder adds. Each once. */
export function findPolicyApprovers({ rules }: Pick<Policy, 'rules'>): readonly ApproverRef[] {
  const named = rules.flatMap(({ approvers, ladder }) => [
    ...(approvers?.steps.flatMap(({ from }) => from) ?? []),
    ...(ladder?.flatMap(({ add }) => add) ?? []),
  ]);
  return [...new Set(named)];
}

/** A rule that never applies, and the first of those that decide before it; counted from 0. */
export interface UnreachableRule {
  readonly rule: number;
  readonly decidedBy: number;
}

/**
 * Rules all of whose tools are decided, whatever the arguments, by rules before them. What is found is certain;
 * a rule that only conditions keep from ever applying is not found.
 */
export function findUnreachableRules({ rules }: Pick<Policy, 'rules'>): readonly UnreachableRule[] {
  const deciders = rules.map(({ tools, when }) => (when === undefined ? [tools].flat() : []));
  return rules.flatMap(({ tools }, rule): readonly UnreachableRule[] => {
    const decidedBy = [tools]
      .flat()
      .map((glob) => deciders.slice(0, rule).findIndex((wide) => wide.some((it) => globCovers(it, glob))));
    return decidedBy.includes(-1) ? [] : [{ rule, decidedBy: Math.min(...decidedBy) }];
  });
}

import type { ApproverRef } from './approver-rules.ts';
import { globCovers } from './matching/tool-glob.ts';
import type { Policy } from './schema.ts';

/** Every approver that a policy's rules name, to decide or to be added by an escalation; each once. */
export function findPolicyApprovers({ rules }: Pick<Policy, 'rules'>): readonly ApproverRef[] {
  const named = rules.flatMap(({ approvers, ladder }) => [
    ...(approvers?.steps.flatMap(({ from }) => from) ?? []),
    ...(ladder?.flatMap(({ add }) => add) ?? []),
  ]);
  return [...new Set(named)];
}

/** A rule that never applies, and the first of those that decide before it; counted from 0. */
interface UnreachableRule {
  readonly rule: number;
  readonly decidedBy: number;
}

/**
 * Finds rules all of whose tools earlier rules decide, whatever the arguments. Findings are certain; a rule
 * that only conditions keep from ever applying isn't found.
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

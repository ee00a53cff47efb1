import { type ApproverRef, parseApproverRef } from './approver-rules.ts';
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

/** Approvers whom a rule names in vain; the rule is counted from 0. */
interface UselessApprovers {
  readonly rule: number;
  readonly refs: readonly ApproverRef[];
  /** Whether they approve nothing at all; else only what they asked for themselves, and nobody is named for the rest. */
  readonly isForNothing: boolean;
}

/**
 * Finds approvers who can't approve what others ask for, whoever they are: keys, which decide only what they asked for
 * themselves, where a step or an escalation names nobody else; and keys and whoever asked where these are excluded.
 */
export function findUselessApprovers({ rules }: Pick<Policy, 'rules'>): readonly UselessApprovers[] {
  return rules.flatMap(({ approvers, ladder = [] }, rule) => {
    const isForNothing = approvers?.excludeRequester === true;
    const lists = [
      ...(approvers?.steps.map(({ from }) => from) ?? []),
      ...ladder.map(({ add }) => add).filter((add) => add.length > 0),
    ];
    const refs = lists.flatMap((from) => {
      const keys = from.filter((ref) => parseApproverRef(ref).kind === 'api');
      if (isForNothing) return [...keys, ...from.filter((ref) => ref === 'requester')];
      return keys.length === from.length ? keys : [];
    });
    return refs.length === 0 ? [] : [{ rule, refs: [...new Set(refs)], isForNothing }];
  });
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

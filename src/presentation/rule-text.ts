import { type CallRecord, isRiskRule } from '../gate/types.ts';
import { sentence } from './outcome-text.ts';
import { RULE } from './texts.ts';

/** The names that the policy gives: to what no rule decides, and to a rule without a name. */
const UNNAMED = /^(?:default|rule \d+)$/;

/** The rule that decided, if somebody named it; passed through `visible`. */
export function ruleName({ rule }: Pick<CallRecord['verdict'], 'rule'>): string | null {
  return UNNAMED.test(rule) ? null : sentence(rule);
}

/** Why a call is asked about: the rule's name, its reason, or both; null where there is neither. */
export function describeRule(verdict: Pick<CallRecord['verdict'], 'rule' | 'reason'>): string | null {
  // What is said of the session says it.
  if (isRiskRule(verdict.rule)) return null;
  const name = ruleName(verdict);
  const reason = verdict.reason === null ? null : sentence(verdict.reason);
  if (name === null) return reason === null ? null : RULE.is(reason);
  return RULE.is(reason === null ? name : RULE.because(name, reason));
}

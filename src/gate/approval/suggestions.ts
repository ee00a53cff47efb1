import { isRiskRule } from '../risk/rules.ts';
import type { RuleMetrics } from './metrics.ts';

/** Decisions from which a rule's figures say more than chance does. */
const ENOUGH = 20;
/** The share of approvals, unread, from which a question protects nobody. */
const NEARLY_ALL = 0.95;
/** Expired calls from which it isn't one holiday, and the share of them that is too much. */
const EXPIRED = { atLeast: 5, share: 0.5 };
/** A median wait from which people wait for people, in milliseconds: half a working day. */
const LONG_WAIT_MS = 4 * 60 * 60 * 1_000;

/** What could be changed about a rule, by what people did with it. Nothing is ever changed by itself. */
export interface RuleSuggestion {
  /**
   * - `allow`: all was approved, and hardly anything read.
   * - `deny`: nothing was approved.
   * - `more_approvers_or_time`: much expired undecided.
   * - `more_approvers`: what is decided waits for hours.
   */
  readonly kind: 'allow' | 'deny' | 'more_approvers_or_time' | 'more_approvers';
  readonly metrics: RuleMetrics;
}

/** Suggestions for each rule, at most one, in the order of the rules: what changes most comes first. */
export function suggestForRules(rules: readonly RuleMetrics[]): readonly RuleSuggestion[] {
  return rules.flatMap((metrics) => {
    const kind = findSuggestion(metrics);
    return kind === null ? [] : [{ kind, metrics }];
  });
}

function findSuggestion({
  rule,
  decided,
  approved,
  unread,
  expired,
  expiredShare,
  medianWaitMs,
}: RuleMetrics): RuleSuggestion['kind'] | null {
  if (expired >= EXPIRED.atLeast && (expiredShare ?? 0) >= EXPIRED.share) return 'more_approvers_or_time';
  if (decided < ENOUGH) return null;
  if (approved === 0) return 'deny';
  const isUnread = expired === 0 && approved === decided && unread >= approved * NEARLY_ALL;
  // No rule of the policy could allow what is asked about for its session's risk.
  if (isUnread) return isRiskRule(rule) ? null : 'allow';
  return (medianWaitMs ?? 0) >= LONG_WAIT_MS ? 'more_approvers' : null;
}

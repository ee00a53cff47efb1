import { LRUCache } from 'lru-cache';
import type { Gate } from '../../gate/index.ts';
import { computeApprovalMetrics, suggestForRules } from '../../gate/index.ts';
import type { ApprovalSample, RuleMetrics, RuleSuggestion } from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** How long metrics are cached, in milliseconds. */
const FRESH_MS = 60_000;
/** The most calls that are read, latest first: reading must not hold up a Home. */
const LOOKED_AT = 1_000;

/** Approval metrics, as admins see them in their Home. */
export interface MetricsView {
  readonly week: readonly RuleMetrics[];
  readonly month: readonly RuleMetrics[];
  /** What the month suggests. */
  readonly suggestions: readonly RuleSuggestion[];
  /** The number of latest calls it covers, where there were more; null where it covers all. */
  readonly ofLatest: number | null;
}

interface MetricsPorts {
  readonly gate: { readonly calls: Pick<Gate['calls'], 'approvalFacts'> };
  readonly clock: Clock;
  readonly isAdmin: (actorId: string) => Promise<boolean>;
}

/** Reads the approval metrics: for admins; null for everybody else. */
export function createApprovalMetrics({ gate, clock, isAdmin }: MetricsPorts) {
  const facts = new LRUCache<'facts', readonly ApprovalSample[]>({
    max: 1,
    ttl: FRESH_MS,
    ttlResolution: 0,
    perf: { now: clock },
    fetchMethod: () => gate.calls.approvalFacts(clock() - 30 * DAY_MS, LOOKED_AT),
  });

  return async (actorId: string): Promise<MetricsView | null> => {
    if (!(await isAdmin(actorId))) return null;
    const now = clock();
    const found = await facts.forceFetch('facts');
    const month = computeApprovalMetrics(found, now - 30 * DAY_MS);
    return {
      week: computeApprovalMetrics(found, now - 7 * DAY_MS),
      month,
      suggestions: suggestForRules(month),
      ofLatest: found.length < LOOKED_AT ? null : LOOKED_AT,
    };
  };
}

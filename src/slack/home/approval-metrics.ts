import type { Gate } from '../../gate/index.ts';
import { computeApprovalMetrics } from '../../gate/index.ts';
import type { ApprovalSample, RuleMetrics } from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** How long what was read is shown again, in milliseconds. */
const FRESH_MS = 60_000;
/** Calls that are looked at, the latest ones: reading them must not keep a Home from opening. */
const LOOKED_AT = 1_000;

/** How people decide what they are asked, as admins see it in their Home. */
export interface MetricsView {
  readonly week: readonly RuleMetrics[];
  readonly month: readonly RuleMetrics[];
  /** Of how many calls at most this speaks, where there were more; null where it speaks of all. */
  readonly ofLatest: number | null;
}

export interface MetricsPorts {
  readonly gate: { readonly calls: Pick<Gate['calls'], 'approvalFacts'> };
  readonly clock: Clock;
  readonly isAdmin: (actorId: string) => Promise<boolean>;
}

/** Gives the health of approvals to admins, and null to everybody else. */
export function createApprovalMetrics({ gate, clock, isAdmin }: MetricsPorts) {
  let known: { readonly at: number; readonly facts: Promise<readonly ApprovalSample[]> } | null = null;

  function facts(now: number): Promise<readonly ApprovalSample[]> {
    if (known === null || now - known.at >= FRESH_MS) {
      const read = gate.calls.approvalFacts(now - 30 * DAY_MS, LOOKED_AT);
      const reading = { at: now, facts: read };
      known = reading;
      read.catch(() => {
        if (known === reading) known = null;
      });
    }
    return known.facts;
  }

  return async (actorId: string): Promise<MetricsView | null> => {
    if (!(await isAdmin(actorId))) return null;
    const now = clock();
    const found = await facts(now);
    return {
      week: computeApprovalMetrics(found, now - 7 * DAY_MS),
      month: computeApprovalMetrics(found, now - 30 * DAY_MS),
      ofLatest: found.length < LOOKED_AT ? null : LOOKED_AT,
    };
  };
}

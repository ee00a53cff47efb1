import type { Clock } from '../lib/clock.ts';
import { errorMessage } from '../lib/errors.ts';
import { createPeriodic, type Periodic } from '../lib/periodic.ts';

/** A kind of record that is kept for a time only. */
export interface RetentionRule {
  /** The name of the records in the log. */
  readonly name: string;
  /** Milliseconds; null: for ever. */
  readonly keepForMs: number | null;
  /** Deletes what was written before `before`, at most `limit` records; resolves with how many. */
  readonly forget: (before: number, limit: number) => Promise<number>;
}

/** The interval of the sweep, in milliseconds. */
const SWEEP_MS = 15_000;
/** Records that one commit deletes: it must not keep others from the store for long. */
const BATCH = 200;
/** Records that each rule deletes first, all of them at once: most find none, and share one look. */
const FIRST = 10;
/** Records of one rule that one sweep deletes after that; the next sweep takes the rest. */
const PER_SWEEP = 1_000;

/** The retention sweep: deletes expired records, a few every few seconds. A failing rule doesn't hold up the others. */
export function createRetention(
  rules: readonly RetentionRule[],
  clock: Clock,
  log: { error(details: object, message: string): void },
): Periodic {
  /** Deletes up to `most` of a rule's records, at most `batch` in a commit; whether it has more, as far as it knows. */
  async function apply(rule: RetentionRule, most: number, batch: number): Promise<boolean> {
    const { name, keepForMs, forget } = rule;
    if (keepForMs === null) return false;
    try {
      for (let deleted = 0; deleted < most; deleted += batch) {
        if ((await forget(clock() - keepForMs, batch)) < batch) return false;
      }
      return true;
    } catch (error) {
      log.error({ err: error }, `retention of ${name} failed: ${errorMessage(error)}`);
      return false;
    }
  }

  return createPeriodic({
    name: 'retention',
    everyMs: SWEEP_MS,
    async run() {
      const hasMore = await Promise.all(rules.map((rule) => apply(rule, FIRST, FIRST)));
      for (const [place, rule] of rules.entries()) {
        if (hasMore[place]) await apply(rule, PER_SWEEP, BATCH);
      }
    },
    log,
  });
}

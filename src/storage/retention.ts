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
/** Records of one rule that one sweep deletes; the next sweep takes the rest. */
const PER_SWEEP = 1_000;

/** The retention sweep: deletes expired records, a few every few seconds. A failing rule doesn't hold up the others. */
export function createRetention(
  rules: readonly RetentionRule[],
  clock: Clock,
  log: { error(details: object, message: string): void },
): Periodic {
  async function apply({ keepForMs, forget }: RetentionRule): Promise<void> {
    if (keepForMs === null) return;
    for (let deleted = 0; deleted < PER_SWEEP; deleted += BATCH) {
      if ((await forget(clock() - keepForMs, BATCH)) < BATCH) return;
    }
  }

  return createPeriodic({
    name: 'retention',
    everyMs: SWEEP_MS,
    async run() {
      for (const rule of rules) {
        await apply(rule).catch((error: unknown) =>
          log.error({ err: error }, `retention of ${rule.name} failed: ${errorMessage(error)}`),
        );
      }
    },
    log,
  });
}

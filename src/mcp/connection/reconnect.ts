import { backoff } from '../../lib/backoff.ts';
import type { Schedule } from '../../lib/schedule.ts';

const PAUSES = { firstMs: 1_000, longestMs: 60_000 };
/** A connection shorter than this, in milliseconds, isn't retried at once, and later each time. */
const CALM_MS = 60_000;

interface ReconnectOptions {
  readonly attempt: () => void;
  readonly schedule: Schedule;
  readonly clock?: () => number;
}

/** Schedules connection attempts with exponential backoff. */
export function createReconnect({ attempt, schedule, clock = Date.now }: ReconnectOptions) {
  let failures = 0;
  /** Connections in a row that didn't last. */
  let short = 0;
  let madeAt = Number.NEGATIVE_INFINITY;
  let cancel = () => {};

  function attemptIn(delayMs: number): void {
    cancel();
    cancel = schedule(attempt, delayMs);
  }

  return {
    /** Retries at once, because a restarted server is back soon. After a short connection it backs off. */
    lost(): void {
      if (clock() - madeAt >= CALM_MS) short = 0;
      attemptIn(short === 0 ? 0 : backoff(short, PAUSES));
      short += 1;
    },
    failed(): void {
      failures += 1;
      attemptIn(backoff(failures, PAUSES));
    },
    succeeded(): void {
      failures = 0;
      madeAt = clock();
    },
    cancel: (): void => cancel(),
  };
}

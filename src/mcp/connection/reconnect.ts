import type { Schedule } from '../../lib/schedule.ts';

/** The pause before the next attempt, and the longest that it grows to, in milliseconds. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
/** A connection that did not last so long, in milliseconds, is not made again at once, and later each time. */
const CALM_MS = 60_000;

export interface AttemptsOptions {
  readonly attempt: () => void;
  readonly schedule: Schedule;
  readonly clock?: () => number;
}

/** When the next attempt at a connection comes. */
export function createAttempts({ attempt, schedule, clock = Date.now }: AttemptsOptions) {
  let failures = 0;
  /** Connections in a row that did not last. */
  let short = 0;
  let madeAt = Number.NEGATIVE_INFINITY;
  let callOff = () => {};

  function attemptIn(delayMs: number): void {
    callOff();
    callOff = schedule(attempt, delayMs);
  }

  return {
    /** At once: a server that restarted is there again. One that loses each connection has its pauses. */
    lost(): void {
      if (clock() - madeAt >= CALM_MS) short = 0;
      attemptIn(short === 0 ? 0 : pauseAfter(short));
      short += 1;
    },
    failed(): void {
      failures += 1;
      attemptIn(pauseAfter(failures));
    },
    succeeded(): void {
      failures = 0;
      madeAt = clock();
    },
    callOff: (): void => callOff(),
  };
}

function pauseAfter(times: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** (times - 1), LONGEST_RETRY_MS);
}

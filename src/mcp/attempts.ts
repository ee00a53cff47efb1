import type { Schedule } from './server-link.ts';

/** The pause before the next attempt, and the longest that it grows to, in milliseconds. */
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
/** A connection that is lost again so soon, in milliseconds, is not made again at once. */
const CALM_MS = 60_000;

export interface AttemptsOptions {
  readonly attempt: () => void;
  readonly schedule: Schedule;
  readonly clock?: () => number;
}

/** When the next attempt at a connection comes. */
export function createAttempts({ attempt, schedule, clock = Date.now }: AttemptsOptions) {
  let failures = 0;
  let lostAt = Number.NEGATIVE_INFINITY;
  let callOff = () => {};

  function attemptIn(delayMs: number): void {
    callOff();
    callOff = schedule(attempt, delayMs);
  }

  return {
    /** At once: a server that restarted is there again. One that loses each connection has its pause. */
    lost(): void {
      const now = clock();
      const isOnceMore = now - lostAt < CALM_MS;
      lostAt = now;
      attemptIn(isOnceMore ? FIRST_RETRY_MS : 0);
    },
    failed(): void {
      attemptIn(Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS));
      failures += 1;
    },
    succeeded(): void {
      failures = 0;
    },
    callOff: (): void => callOff(),
  };
}

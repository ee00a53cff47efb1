import { backoff } from '../../lib/backoff.ts';
import type { Schedule } from '../../lib/schedule.ts';

const PAUSES = { firstMs: 1_000, longestMs: 60_000 };
/** A connection that lasts less than this, in milliseconds, is not made again at once, and later each time. */
const CALM_MS = 60_000;

export interface ReconnectOptions {
  readonly attempt: () => void;
  readonly schedule: Schedule;
  readonly clock?: () => number;
}

/** Schedules attempts at a connection, with exponential backoff. */
export function createReconnect({ attempt, schedule, clock = Date.now }: ReconnectOptions) {
  let failures = 0;
  /** Connections in a row that did not last. */
  let short = 0;
  let madeAt = Number.NEGATIVE_INFINITY;
  let cancel = () => {};

  function attemptIn(delayMs: number): void {
    cancel();
    cancel = schedule(attempt, delayMs);
  }

  return {
    /** At once: a server that restarted is there again. One that loses each connection has its pauses. */
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

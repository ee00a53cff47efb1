import { backoff } from './backoff.ts';
import type { Schedule } from './schedule.ts';

/** Between two runs. */
const PAUSES = { firstMs: 1_000, longestMs: 60_000 };
/** After this long without a request, the pauses start over; in milliseconds. */
const CALM_MS = 60_000;

export interface ThrottleOptions {
  readonly run: () => Promise<void>;
  readonly schedule: Schedule;
  readonly clock?: () => number;
}

/**
 * A throttle: runs something when it is requested, at once at first, and then with pauses that grow from a second to a
 * minute as long as requests keep coming. Requests during a pause are answered by one run when it is over.
 *
 * @param options `run` must not reject.
 */
export function createThrottle({ run, schedule, clock = Date.now }: ThrottleOptions) {
  let endedAt = Number.NEGATIVE_INFINITY;
  let runsInARow = 0;
  let isBusy = false;
  let isRequestedAgain = false;
  let cancel = () => {};

  function request(): void {
    if (isBusy) {
      isRequestedAgain = true;
      return;
    }
    isBusy = true;
    const sinceMs = clock() - endedAt;
    if (sinceMs > CALM_MS) runsInARow = 0;
    const waitMs = runsInARow === 0 ? 0 : Math.max(0, backoff(runsInARow, PAUSES) - sinceMs);
    runsInARow += 1;
    if (waitMs === 0) void go();
    else cancel = schedule(() => void go(), waitMs);
  }

  async function go(): Promise<void> {
    isRequestedAgain = false;
    await run();
    endedAt = clock();
    isBusy = false;
    if (isRequestedAgain) request();
  }

  return {
    request,
    /** Cancels the run that waits. */
    stop: (): void => cancel(),
  };
}

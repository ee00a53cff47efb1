import { backoff } from './backoff.ts';
import type { Schedule } from './schedule.ts';

const PAUSES = { firstMs: 1_000, longestMs: 60_000 };
/** After this long without a request, the pauses start over; in milliseconds. */
const CALM_MS = 60_000;

export interface ThrottleOptions {
  readonly run: () => Promise<void>;
  readonly schedule: Schedule;
  /**
   * The pauses between two runs, in milliseconds.
   * @default from a second to a minute
   */
  readonly pauses?: { readonly firstMs: number; readonly longestMs: number };
  /**
   * Whether the first run waits for the first pause, from now on.
   * @default it doesn't
   */
  readonly startsPaused?: boolean;
  readonly clock?: () => number;
}

/**
 * A throttle: runs something when it is requested, at once at first, and then with pauses that grow as long as requests
 * keep coming. Requests during a pause are answered by one run when it is over.
 *
 * @param options `run` must not reject.
 */
export function createThrottle({
  run,
  schedule,
  pauses = PAUSES,
  startsPaused = false,
  clock = Date.now,
}: ThrottleOptions) {
  let endedAt = startsPaused ? clock() : Number.NEGATIVE_INFINITY;
  let runsInARow = startsPaused ? 1 : 0;
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
    const waitMs = runsInARow === 0 ? 0 : Math.max(0, backoff(runsInARow, pauses) - sinceMs);
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

import type { Schedule } from './schedule.ts';

/** The pause after the first run, and the longest that it grows to, in milliseconds. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** Who has not asked for this long begins anew. */
const CALM_MS = 60_000;

export interface PacedOptions {
  readonly run: () => Promise<void>;
  readonly schedule: Schedule;
  readonly clock?: () => number;
}

/**
 * Does something whenever it is asked for: at once, and then with pauses that grow, from a second to a minute, as long
 * as it is asked for again and again. Whatever is asked for in between is done once, when the pause is over.
 *
 * @param options `run` must not reject.
 */
export function createPaced({ run, schedule, clock = Date.now }: PacedOptions) {
  let endedAt = Number.NEGATIVE_INFINITY;
  let pauseMs = 0;
  let isBusy = false;
  let isAskedAgain = false;
  let callOff = () => {};

  function ask(): void {
    if (isBusy) {
      isAskedAgain = true;
      return;
    }
    isBusy = true;
    const sinceMs = clock() - endedAt;
    const waitMs = sinceMs > CALM_MS ? 0 : Math.max(0, pauseMs - sinceMs);
    pauseMs = sinceMs > CALM_MS ? FIRST_PAUSE_MS : Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    if (waitMs === 0) void go();
    else callOff = schedule(() => void go(), waitMs);
  }

  async function go(): Promise<void> {
    isAskedAgain = false;
    await run();
    endedAt = clock();
    isBusy = false;
    if (isAskedAgain) ask();
  }

  return {
    ask,
    /** What still waits is not done. */
    end: (): void => callOff(),
  };
}

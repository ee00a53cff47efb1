import type { Schedule } from '../../lib/schedule.ts';

/** How many times the idle time is extended while the server may still report a completed page. */
const PAGE_ROUNDS = 5;

interface IdleWatchOptions {
  /** Idle time in milliseconds; null means never idle. */
  readonly idleMs: number | null;
  readonly schedule: Schedule;
  /** A busy connection gets the same time again. */
  readonly isBusy: () => boolean;
  /**
   * Whether the server may still report a completed page. The idle time is then extended up to
   * {@link PAGE_ROUNDS} times.
   */
  readonly awaitsPage: () => boolean;
  readonly onIdle: () => void;
}

/** Reports that a connection has been idle for a while. The time starts with the first `used`. */
export function createIdleWatch({ idleMs, schedule, isBusy, awaitsPage, onIdle }: IdleWatchOptions) {
  let callOff = () => {};
  function watchFor(pageRounds: number): void {
    callOff();
    if (idleMs === null) return;
    callOff = schedule(() => {
      if (isBusy()) watchFor(PAGE_ROUNDS);
      else if (awaitsPage() && pageRounds > 0) watchFor(pageRounds - 1);
      else onIdle();
    }, idleMs);
  }
  return {
    used: (): void => watchFor(PAGE_ROUNDS),
    end: (): void => callOff(),
  };
}
export type IdleWatch = ReturnType<typeof createIdleWatch>;

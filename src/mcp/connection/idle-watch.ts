import type { Schedule } from '../../lib/schedule.ts';

/** How many times longer a connection is held over which a server may say that somebody is done with a page. */
const PAGE_ROUNDS = 5;

export interface IdleWatchOptions {
  /** Milliseconds; null: it never becomes idle. */
  readonly idleMs: number | null;
  readonly schedule: Schedule;
  /** What is busy when its time has come has the same time once more. */
  readonly isBusy: () => boolean;
  /** The server may still say that somebody is done with a page: it has the same time some times more. */
  readonly awaitsPage: () => boolean;
  readonly onIdle: () => void;
}

/** Says that something has not been used for a while. Its time begins with the first `used`. */
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

/** Longest delay of the runtime's timers, in milliseconds: nearly 25 days. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface Deadline {
  /** Stops the clock while a person is asked. Pauses nest. */
  pause(): void;
  /** Ends a pause and restarts the full timeout. */
  resume(): void;
  /** Restarts the full timeout, because the server showed a sign of life. */
  touch(): void;
  clear(): void;
}

/** Why a call expired: no sign of life within the timeout, or no end within the total limit. */
export type Expiry = 'silent' | 'endless';

/**
 * Starts a call's deadline. Calls `expire` after `ms` milliseconds without a sign of life, or after `mostMs`
 * in total. Time in which a person is asked counts for neither.
 */
export function startDeadline(ms: number, mostMs: number, expire: (why: Expiry) => void): Deadline {
  let pauses = 0;
  let isOver = false;
  let left = mostMs;
  let since = performance.now();
  let silence: NodeJS.Timeout | undefined;
  let end: NodeJS.Timeout | undefined;
  function stop() {
    clearTimeout(silence);
    clearTimeout(end);
  }
  function over(why: Expiry) {
    isOver = true;
    stop();
    expire(why);
  }
  function touch() {
    clearTimeout(silence);
    if (pauses === 0 && !isOver) silence = setTimeout(over, ms, 'silent');
  }
  function run() {
    since = performance.now();
    if (!isOver) end = setTimeout(over, left, 'endless');
    touch();
  }
  run();
  return {
    pause() {
      pauses += 1;
      stop();
      if (pauses === 1) left -= performance.now() - since;
    },
    resume() {
      pauses -= 1;
      if (pauses === 0) run();
    },
    touch,
    clear() {
      isOver = true;
      stop();
    },
  };
}

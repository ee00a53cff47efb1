export interface Deadline {
  /** The clock stands still while a person is asked; pauses nest. */
  pause(): void;
  /** Ends a pause; the full time is there again. */
  resume(): void;
  /** A sign of life: the full time is there again. */
  touch(): void;
  clear(): void;
}

/** Whether there was no sign of life for its time, or no end for all of the time that there is. */
export type Expiry = 'silent' | 'endless';

/**
 * Calls `expire` once `ms` milliseconds have gone by without a sign of life, or `mostMs` with as many as there were;
 * the time in which a person is asked counts for neither.
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

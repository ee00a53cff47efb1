export interface Deadline {
  /** The clock stands still while a person is asked; pauses nest. */
  pause(): void;
  /** Ends a pause; the full time is there again. */
  resume(): void;
  /** A sign of life: the full time is there again. */
  touch(): void;
  clear(): void;
}

/** Calls `expire` once `ms` milliseconds have gone by without a sign of life. */
export function startDeadline(ms: number, expire: () => void): Deadline {
  let pauses = 0;
  let cleared = false;
  let timer = setTimeout(expire, ms);
  const touch = () => {
    clearTimeout(timer);
    if (pauses === 0 && !cleared) timer = setTimeout(expire, ms);
  };
  return {
    pause() {
      pauses += 1;
      clearTimeout(timer);
    },
    resume() {
      pauses -= 1;
      touch();
    },
    touch,
    clear() {
      cleared = true;
      clearTimeout(timer);
    },
  };
}

/** The emulator's time: the instant, and what should happen later. */
export interface WorkspaceClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs `task` once, `ms` milliseconds from now; what it returns calls that off. */
  after(ms: number, task: () => void): () => void;
}

export const systemClock: WorkspaceClock = {
  now: () => Date.now(),
  after: (ms, task) => {
    const timer = setTimeout(task, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export interface ManualClock extends WorkspaceClock {
  /** Lets `ms` milliseconds pass, running what falls due, in order. */
  advance(ms: number): void;
}

/** A clock that stands until it is told otherwise, for tests of retries and expiries. */
export function manualClock(start = Date.UTC(2026, 10, 23, 9, 0, 0)): ManualClock {
  let instant = start;
  let waiting: { at: number; task: () => void }[] = [];
  return {
    now: () => instant,
    after: (ms, task) => {
      const entry = { at: instant + ms, task };
      waiting.push(entry);
      return () => {
        waiting = waiting.filter((it) => it !== entry);
      };
    },
    advance: (ms) => {
      const end = instant + ms;
      for (;;) {
        const next = waiting.filter((it) => it.at <= end).toSorted((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        waiting = waiting.filter((it) => it !== next);
        instant = next.at;
        next.task();
      }
      instant = end;
    },
  };
}

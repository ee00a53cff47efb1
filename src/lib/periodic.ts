import { errorMessage } from './errors.ts';

interface PeriodicOptions {
  /** What is done, as a noun for the log: `audit sealing`. */
  readonly name: string;
  /** From the start of one run to the start of the next, in milliseconds. */
  readonly everyMs: number;
  readonly run: () => Promise<unknown>;
  /** Logs each failed run. Leave it out if the next run follows in a moment. */
  readonly log?: { error(details: object, message: string): void };
}

/** Periodic work: once at the start, then at an interval, one run at a time. */
export interface Periodic {
  /** Runs now, and then periodically; resolves as `runNow` does. It doesn't keep the process alive. */
  start(): Promise<void>;
  /** Runs now, or once more after the run that is under way. Never rejects: a run that fails is left to the next. */
  runNow(): Promise<void>;
  /** Stops; resolves when no run is in progress. */
  stop(): Promise<void>;
}

/**
 * Creates periodic work.
 *
 * @example
 * const sweep = createPeriodic({ name: 'outbox sweep', everyMs: 5_000, run: findLostRows, log });
 * sweep.start();
 */
export function createPeriodic({ name, everyMs, run, log }: PeriodicOptions): Periodic {
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  function begin(): Promise<void> {
    next = null;
    current = attempt().finally(() => {
      current = null;
    });
    return current;
  }

  async function attempt(): Promise<void> {
    try {
      await run();
    } catch (error) {
      log?.error({ err: error }, `${name} failed: ${errorMessage(error)}`);
    }
  }

  function runNow(): Promise<void> {
    if (next) return next;
    if (!current) return begin();
    next = current.then(begin);
    return next;
  }

  return {
    start() {
      clearInterval(timer);
      timer = setInterval(() => {
        // If a run takes longer than the interval, the runs that were due meanwhile are skipped.
        if (!current) void begin();
      }, everyMs).unref();
      return runNow();
    },
    runNow,
    async stop() {
      clearInterval(timer);
      await (next ?? current);
    },
  };
}

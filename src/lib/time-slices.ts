import { setImmediate as nextTurn } from 'node:timers/promises';

/** The longest that work goes on before timers and sockets have their turn, in milliseconds. */
const SLICE_MS = 10;

/** So many callers go on at once in each turn of the event loop, without a look at the clock between them. */
const AT_ONCE = 8;

/** Resolves when the caller may go on: at once, or in a later turn of the event loop. */
type GiveWay = () => Promise<void>;

/**
 * Gives way to timers and sockets where much work that never really waits comes at the same moment: a thousand
 * reads of a store in this process, or a thousand answers in one packet. Callers go on one after the other, in
 * order, for 10 ms in each turn of the event loop.
 *
 * @example
 * const giveWay = createTimeSlices();
 * await giveWay(); // before each piece of work of well under 10 ms
 */
export function createTimeSlices(now = () => performance.now()): GiveWay {
  const waiting: (() => void)[] = [];
  let isRunning = false;
  /** When the slice of this turn is over; null while nothing has run in it. */
  let endsAt: number | null = null;
  /** How many went on at once in this turn. */
  let ahead = 0;

  function beginSlice(): void {
    endsAt = now() + SLICE_MS;
    void nextTurn().then(() => {
      endsAt = null;
      ahead = 0;
    });
  }

  async function run(): Promise<void> {
    isRunning = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (endsAt !== null && now() >= endsAt) await nextTurn();
      if (endsAt === null) beginSlice();
      next();
      await workDone();
    }
    isRunning = false;
  }

  return () => {
    if (!isRunning && ahead < AT_ONCE) {
      if (endsAt === null) beginSlice();
      ahead += 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      waiting.push(resolve);
      if (!isRunning) void run();
    });
  };
}

/** Resolves when what was woken has gone as far as it can without waiting. */
function workDone(): Promise<void> {
  return new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));
}

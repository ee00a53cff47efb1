import { setTimeout as after } from 'node:timers/promises';

/** Runs work on one key after the other, in the order in which it was asked for; other keys don't wait for it. */
type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/**
 * Turns within this process. For work that would otherwise start over whenever other work on the same key was
 * faster: of a hundred such, each would lose up to ninety-nine times.
 *
 * @example
 * const inTurn = createTurns();
 * await Promise.all([inTurn('a', first), inTurn('a', second)]); // second begins when first has settled
 */
export function createTurns(): InTurn {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key) ?? Promise.resolve();
    const own = before.then(work);
    const settled = own.catch(() => undefined);
    last.set(key, settled);
    try {
      return await own;
    } finally {
      if (last.get(key) === settled) last.delete(key);
    }
  };
}

/** The longest rest, in milliseconds: work that took long may have stood still with its process, and others wait for the next. */
const LONGEST_REST_MS = 2_000;

/**
 * Turns with a rest after each, twice as long as its work took but no longer than two seconds: work that is asked for again and
 * again, and grows with what there is, leaves two thirds of the time to everything else. Whoever asked doesn't wait for the rest.
 */
export function createRestingTurns(): InTurn {
  const inTurn = createTurns();
  const rests = new Map<string, Promise<void>>();
  return (key, work) =>
    inTurn(key, async () => {
      await rests.get(key);
      const begunAt = performance.now();
      try {
        return await work();
      } finally {
        const ms = Math.min(LONGEST_REST_MS, 2 * (performance.now() - begunAt));
        const rest = after(ms, undefined, { ref: false }).then(() => {
          if (rests.get(key) === rest) rests.delete(key);
        });
        rests.set(key, rest);
      }
    });
}

/**
 * Turns whose work everybody shares who asks for it before it begins. For a reading that many want at the same time:
 * each gets one that began after they asked.
 *
 * @example
 * const share = createSharedTurns<number>();
 * await Promise.all([share('a', count), share('a', count)]); // counted once
 */
export function createSharedTurns<T>(
  inTurn = createTurns(),
): (key: string, work: () => Promise<T>) => Promise<T> {
  const next = new Map<string, Promise<T>>();
  return (key, work) => {
    const known = next.get(key);
    if (known) return known;
    const own = inTurn(key, () => {
      next.delete(key);
      return work();
    });
    next.set(key, own);
    return own;
  };
}

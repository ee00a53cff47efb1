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

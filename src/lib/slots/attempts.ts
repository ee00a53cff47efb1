/** A record as it was read. */
interface Read<T> {
  readonly id: string;
  readonly value: T;
}

/**
 * What processes have begun and may still be at, such as posting a message: whoever goes on with it must know that they are not.
 * When it's due says nothing of that, as the clock may be wrong of whoever began it, or has put off when it's due. So a process
 * goes by a claim that it has seen unchanged for as long as an attempt takes, and by a clock that nobody sets.
 */
export class Attempts<T> {
  readonly #readClaim: (value: T) => number | null;
  readonly #lastMs: number;
  readonly #steady: () => number;
  readonly #seen = new Map<string, { readonly claim: number; readonly since: number }>();

  /**
   * @param readClaim what every claim of a record changes, and hardly anything else does; null where nothing is begun
   * @param lastMs how long an attempt lasts at most, in milliseconds
   * @param steady milliseconds that go on whatever clocks are set to
   */
  constructor(readClaim: (value: T) => number | null, lastMs: number, steady = () => performance.now()) {
    this.#readClaim = readClaim;
    this.#lastMs = lastMs;
    this.#steady = steady;
  }

  /** Those that nobody is at. The others are watched, until they are no longer among what is found. */
  left<R extends Read<T>>(found: readonly R[]): readonly R[] {
    const ids = new Set(found.map(({ id }) => id));
    for (const id of this.#seen.keys()) if (!ids.has(id)) this.#seen.delete(id);
    return found.filter((stored) => this.isLeft(stored));
  }

  /** Whether nobody is at it; watches it from now on. */
  isLeft({ id, value }: Read<T>): boolean {
    const claim = this.#readClaim(value);
    if (claim === null) return true;
    const seen = this.#seen.get(id);
    if (seen?.claim === claim) return this.#steady() - seen.since >= this.#lastMs;
    this.#seen.set(id, { claim, since: this.#steady() });
    return false;
  }
}

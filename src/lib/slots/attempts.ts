/** A record as it was read, by the version that each write changes. */
interface Read<T> {
  readonly id: string;
  readonly version: number;
  readonly value: T;
}

/**
 * What processes have begun and may still be at, such as posting a message: whoever goes on with it must know that they are not.
 * When it's due says nothing of that, as the clock may be wrong of whoever began it, or has put off when it's due. So a process
 * goes by what it has seen unchanged for as long as an attempt takes, and by a clock that nobody sets.
 */
export class Attempts<T> {
  readonly #isBegun: (value: T) => boolean;
  readonly #lastMs: number;
  readonly #steady: () => number;
  readonly #seen = new Map<string, { readonly version: number; readonly since: number }>();

  /**
   * @param lastMs how long an attempt lasts at most, in milliseconds
   * @param steady milliseconds that go on whatever clocks are set to
   */
  constructor(isBegun: (value: T) => boolean, lastMs: number, steady = () => performance.now()) {
    this.#isBegun = isBegun;
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
  isLeft({ id, version, value }: Read<T>): boolean {
    if (!this.#isBegun(value)) return true;
    const seen = this.#seen.get(id);
    if (seen?.version === version) return this.#steady() - seen.since >= this.#lastMs;
    this.#seen.set(id, { version, since: this.#steady() });
    return false;
  }
}

import { FairSlots, type ReleaseSlot } from './fair-slots.ts';

/** A slot that is held. */
export interface Slot {
  /**
   * Runs `work`, such as waiting for a person, without holding the slot. Afterwards it is held again at once, as
   * what was begun must be able to end; until then, nothing new begins beyond the limit.
   */
  outside<T>(work: () => Promise<T>): Promise<T>;
}

/** A slot from when it was acquired until `end`; `retake` holds it again after it was left. */
export class HeldSlot implements Slot {
  #release: ReleaseSlot;
  readonly #retake: () => ReleaseSlot;
  #waits = 0;
  #isOver = false;

  constructor(release: ReleaseSlot, retake: () => ReleaseSlot) {
    this.#release = release;
    this.#retake = retake;
  }

  async outside<T>(work: () => Promise<T>): Promise<T> {
    this.#waits += 1;
    if (this.#waits === 1) this.#release();
    try {
      return await work();
    } finally {
      this.#waits -= 1;
      if (this.#waits === 0 && !this.#isOver) this.#release = this.#retake();
    }
  }

  /** Gives the slot back. */
  end(): void {
    this.#isOver = true;
    this.#release();
  }
}

/**
 * Runs `work` when its key has a free slot, first come first served.
 * @throws the signal's reason if it is aborted before `work` begins.
 */
type InSlot = <T>(key: string, signal: AbortSignal, work: (slot: Slot) => Promise<T>) => Promise<T>;

/**
 * Bounds how much runs at a time for each key; other keys don't wait for it.
 *
 * @param most slots of a key, 1 or more.
 * @example
 * const inSlot = createSlots(8);
 * await Promise.all(calls.map((call) => inSlot(threadId, signal, () => send(call)))); // 8 at a time
 */
export function createSlots(most: number): InSlot {
  const slots = new FairSlots(Number.POSITIVE_INFINITY);

  return async (key, signal, work) => {
    const slot = new HeldSlot(await slots.acquire({ owner: key, atMost: most, signal }), () =>
      slots.take(key),
    );
    try {
      return await work(slot);
    } finally {
      slot.end();
    }
  };
}

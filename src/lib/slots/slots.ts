import { FairSlots, type ReleaseSlot, type SlotGroup } from './fair-slots.ts';

/** A slot that is held. */
export interface Slot {
  /**
   * Runs `work`, such as waiting for a person, without holding the slot. Afterwards it is held again at once, as
   * what was begun must be able to end; until then, nothing new begins beyond the limit.
   *
   * @param options.keepsPlace whether nothing else of the same owner begins in its place meanwhile. @default false
   */
  outside<T>(work: () => Promise<T>, options?: { readonly keepsPlace?: boolean }): Promise<T>;
}

interface Held {
  readonly owner: string;
  readonly group?: SlotGroup | null;
  /** Gives it back. */
  readonly release: ReleaseSlot;
}

/** A slot of these, from when it was acquired until `end`. */
export class HeldSlot implements Slot {
  readonly #slots: FairSlots;
  readonly #owner: string;
  readonly #group: SlotGroup | null;
  #release: ReleaseSlot;
  #waits = 0;
  #isOver = false;

  constructor(slots: FairSlots, { owner, group = null, release }: Held) {
    this.#slots = slots;
    this.#owner = owner;
    this.#group = group;
    this.#release = release;
  }

  async outside<T>(work: () => Promise<T>, { keepsPlace = false } = {}): Promise<T> {
    const leavePlace = keepsPlace ? this.#slots.keepPlace(this.#owner, this.#group) : null;
    this.#waits += 1;
    if (this.#waits === 1) this.#release();
    try {
      return await work();
    } finally {
      this.#waits -= 1;
      if (this.#waits === 0 && !this.#isOver) this.#release = this.#slots.take(this.#owner, this.#group);
      leavePlace?.();
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
    const release = await slots.acquire({ owner: key, atMost: most, signal });
    const slot = new HeldSlot(slots, { owner: key, release });
    try {
      return await work(slot);
    } finally {
      slot.end();
    }
  };
}

import { FairSlots } from './fair-slots.ts';

/** A slot that is held. */
export interface Slot {
  /**
   * Runs `work`, such as waiting for a person, without holding the slot. Afterwards it is held again at once, as
   * what was begun must be able to end; until then, nothing new begins beyond the limit.
   */
  outside<T>(work: () => Promise<T>): Promise<T>;
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
    let release = await slots.acquire({ owner: key, atMost: most, signal });
    let waits = 0;
    let isOver = false;
    try {
      return await work({
        async outside(other) {
          waits += 1;
          if (waits === 1) release();
          try {
            return await other();
          } finally {
            waits -= 1;
            if (waits === 0 && !isOver) release = slots.take(key);
          }
        },
      });
    } finally {
      isOver = true;
      release();
    }
  };
}

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
  const held = new Map<string, number>();
  const waiting = new Map<string, Set<() => void>>();

  function hold(key: string): void {
    held.set(key, (held.get(key) ?? 0) + 1);
  }

  function release(key: string): void {
    const left = (held.get(key) ?? 0) - 1;
    if (left > 0) held.set(key, left);
    else held.delete(key);
    const [next] = waiting.get(key) ?? [];
    if (left < most) next?.();
  }

  async function take(key: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if ((held.get(key) ?? 0) < most) return hold(key);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const queue = waiting.get(key) ?? new Set();
    const next = () => {
      leave();
      hold(key);
      resolve();
    };
    const stop = () => {
      leave();
      reject(signal.reason);
    };
    const leave = () => {
      signal.removeEventListener('abort', stop);
      queue.delete(next);
      if (queue.size === 0) waiting.delete(key);
    };
    waiting.set(key, queue.add(next));
    signal.addEventListener('abort', stop, { once: true });
    return promise;
  }

  return async (key, signal, work) => {
    await take(key, signal);
    let waits = 0;
    let isOver = false;
    try {
      return await work({
        async outside(other) {
          waits += 1;
          if (waits === 1) release(key);
          try {
            return await other();
          } finally {
            waits -= 1;
            if (waits === 0 && !isOver) hold(key);
          }
        },
      });
    } finally {
      isOver = true;
      if (waits === 0) release(key);
    }
  };
}

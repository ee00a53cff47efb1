/** How often a wait polls, in milliseconds, for changes by another process. */
const LOOK_AGAIN_MS = 1_000;

/** Wakes those who wait for a named thing to change; a hint, so a wait also ends by itself now and then. */
export function createSignal() {
  const waiting = new Map<string, Set<() => void>>();
  return {
    notify(key: string): void {
      for (const wake of waiting.get(key) ?? []) wake();
    },
    async wait(key: string, signal: AbortSignal): Promise<void> {
      if (signal.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const waiters = waiting.get(key) ?? new Set();
      waiting.set(key, waiters.add(resolve));
      const timer = setTimeout(resolve, LOOK_AGAIN_MS);
      const stop = () => resolve();
      signal.addEventListener('abort', stop, { once: true });
      await promise;
      signal.removeEventListener('abort', stop);
      clearTimeout(timer);
      waiters.delete(resolve);
      if (waiters.size === 0) waiting.delete(key);
    },
  };
}
export type Signal = ReturnType<typeof createSignal>;

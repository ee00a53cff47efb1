import type { WakeHandler, WakeUps } from '../ports.ts';

/** Wake-ups of a process, from start to end. */
export interface HeldWakeUps extends WakeUps {
  /** Stops receiving: wake-ups from now on are for other processes. It can still send. */
  deafen(): Promise<void>;
  /** Releases its resources; nothing can be sent any more. */
  close(): Promise<void>;
}

/** Wake-ups within one process. */
export function inProcessWakeUps(): HeldWakeUps {
  const handlers: WakeHandler[] = [];
  return {
    wake(threadId, change) {
      for (const handler of handlers) queueMicrotask(() => handler(threadId, change));
    },
    offer: () => undefined,
    subscribe: (handler) => void handlers.push(handler),
    async deafen() {
      handlers.length = 0;
    },
    close: async () => undefined,
  };
}

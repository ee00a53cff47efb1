import type { WakeUps } from '../ports.ts';

/** Wake-ups of a process, from its start to its end. */
export interface HeldWakeUps extends WakeUps {
  /** Hears no more: what is told from now on is for other processes. It can still tell. */
  deafen(): Promise<void>;
  /** Lets go of what it holds; nothing can be told any more. */
  close(): Promise<void>;
}

/** Wake-ups within one process. */
export function inProcessWakeUps(): HeldWakeUps {
  const handlers: ((threadId: string) => void)[] = [];
  return {
    wake(threadId) {
      for (const handler of handlers) queueMicrotask(() => handler(threadId));
    },
    subscribe: (handler) => void handlers.push(handler),
    async deafen() {
      handlers.length = 0;
    },
    close: async () => undefined,
  };
}

import type { RunContext } from '../../runs/ports.ts';

/**
 * The context of each thread's current run. It holds functions and a signal, which can't go into a
 * checkpoint; the thread's lease ensures that there is one run at a time.
 */
export function createContexts() {
  const contexts = new Map<string, RunContext>();
  return {
    async during<T>(context: RunContext, work: () => Promise<T>): Promise<T> {
      contexts.set(context.threadId, context);
      try {
        return await work();
      } finally {
        contexts.delete(context.threadId);
      }
    },
    /** Throws when the run was stopped, so that it takes no further step. */
    of(config: { readonly configurable?: Record<string, unknown> }): RunContext {
      const context = contexts.get(String(config.configurable?.thread_id));
      if (!context) throw new Error('a node ran outside a run');
      context.signal.throwIfAborted();
      return context;
    },
  };
}
export type Contexts = ReturnType<typeof createContexts>;

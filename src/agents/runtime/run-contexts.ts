import type { RunContext } from '../../runs/ports.ts';

/**
 * The context of the run that is under way, by thread. It holds functions and a signal, which a
 * checkpointed graph must not carry; the thread's lease sees to it that there is one run at a time.
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
    /** Throws when the run was stopped: it takes no further step then. */
    of(config: { readonly configurable?: Record<string, unknown> }): RunContext {
      const context = contexts.get(String(config.configurable?.thread_id));
      if (!context) throw new Error('a node ran outside a run');
      context.signal.throwIfAborted();
      return context;
    },
  };
}
export type Contexts = ReturnType<typeof createContexts>;

import type { Agent } from '../runs/ports.ts';

/** The graph that threads of programs' calls name: they have none, and a worker only sends their calls. */
export const NO_GRAPH = 'none';

/** Stands where a thread's graph would: it has nothing to run, and waits for nothing. */
export const noAgent: Agent = {
  run: async () => null,
  inspect: async () => ({
    interrupt: null,
    unfinished: false,
    response: null,
    read: [],
    plans: [],
    knows: () => true,
  }),
  abandon: async () => undefined,
  join: async () => undefined,
  claim: async () => undefined,
};

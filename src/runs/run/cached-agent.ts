import type { Agent, AgentState } from '../ports.ts';

/**
 * Caches the state of one thread's agent for the holder of its lease. Only the holder moves the graph, so a
 * state stays valid until it does; reading and rebuilding it costs as much as a step of the graph.
 */
export function cacheAgent(agent: Agent): Agent {
  let state: AgentState | null = null;
  const forget = (): void => {
    state = null;
  };
  return {
    async run(input, context) {
      forget();
      state = await agent.run(input, context);
      return state;
    },
    async inspect(threadId, requester, fence) {
      state ??= await agent.inspect(threadId, requester, fence);
      return state;
    },
    abandon: (threadId, reason, fence) => agent.abandon(threadId, reason, fence).finally(forget),
    join: (threadId, side, fence) => agent.join(threadId, side, fence).finally(forget),
    claim: (threadId, fence) => agent.claim(threadId, fence),
  };
}

import type { Agent, AgentState } from './ports.ts';

export interface RememberingAgent extends Agent {
  /** The next look is a new one: somebody else may have moved the graph. */
  forget(): void;
}

/**
 * The agent of one thread as the holder of its lease sees it. Only the holder moves the graph, so a look
 * holds until it does: reading and rebuilding the state costs as much as a step of the graph.
 */
export function rememberLooks(agent: Agent): RememberingAgent {
  let seen: AgentState | null = null;
  const forget = (): void => {
    seen = null;
  };
  return {
    forget,
    async run(input, context) {
      forget();
      seen = await agent.run(input, context);
      return seen;
    },
    async inspect(threadId, requester) {
      seen ??= await agent.inspect(threadId, requester);
      return seen;
    },
    abandon: (threadId, reason, fence) => agent.abandon(threadId, reason, fence).finally(forget),
    claim: (threadId, fence) => agent.claim(threadId, fence),
  };
}

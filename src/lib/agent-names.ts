/** The agents that a conversation can be with, the first unless another is chosen. */
export const AGENT_NAMES = ['assistant', 'planner'] as const;
export type AgentName = (typeof AGENT_NAMES)[number];

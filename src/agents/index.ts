/** The door of the agents; their vocabulary is in ports.ts. */

export { createAssistant } from './assistant/index.ts';
export { createInboxAgent } from './inbox/index.ts';
export { createSampler, createSteadySampler } from './models/sampler.ts';
export { createPlanner } from './planner/index.ts';
export { createGraphAgent } from './runtime/graph-agent.ts';
export type { LangSmith } from './runtime/langsmith.ts';
export { createDelegate } from './team/delegate.ts';
export { createMember, createTeam } from './team/index.ts';

/** The models, each loaded only where it is used: what reads dates, or OpenAI's client, takes a tenth of a start. */
export const loadDemo = () => import('./demo/index.ts');
export const loadLangSmith = () => import('./runtime/langsmith.ts');
export const loadOpenAi = () => import('./models/openai.ts');

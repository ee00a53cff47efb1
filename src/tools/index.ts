/**
 * Tool sources, the one caller that sends calls to them, and the reads past its records: the module's public interface, besides
 * ports.ts.
 */

export { limitAtServices } from './admission.ts';
export { readCard } from './foreign-agents/a2a.ts';
export type { ForeignAgent } from './foreign-agents/foreign-agent.ts';
export { createForeignAgents } from './foreign-agents/source.ts';
export { createGatedCaller } from './gated-caller.ts';
export { createKeptResults, type KeptResults } from './large-results.ts';
export { createReadyTools } from './ready-tools.ts';
export { requesterVerdict } from './requester-verdict.ts';
export { createResultShares } from './result-shares.ts';
export { combineToolSources } from './sources.ts';
export { createUnrecordedReads, type ReadUnrecorded } from './unrecorded-read.ts';

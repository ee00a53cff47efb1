/** MCP servers and their tools: the module's public interface, besides its types in ports.ts. */

export { compileArgumentChecks } from './arguments/own-checks.ts';
export { createArgumentValidator } from './arguments/validator.ts';
export { createMcpToolSource } from './calls/tool-source.ts';
export { jobRules } from './config/jobs.ts';
export { type BundledNames, parseServers, readMcpEntries } from './config/load.ts';
export { networkReach } from './config/reach.ts';
export { isBundled } from './config/schema.ts';
export { OWN_META, PERSON_META, THREAD_META } from './connection/connect.ts';
export type { InProcessServers } from './connection/transports.ts';
export { createToolHub } from './hub/hub.ts';
export { createPrompts, promptTools } from './hub/prompts.ts';
export type { SignInSupport } from './hub/server-access.ts';
export { ProcessIsolation } from './isolation/isolation.ts';
export { findServerUser, takeOver } from './isolation/other-user.ts';
export { samplingTools } from './protocol/sampling.ts';
export { createToolListCache, createToolListRecords } from './tools/list-cache.ts';
export { readRecordedTools } from './tools/recorded-tools.ts';
export { reviewMode } from './tools/review-state.ts';
export { createToolReviews, type ToolReviews } from './tools/reviews.ts';

/** The door of what programs ask of the gate; its vocabulary is in ports.ts. */

export { ProgramAccess } from './access.ts';
export { AgentCalls, type BeginInput } from './agent-calls.ts';
export { createProgramLimits, type ProgramLimits, programAccount } from './budget.ts';
export { CallWaits } from './call-waits.ts';
export { createFindCaller, type FindCaller, KEY_PREFIX } from './find-caller.ts';
export { HeldCalls } from './held-calls.ts';
export { NO_GRAPH, noAgent } from './no-agent.ts';
export { whyNotRun } from './not-run.ts';
export { createProgramSessions, type ProgramSessions } from './program-sessions.ts';

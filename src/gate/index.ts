/** The gate's only way in, besides its vocabulary in types.ts. */

export { approvalHealth } from './approval/metrics.ts';
export { confirmationProblems } from './approval/typed-confirmation.ts';
export { createAuditLog } from './audit/chain.ts';
export { sealChains } from './audit/seal.ts';
export { signInWaitedFor } from './call/server-input.ts';
export { createGate, type Gate, threadsOf } from './gate.ts';
export { createUnfit } from './policy/argument-schemas.ts';
export { createArgumentRules, createIdempotence, createPolicy } from './policy/evaluate.ts';
export { explain, rulesInWords } from './policy/explain.ts';
export { peopleInPolicy } from './policy/lint.ts';

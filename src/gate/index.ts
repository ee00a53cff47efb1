/** The gate's door; its vocabulary is in types.ts. */

export { computeApprovalMetrics } from './approval/metrics.ts';
export { suggestForRules } from './approval/suggestions.ts';
export { confirmationProblems } from './approval/typed-confirmation.ts';
export { createAuditLog } from './audit/chain.ts';
export { exportEntries } from './audit/export.ts';
export {
  type AuditKeys,
  type AuditVerifier,
  createAuditKeys,
  createAuditVerifier,
  generateAuditKey,
  parsePrivateKey,
  parsePublicKey,
} from './audit/keys.ts';
export { readLastSeal, readLatestEntries } from './audit/latest.ts';
export { createSealer } from './audit/sealer.ts';
export { type AnchoredHead, type AuditProblem, anchoredHeadSchema, verifyChain } from './audit/verify.ts';
export type { Deadlines } from './call-queries.ts';
export { type CallOutline, EVERY_CALL } from './call-search.ts';
export { createReceipts, type IssueReceipt, type IssueReceipts } from './execution/receipt.ts';
export { findPermissions } from './forget-person.ts';
export { createGate, type Gate } from './gate.ts';
export { compileSchemaMismatches } from './policy/argument-schemas.ts';
export { compileArgumentSchemas, compileIdempotentTools, compilePolicy } from './policy/evaluate.ts';
export { describeRules, explainVerdict, listToolVerdicts } from './policy/explain.ts';
export { findPolicyApprovers, findUnreachableRules, findUselessApprovers } from './policy/lint.ts';
export { globMatcher } from './policy/matching/tool-glob.ts';
export { BUILT_IN_RULES } from './policy/own-servers.ts';
export { nameRule } from './policy/schema.ts';
export { type ReadKind, readKindSchema } from './policy/session-condition.ts';
export { parseToolName, policyCasesSchema, runPolicyCases } from './policy/test-cases.ts';
export { type ReplayedCall, replayPolicy } from './replay-policy.ts';
export { explainRisk } from './risk/explain-risk.ts';
export { compilePermissions } from './risk/permissions.ts';
export { countCalls, type EndedCalls, findEndedCalls, hasCalls } from './store/ended-calls.ts';
export { findProgramSessions, threadSession } from './store/session-risk.ts';
export { verifyStore } from './verify-store.ts';

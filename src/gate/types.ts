/** The gate's vocabulary: what a call, a request, a decision and a grant are, for every other module. */

export { approverSeparators, joinApproverNames, requesterLabel } from './approval/approver-names.ts';
export { currentClaim, isClaimable } from './approval/claim-state.ts';
export { currentDeadline } from './approval/deadline.ts';
export { ownsRequest } from './approval/eligibility.ts';
export { type ApprovalSample, type RuleMetrics, toApprovalSample } from './approval/metrics.ts';
export {
  type PeopleDirectory,
  type PersonIdentity,
  type Standing,
  StandingUnknownError,
} from './approval/people.ts';
export { barredReason } from './approval/separation-of-duties.ts';
export { type ApprovalStatus, approvalStatus } from './approval/status.ts';
export type { RuleSuggestion } from './approval/suggestions.ts';
export { approvalTally, approvalTerms, canBeIgnored } from './approval/tally.ts';
export { type Confirmation, requiredConfirmations } from './approval/typed-confirmation.ts';
export { findVote } from './approval/votes.ts';
export type { AuditEntry } from './audit/chain.ts';
export { type AuditLog, NO_THREAD } from './audit/chain.ts';
export type { AuditAction, AuditNote } from './audit/note.ts';
export { auditActionSchema } from './audit/note.ts';
export { SYSTEM } from './audit/notes.ts';
export { type Actor, accountSchema, actorSchema, type SignedInAccount, type Task } from './call/actor.ts';
export { fillDefaults, findDefaults } from './call/argument-defaults.ts';
export {
  actorLabel,
  approverInstructions,
  type Decision,
  type DecisionInput,
  type DecisionType,
  isUnexplained,
  type Vote,
} from './call/decision.ts';
export { diffDefinitions } from './call/definition-diff.ts';
export {
  callDigest,
  callKey,
  idToLookUp,
  readEditedId,
  recordKey,
  retriedId,
  retryId,
  toolDigest,
} from './call/digest.ts';
export type { ProgramRules } from './call/evaluate-call.ts';
export type { GateEvent } from './call/events.ts';
export {
  canBeSettled,
  finalState,
  hasConnected,
  hasEarlierDoubt,
  isEditable,
  isOpenDoubt,
  needsPerson,
  resultOwner,
  waitsForPerson,
} from './call/lifecycle.ts';
export type { CallInput, ElicitationAnswer, Need, SamplingRequest } from './call/need.ts';
export {
  canBeMoved,
  dependentSteps,
  isBroken,
  isOrderFixed,
  latestFirst,
  neededCalls,
  oldestFirst,
  placeDigest,
  placeInOrder,
  unneededSteps,
} from './call/order.ts';
export { type Content, type Kept, type Outcome, repeatsStructured } from './call/outcome.ts';
export type { Progress } from './call/progress.ts';
export { proposalDigest } from './call/propose.ts';
export {
  type CallRecord,
  type CallState,
  callStateSchema,
  type LaterStep,
  type LaterSteps,
  type Plan,
  type Program,
  type ProposedCall,
  type RequestRecord,
  type ToolSnapshot,
} from './call/record.ts';
export {
  NewsError,
  type RefusalCode,
  RefusalError,
  RepeatedDecisionError,
  unknownCall,
  unknownRequest,
} from './call/refusal.ts';
export { awaitedSignIn, type SignInAccount } from './call/server-input.ts';
export type { Delegation } from './delegation/record.ts';
export type { PageCompleted } from './elicitation/page-completed.ts';
export type { HasSignedIn } from './elicitation/signed-in.ts';
export { RECEIPT_META } from './execution/receipt.ts';
export type { GrantTerms } from './grants/issue.ts';
export { argumentNames, notGrantableReason } from './grants/match.ts';
export type { Grant, GrantScope } from './grants/record.ts';
export { type ApproverRef, formatApproverRef, parseApproverRef } from './policy/approver-rules.ts';
export {
  type CardTemplate,
  companionArguments,
  LOOK_UPS,
  lookUpArguments,
  lookUpId,
  namedArguments,
  PLACEHOLDER,
  valueAt,
} from './policy/card-template.ts';
export {
  describeGrantPattern,
  type GrantLimits,
  type GrantPattern,
  grantPatternSchema,
  matchesGrantPattern,
} from './policy/limits.ts';
export {
  CONNECT_PREFIX,
  FUNCTION_OF_PROGRAM,
  GET_PROMPT,
  OWN_SERVER,
  serverToConnect,
} from './policy/own-servers.ts';
export type { ArgumentChecks, Evaluate, ValidateArguments } from './policy/ports.ts';
export type { Policy, PolicyRule } from './policy/schema.ts';
export { type PolicyAction, PROGRAMS_RULE } from './policy/verdict.ts';
export type { ExtraWrites, GateListener, RiskPorts } from './ports.ts';
export type { Attempt } from './refusal-log.ts';
export type { CallRisk, Taint } from './risk/call-risk.ts';
export { BUILT_IN_SECTION, type FindToolRisk, type Permissions } from './risk/permissions.ts';
export { isRiskRule } from './risk/rules.ts';
export type { RiskSource, SessionRisk } from './risk/session.ts';

import { actorLabel } from '../call/decision.ts';
import type { CallRecord } from '../call/record.ts';
import { type ApprovalTerms, type ApproverRef, REQUESTER_ALONE } from '../policy/approver-rules.ts';

/**
 * The approvals that a call needs before it runs. A question is for its requester, whatever the rules say of
 * tools.
 */
export function approvalTerms(call: CallRecord): ApprovalTerms {
  return (call.kind === 'tool' ? call.verdict.approval : undefined) ?? REQUESTER_ALONE;
}

/** Whether one person can ignore the call: not where several must reject it. */
export function canBeIgnored(call: CallRecord): boolean {
  return approvalTerms(call).rejections === 1;
}

/** How close a call is to approval. */
export interface Tally {
  /** The current step, from 0; the number of steps when all are done. */
  readonly step: number;
  /** The names of those who approved this step so far. */
  readonly approved: readonly string[];
  /** How many must approve this step; 0 when all are done. */
  readonly needed: number;
  readonly from: readonly ApproverRef[];
  /** The names of those who rejected so far, where one rejection doesn't end the call. */
  readonly rejected: readonly string[];
}

/**
 * The tally of a call's votes: a step is done once `quorum` people approved it, and the first that isn't done
 * is the current one. docs/decisions/0015 explains votes.
 *
 * @example
 * ```ts
 * // steps: [{ from: ['requester'], quorum: 1 }, { from: ['group:finance'], quorum: 2 }]
 * // votes: Ana (the requester) approved step 0, Bob step 1
 * approvalTally(call); // { step: 1, approved: ['Bob'], needed: 2, from: ['group:finance'], rejected: [] }
 * ```
 */
export function approvalTally(call: CallRecord): Tally {
  const { steps } = approvalTerms(call);
  const votes = call.votes ?? [];
  const rejected = votes.filter(({ type }) => type === 'reject').map(actorLabel);
  const approvedIn = (step: number) =>
    votes.filter((vote) => vote.type !== 'reject' && vote.step === step).map(actorLabel);
  const step = steps.findIndex(({ quorum }, index) => approvedIn(index).length < quorum);
  const asked = steps[step];
  if (!asked) return { step: steps.length, approved: [], needed: 0, from: [], rejected };
  const from = [...new Set([...asked.from, ...escalatedApprovers(call, step)])];
  return { step, approved: approvedIn(step), needed: asked.quorum, from, rejected };
}

/**
 * Approvers whom an escalation added to this step. Those whom the current rule no longer adds don't count.
 */
export function escalatedApprovers(call: CallRecord, step: number): readonly ApproverRef[] {
  const mayBeAdded = new Set(call.verdict.time?.ladder.flatMap(({ add }) => add));
  const climbed = call.timing?.climbed.filter((escalation) => escalation.step === step) ?? [];
  return climbed.flatMap(({ add }) => add).filter((ref) => mayBeAdded.has(ref));
}

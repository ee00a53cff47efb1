import { actorLabel } from '../call/decision.ts';
import type { CallRecord } from '../call/record.ts';
import { type ApprovalTerms, type ApproverRef, REQUESTER_ALONE } from '../policy/approver-rules.ts';

/** What must be there before the call runs. A question is for whoever asked, whatever the rules say of tools. */
export function approvalTerms(call: CallRecord): ApprovalTerms {
  return (call.kind === 'tool' ? call.verdict.approval : undefined) ?? REQUESTER_ALONE;
}

/** Whether one person can let it be: not where it takes several to reject it. */
export function canBeIgnored(call: CallRecord): boolean {
  return approvalTerms(call).rejections === 1;
}

/** How far a call is on its way to approval. */
export interface Tally {
  /** The step that people are asked about now, from 0; the number of steps when all are done. */
  readonly step: number;
  /** Who approved this step so far, by name. */
  readonly approved: readonly string[];
  /** How many must approve this step in all; 0 when all are done. */
  readonly needed: number;
  readonly from: readonly ApproverRef[];
  /** Who rejected so far, by name, where one rejection does not end it. */
  readonly rejected: readonly string[];
}

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

/** Who was added for this step, since nobody decided. Whom the rule that holds now does not add, counts no more. */
export function escalatedApprovers(call: CallRecord, step: number): readonly ApproverRef[] {
  const mayBeAdded = new Set(call.verdict.time?.ladder.flatMap(({ add }) => add));
  const climbed = call.timing?.climbed.filter((rung) => rung.step === step) ?? [];
  return climbed.flatMap(({ add }) => add).filter((ref) => mayBeAdded.has(ref));
}

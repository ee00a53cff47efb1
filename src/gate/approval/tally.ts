import { nameOfVoice } from '../call/decision.ts';
import type { CallRecord } from '../call/record.ts';
import { type ApprovalTerms, type ApproverRef, REQUESTER_ALONE } from '../policy/approver-rules.ts';

/** What must be there before the call runs. A question is for whoever asked, whatever the rules say of tools. */
export function termsOf(call: CallRecord): ApprovalTerms {
  return (call.kind === 'tool' ? call.verdict.approval : undefined) ?? REQUESTER_ALONE;
}

/** Whether one person can let it be: not where it takes several to reject it. */
export function mayBeIgnored(call: CallRecord): boolean {
  return termsOf(call).rejections === 1;
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

export function tallyOf(call: CallRecord): Tally {
  const { steps } = termsOf(call);
  const votes = call.votes ?? [];
  const rejected = votes.filter(({ type }) => type === 'reject').map(nameOfVoice);
  const approvedIn = (step: number) =>
    votes.filter((vote) => vote.type !== 'reject' && vote.step === step).map(nameOfVoice);
  const step = steps.findIndex(({ quorum }, index) => approvedIn(index).length < quorum);
  const asked = steps[step];
  if (!asked) return { step: steps.length, approved: [], needed: 0, from: [], rejected };
  const from = [...new Set([...asked.from, ...addedAt(call, step)])];
  return { step, approved: approvedIn(step), needed: asked.quorum, from, rejected };
}

/** Who was added for this step, since nobody decided. Whom the rule that holds now does not add, counts no more. */
export function addedAt(call: CallRecord, step: number): readonly ApproverRef[] {
  const mayBeAdded = new Set(call.verdict.time?.ladder.flatMap(({ add }) => add));
  const climbed = call.timing?.climbed.filter((rung) => rung.step === step) ?? [];
  return climbed.flatMap(({ add }) => add).filter((ref) => mayBeAdded.has(ref));
}

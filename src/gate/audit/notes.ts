import { sha256Hex } from '../../lib/canonical-json.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Actor } from '../call/actor.ts';
import { type DecisionInput, isDoubtAnswer } from '../call/decision.ts';
import type { SingleCallEvent } from '../call/events.ts';
import { finalState } from '../call/lifecycle.ts';
import type { CallRecord, RequestRecord } from '../call/record.ts';
import type { AuditAction, AuditNote } from './note.ts';
import { callPermission } from './permission.ts';

/** The actor of what no person does: sending calls, and ending what nobody decided. */
export const SYSTEM: Actor = { id: 'system', name: 'Countersign' };

/** The entry of a change of a call, with the call as it is afterwards: it binds what its record then permits. */
export function callNote(
  call: CallRecord,
  what: AuditAction,
  actor: Actor,
  details: JsonObject = {},
): AuditNote {
  return { ...callRemark(call, what, actor, details), permission: callPermission(call) };
}

/** The entry of what happened about a call without changing its record. */
export function callRemark(
  call: CallRecord,
  what: AuditAction,
  actor: Actor,
  details: JsonObject = {},
): AuditNote {
  const { threadId, requestId, callId, digest, state, tool } = call;
  const base = { tool: `${tool.server}.${tool.name}`, state };
  return { threadId, what, actor, requestId, callId, digest, details: { ...base, ...details } };
}

/** The entry of people being asked about a call; `by`: whose doing it is. */
export function askNote(call: CallRecord, by: Actor, details: JsonObject = {}): AuditNote {
  const { rule, policyVersion } = call.verdict;
  return callNote(call, 'asked', by, { rule, policyVersion, ...details, ...approvalDetails(call) });
}

/** The entry of a new call: people are asked about it, a worker runs it without asking, or it ended at once. */
export function proposalNote(call: CallRecord): AuditNote {
  const { rule, policyVersion } = call.verdict;
  const why = { rule, policyVersion, definition: call.tool.definitionHash };
  if (call.state === 'denied') return callNote(call, 'denied', call.requester, why);
  if (finalState(call) !== null) return callNote(call, 'ended', call.requester, why);
  if (call.state !== 'allowed') return askNote(call, call.requester, why);
  return callNote(call, 'allowed', call.requester, { ...why, ...grantDetail(call) });
}

/** The grant that a call runs on, if nobody decided it. */
function grantDetail({ grant, decision }: CallRecord): JsonObject {
  return grant && decision === null ? { grant: grant.grantId } : {};
}

/** The approvals that a call needs, and whose approvals it has already, besides those by `except`. */
function approvalDetails({ verdict, votes = [] }: CallRecord, except?: Actor): JsonObject {
  const approvers = votes.filter(({ type }) => type !== 'reject').map(({ actor }) => actor.id);
  const standing = approvers.filter((id) => id !== except?.id);
  return {
    ...(verdict.approval ? { approval: JSON.parse(JSON.stringify(verdict.approval)) } : {}),
    ...(standing.length > 0 ? { standing } : {}),
  };
}

/**
 * The entry of one person's decision on a call. `before`: the call as they saw it, or as it was if they
 * didn't say.
 */
export function decisionNote(
  before: CallRecord,
  after: CallRecord,
  {
    type,
    feedback,
    instruction,
    instead,
  }: Pick<DecisionInput, 'type' | 'feedback' | 'instruction' | 'instead'>,
  actor: Actor,
  via?: 'web',
): AuditNote {
  if (type === 'withdraw') {
    const asker = after.decision?.for;
    return callNote(after, 'withdrawn', actor, asker ? { inPlaceOf: asker.id } : {});
  }
  if (isDoubtAnswer(type)) return callNote(after, 'doubt_settled', actor, { word: type });
  const { rule, policyVersion } = after.verdict;
  const reason = feedback?.trim();
  const wanted = type === 'approve' ? instruction?.trim() : undefined;
  const spoken = after.votes?.findLast((vote) => vote.actor.id === actor.id);
  const absent = (spoken ?? after.decision)?.for;
  // Where one person decides, no vote is kept.
  const isApproval = spoken ? spoken.type !== 'reject' && !spoken.earlier : after.state === 'approved';
  return callNote(after, 'decided', actor, {
    decision: type,
    rule,
    policyVersion,
    ...approvalDetails(after, actor),
    ...(isApproval ? { step: spoken?.step ?? 0 } : {}),
    // The entry's own digest is of the edited call, so this one says what the edit started from.
    ...(type === 'edit' ? { digestBefore: before.digest } : {}),
    ...(reason ? { feedbackDigest: sha256Hex(reason) } : {}),
    ...(wanted ? { instructionDigest: sha256Hex(wanted) } : {}),
    ...(instead ? { instruction: 'override' } : {}),
    ...(absent ? { inPlaceOf: absent.id } : {}),
    ...(via ? { via } : {}),
  });
}

/** The entry of an event of one call; `by`: whose answer caused it, or {@link SYSTEM}. */
export function eventNote({ type }: SingleCallEvent, call: CallRecord, by: Actor): AuditNote {
  const { rule, policyVersion } = call.verdict;
  // Whether the instructions are meant besides or instead; the entries of the decisions have the digests of the texts.
  const kind = call.decision?.instruction?.kind;
  const instruction = kind ? { instruction: kind } : {};
  switch (type) {
    case 'started':
      return callNote(call, 'executing', by, {
        attempt: call.attempt,
        rule,
        for: call.requester.id,
        ...instruction,
        ...grantDetail(call),
      });
    case 'needs_person':
      return callNote(call, 'needs_person', by, { kind: call.need?.kind ?? null });
    case 'person_answered':
      return callNote(call, 'need_answered', by, { answer: answerLabel(call) });
    case 'asked':
    case 'ended':
      if (call.state === 'denied') return callNote(call, 'denied', call.requester, { rule, policyVersion });
      if (call.state === 'pending') return askNote(call, by);
      return callNote(call, 'ended', by, { attempt: call.attempt, ...instruction });
  }
}

function answerLabel({ elicitationAnswer }: CallRecord): string | null {
  if (elicitationAnswer?.by === 'server') return 'page_done';
  return elicitationAnswer?.closed ? 'closed' : (elicitationAnswer?.action ?? null);
}

/** The entry of a request that closed. */
export function closingNote({ threadId, requestId }: RequestRecord): AuditNote {
  return { threadId, requestId, what: 'closed', actor: SYSTEM };
}

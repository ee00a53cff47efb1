import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../lib/json.ts';
import { describeApprovers } from '../approval/approver-names.ts';
import { maySettleDoubt } from '../approval/eligibility.ts';
import type { PeopleDirectory } from '../approval/people.ts';
import { canBeIgnored } from '../approval/tally.ts';
import { confirmationProblems } from '../approval/typed-confirmation.ts';
import { carryOverRejections, castVote } from '../approval/votes.ts';
import type { Actor } from '../call/actor.ts';
import { callArgumentProblems } from '../call/argument-check.ts';
import { type DecisionInput, isDoubtAnswer, type Vote } from '../call/decision.ts';
import { toolDigest } from '../call/digest.ts';
import { isEditable } from '../call/lifecycle.ts';
import type { CallRecord } from '../call/record.ts';
import { type RefusalCode, RefusalError } from '../call/refusal.ts';
import { clearServerInput } from '../call/server-input.ts';
import { withdrawCall } from '../call/withdraw.ts';
import { resolveAuthority } from '../delegation/on-behalf-of.ts';
import { stricterVerdict } from '../policy/strictness.ts';
import { PROGRAMS_RULE, requiresNewApproval, type Verdict } from '../policy/verdict.ts';
import type { GatePorts } from '../ports.ts';
import { evaluateToday } from '../store/session-risk.ts';
import { editedForApprovers, editedForOthers, editedUnapproved, POLICY_ASKS_MORE } from '../texts/notices.ts';
import {
  DIGEST_REQUIRED,
  deniedByPolicy,
  EDIT_ARGUMENTS_REQUIRED,
  EMPTY_ANSWER,
  editMisfit,
  INSTEAD_REQUIRED,
  NOT_EDITABLE,
  NOT_IGNORABLE,
  nothingChanged,
  nothingDone,
  onlyApprovers,
  onlyRequesterOrApprovers,
  PLACE_REQUIRED,
  REJECTION_REASON_REQUIRED,
  rejectInstead,
  TYPING_REQUIRED,
  WEB_REQUIRED,
  WRONG_DECISION,
} from '../texts/refusals.ts';
import { requireAuthority, requireUndecided } from './preconditions.ts';
import { settleDoubt } from './settle-doubt.ts';

type Refuse = (code: RefusalCode, message: string, details?: readonly string[]) => never;

/**
 * The call after one person's decision on it. `via`: they signed in on the web page to decide.
 * @throws RefusalError when the decision does not apply.
 */
export async function applyDecision(
  gatePorts: GatePorts,
  call: CallRecord,
  input: DecisionInput,
  actor: Actor,
  { via }: { readonly via?: 'web' | undefined } = {},
): Promise<CallRecord> {
  const refuse: Refuse = (code, message, details = []) => {
    throw new RefusalError(code, message, call, details);
  };
  // An account with an older sign-in may have been closed since.
  const ports = via === 'web' ? { ...gatePorts, people: freshPeople(gatePorts.people) } : gatePorts;
  const now = ports.clock();
  const { type } = input;
  if (isDoubtAnswer(type)) {
    await requireDoubtAuthority(ports, call, actor, refuse);
    return settleDoubt({ call, digest: input.digest, answer: type, actor, now });
  }
  const { authority, isWithdrawal } = await requireAuthority(ports, call, input, actor);
  requireUndecided(ports, call, input, { actor, now });
  if (type === 'withdraw') {
    if (isWithdrawal) return withdraw(call, actor, now);
    refuse('not_allowed', rejectInstead(call.requester.name));
  }
  if ((call.kind === 'question') !== (type === 'answer') && type !== 'ignore') {
    refuse('not_applicable', WRONG_DECISION);
  }
  const feedback = input.feedback?.trim() || null;
  const absent = authority.may ? authority.for : undefined;
  const decision = { type, actor, at: now, feedback, for: absent, via };
  const step = authority.may ? authority.step : 0;
  const vote = { actor, at: now, step, feedback, for: absent, via };
  switch (type) {
    case 'approve': {
      const verdict = await currentVerdict(ports, call, call.arguments, refuse);
      if (verdict.decideOn === 'web' && via !== 'web') refuse('web_required', WEB_REQUIRED);
      const problems = Object.values(confirmationProblems({ ...call, verdict }, input.typed));
      if (problems.length > 0) {
        refuse('confirmation_required', nothingDone(problems.join(' ')), problems);
      }
      const instruction = input.instruction?.trim() || undefined;
      const besides = instruction === undefined ? undefined : (true as const);
      const { remembered } = input;
      return approve(ports, call, verdict, { type, ...vote, instruction, besides, remembered });
    }
    case 'ignore':
      if (!canBeIgnored(call)) {
        refuse('not_applicable', NOT_IGNORABLE);
      }
      return { ...call, state: 'ignored', decision, endedAt: now };
    case 'reject':
      if (feedback === null && input.instead) refuse('feedback_required', INSTEAD_REQUIRED);
      if (feedback === null && call.verdict.rejectionReason === 'required') {
        refuse('feedback_required', REJECTION_REASON_REQUIRED);
      }
      return castVote(ports.people, call, {
        type,
        ...vote,
        instead: input.instead || undefined,
        isSentBack: input.isSentBack || undefined,
      });
    case 'answer':
      if (feedback === null) return refuse('feedback_required', EMPTY_ANSWER);
      return {
        ...call,
        state: 'succeeded',
        decision,
        endedAt: now,
        outcome: { status: 'succeeded', content: [{ type: 'text', text: feedback }], structured: null },
      };
    case 'edit': {
      if (!isEditable(call)) refuse('not_applicable', NOT_EDITABLE);
      const args = input.arguments ?? refuse('invalid_arguments', EDIT_ARGUMENTS_REQUIRED);
      return edit(ports, call, args, { type, ...vote }, refuse);
    }
  }
}

async function requireDoubtAuthority(
  ports: GatePorts,
  call: CallRecord,
  actor: Actor,
  refuse: Refuse,
): Promise<void> {
  if (await maySettleDoubt(ports.people, call, actor)) return;
  const { name } = call.requester;
  const why = call.verdict.approval === undefined ? onlyApprovers(name) : onlyRequesterOrApprovers(name);
  refuse('not_allowed', nothingChanged(why));
}

/** The call after its requester, or somebody on their behalf, withdrew it. */
function withdraw(call: CallRecord, actor: Actor, now: number): CallRecord {
  const after = withdrawCall(call, 'cancelled', actor, now);
  if (after.decision === null || call.decision !== null || actor.id === call.requester.id) return after;
  return { ...after, decision: { ...after.decision, for: call.requester } };
}

/** The call with an approval added, under the verdict that holds now. */
async function approve(
  ports: GatePorts,
  call: CallRecord,
  verdict: Verdict,
  vote: Vote,
): Promise<CallRecord> {
  if (!requiresNewApproval(call.verdict, verdict)) return castVote(ports.people, { ...call, verdict }, vote);
  // Earlier approvals were of a laxer rule, so they don't count; the approval at hand may not be the first
  // one needed now.
  const anew: CallRecord = {
    ...call,
    verdict,
    votes: [...carryOverRejections(call)],
    askedAgain: POLICY_ASKS_MORE,
  };
  const authority = await resolveAuthority(ports, anew, vote.actor);
  return authority.may ? castVote(ports.people, anew, { ...vote, step: authority.step }) : anew;
}

/** The call with new arguments; approvals of the old ones no longer count. */
async function edit(
  ports: GatePorts,
  call: CallRecord,
  args: JsonObject,
  vote: Vote,
  refuse: Refuse,
): Promise<CallRecord> {
  const problems = callArgumentProblems(ports, call.tool, args);
  if (problems.length > 0) {
    refuse('invalid_arguments', editMisfit(problems), problems);
  }
  const verdict = await currentVerdict(ports, call, args, refuse);
  const digest = toolDigest(call.tool, args);
  // A typed confirmation of the old value doesn't confirm the new one, nor does a form that holds it. And an
  // approval on the web page is of what that page displays.
  const mustType = (verdict.confirmByTyping ?? []).length > 0;
  const mustSignIn = verdict.decideOn === 'web';
  if (digest === call.digest) {
    if (mustType) {
      refuse('confirmation_required', TYPING_REQUIRED);
    }
    if (mustSignIn) refuse('web_required', WEB_REQUIRED);
    const authority = await resolveAuthority(ports, call, vote.actor);
    if (!authority.may) refuse('not_allowed', nothingChanged(authority.why));
    // The form was sent unchanged: this is an approval, and the record must not call it an edit.
    return approve(ports, call, verdict, { ...vote, type: 'approve' });
  }
  const { name } = vote.actor;
  const { votes: _votes, edits: _edits, ...rest } = clearServerInput(call);
  const rejections = carryOverRejections(call);
  const edits = appendEdit(call, args, vote);
  const changed: CallRecord = {
    ...rest,
    arguments: args,
    digest,
    verdict,
    edits: edits.length > 0 ? [...edits] : undefined,
    votes: rejections.length > 0 ? [...rejections] : undefined,
  };
  const waiting = (why: string) => ({ ...changed, votes: [...rejections], askedAgain: why });
  if (verdict.approval?.excludeRequester) return waiting(editedForOthers(name));
  if (mustType || mustSignIn) return waiting(editedUnapproved(name));
  // The new arguments may need other approvers than the old ones.
  const authority = await resolveAuthority(ports, changed, vote.actor);
  return authority.may
    ? castVote(ports.people, changed, { ...vote, step: authority.step, for: authority.for })
    : waiting(editedForApprovers(name, await describeApprovers(ports.people, changed)));
}

/** The edits that may be in the new arguments; none if these are what was proposed. */
export function appendEdit(
  call: CallRecord,
  args: JsonObject,
  { actor, at, for: absent }: Pick<Vote, 'actor' | 'at' | 'for'>,
) {
  if (isDeepStrictEqual(args, call.proposedArguments)) return [];
  return [...(call.edits ?? []), { by: actor, at, for: absent }];
}

/** The same directory, looked up afresh. */
function freshPeople(people: PeopleDirectory): PeopleDirectory {
  return { ...people, standing: (actor, threadId) => people.standing(actor, threadId, { fresh: true }) };
}

/**
 * The verdict for a call about to be approved: the verdict of record, made stricter by today's policy. The
 * policy may have changed since people were asked, its program may have lost its key, and an edit may fall under another rule. It never becomes
 * laxer.
 */
async function currentVerdict(
  ports: GatePorts,
  call: CallRecord,
  args: JsonObject,
  refuse: Refuse,
): Promise<Verdict> {
  const now = await evaluateToday(ports, { ...call, arguments: args });
  if (now.action === 'deny') {
    const { rule, reason } = now;
    const ofProgram = rule === PROGRAMS_RULE ? reason : null;
    refuse('denied_by_policy', ofProgram === null ? deniedByPolicy(now) : nothingDone(ofProgram));
  }
  return stricterVerdict(call.verdict, now);
}

/**
 * Refuses an approval or edit that doesn't name what was displayed if the call isn't as it was first displayed: it has
 * changed since, or its place in its plan has, or is asked again for a reason that the approver must have seen.
 * @throws RefusalError
 */
export function requireShown(call: CallRecord, { type, digest, place }: DecisionInput): void {
  if (type !== 'approve' && type !== 'edit') return;
  const isChanged =
    call.askedAgain !== undefined || !isDeepStrictEqual(call.arguments, call.proposedArguments);
  if (digest === null && isChanged) throw new RefusalError('changed', DIGEST_REQUIRED, call);
  const isElsewhere = call.movedFrom !== undefined || call.neededEdits !== undefined;
  if (place === undefined && isElsewhere) throw new RefusalError('changed', PLACE_REQUIRED, call);
}

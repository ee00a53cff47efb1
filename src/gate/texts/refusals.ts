/**
 * Why the gate refuses what somebody wants to do. What became of a call is in notices.ts: the cards, the record
 * and the model read that, and only the person who is refused reads this.
 */

export const UNKNOWN_ACTION = 'There is no such action. Nothing was done.';
export const CALL_ID_TAKEN =
  'Another program already uses the id of this call in this thread. Nothing was done. Ask again.';
export const UNKNOWN_REQUEST = 'There is no such request. Nothing was done.';
export const NOBODY_ASKED = 'This action doesn’t need a decision. Nothing was done.';

/** Ends a refusal with what did not happen. */
export function nothingChanged(why: string): string {
  return `${why} Nothing was changed.`;
}

export function nothingDone(why: string): string {
  return `${why} Nothing was done.`;
}

// Who may decide

export const STANDING_UNKNOWN =
  'I couldn’t check whether your account may decide this. Nothing was changed; try again in a moment.';
export const REQUESTER_EXCLUDED = 'You asked for this, so somebody else must decide.';
export const KEYS_DECIDE_THEIR_OWN =
  'A key only decides what it asked for itself, so somebody must decide this in Slack.';
export const CHANGED_BY_YOU = 'You changed this, so somebody else must approve it as it is now.';
export const EARLIER_APPROVAL_COUNTED = 'Your approval is already counted; others decide now.';

/** By the account's standing; a member is not refused. */
export const STANDING_REFUSALS = {
  guest: 'Guests may not decide this, unless the policy names them.',
  deactivated: 'This account is deactivated, so it can’t decide.',
  stranger: 'People from other organisations may not decide this, unless the policy names them.',
  unknown: 'This account doesn’t exist, so it can’t decide.',
  app: 'Apps can’t decide.',
} as const;

/** Both steps are indexes, from 0. */
export function neededInLaterStep({
  step,
  later,
}: {
  readonly step: number;
  readonly later: number;
}): string {
  return `The rule needs your approval in step ${later + 1}, so somebody else must approve step ${step + 1}.`;
}

/** `approvers`: as `describeApprovers` formats them. */
export function onlyApprovers(approvers: string): string {
  return `Only ${approvers} may decide this.`;
}

export function onlyRequesterOrApprovers(requester: string): string {
  return `Only ${requester} and the people who could have approved it may decide this.`;
}

export function decidedOnYourBehalf(name: string): string {
  return `${name} has already decided on your behalf.`;
}

interface Counted {
  readonly count: number;
  readonly of: number;
}

export function rejectionCounted({ count, of }: Counted): string {
  return `Your rejection is already counted: ${count} of ${of}.`;
}

export function approvalCounted({ count, of }: Counted): string {
  return `Your approval is already counted: ${count} of ${of}.`;
}

// Decisions

export const DECIDED_TWICE = 'One action can’t be decided twice at once. Nothing was done.';
export const WEB_REQUIRED =
  'The policy wants this approved on the web page, after a sign-in. “Decide on the web…” on its card leads there. Nothing was done.';
export const DEADLINE_PASSED = 'The deadline for this has passed. Nothing was done. Ask again.';
export const CHANGED_SINCE_SHOWN =
  'This has changed since it was shown to you. Nothing was done. Look at the card again.';
export const DIGEST_REQUIRED =
  'This has changed since it was first shown, or is asked again. Nothing was done. Look at it as it is now, and send its digest with your decision.';
export const PLACE_REQUIRED =
  'The plan has changed since this was first shown: its order, or a step that this one needs. Nothing was done. Look at it as it is now, and send its place with your decision.';
export const WRONG_DECISION =
  'An action is approved or rejected, and a question is answered. Nothing was done.';
export const NOT_IGNORABLE = 'It takes several people to end this. Reject it instead. Nothing was done.';
export const REJECTION_REASON_REQUIRED = 'The policy wants a reason with a rejection. Nothing was done.';
export const INSTEAD_REQUIRED = 'Say what is to be done instead. Nothing was done.';
export const EMPTY_REASON = 'The reason is empty. Nothing was changed.';
export const NO_REASON_AWAITED = 'This has its reason already, or wasn’t rejected. Nothing was changed.';
export const EMPTY_ANSWER = 'The answer is empty. Nothing was sent.';
export const NOT_EDITABLE =
  'The program that asks for this runs it with its own arguments, which cannot be changed here. Nothing was changed; reject it, and say what should be different.';
export const EDIT_ARGUMENTS_REQUIRED = 'An edit needs the new arguments.';
export const TYPING_REQUIRED = 'Nothing was changed. To approve it, type what the policy wants typed.';
export const DOUBT_OVER = 'This is no longer waiting for an answer. Nothing was changed.';
export const REQUEST_OVER =
  'The request that this belongs to has ended. Nothing was sent. Write again to be asked again.';

export function onlyRequesterWithdraws(requester: string): string {
  return `Only ${requester} may withdraw this. Nothing was changed.`;
}

export const ORDER_APPROVED = 'A step is approved in its place already, or the plan has ended.';
export const ORDER_CHANGED =
  'The plan has changed since it was shown to you, or a step would come before one that it needs.';

export function onlyRequesterReorders(requester: string): string {
  return `Only ${requester}, who asked for this plan, may change its order.`;
}

export function rejectInstead(requester: string): string {
  return `Only ${requester} may withdraw this. You can reject it. Nothing was changed.`;
}

export function onlyRejecterGivesReason(name: string): string {
  return `Only ${name}, who rejected this, can say why. Nothing was changed.`;
}

export function editMisfit(problems: readonly string[]): string {
  return `The changes are invalid: ${problems.join('; ')}. Nothing was done.`;
}

/** `reason`: the operator's words. */
export function deniedByPolicy({
  rule,
  reason,
}: {
  readonly rule: string;
  readonly reason: string | null;
}): string {
  const denied = `The policy doesn’t allow this (${rule}).`;
  return nothingDone(reason === null ? denied : `${denied} ${reason.replace(/[^.!?]$/, '$&.')}`);
}

/** Why a call can't be decided any more. */
export const ALREADY_DECIDED = {
  expired: 'This expired before anybody decided. Nothing was changed.',
  withdrawn: 'This was withdrawn. Nothing was changed.',
  other: 'This no longer needs a decision. Nothing was changed.',
} as const;

/** For the person who decided it: their second click wasn't meant to change anything. */
export const ALREADY_DECIDED_BY_YOU = {
  approve: 'You already approved this. It runs once.',
  edit: 'You already approved this, with your changes. It runs once.',
  reject: 'You already rejected this. Nothing was changed.',
  ignore: 'You already ignored this. Nothing was changed.',
  answer: 'You already answered this. Nothing was changed.',
} as const;

const DECIDED = {
  approve: 'approved',
  edit: 'approved with changes',
  reject: 'rejected',
  ignore: 'ignored',
  answer: 'answered',
} as const;

export function alreadyDecidedBy(name: string, type: keyof typeof DECIDED): string {
  return `This was already ${DECIDED[type]} by ${name}. Nothing was changed.`;
}

// Typed confirmations

export function confirmationImpossible(argument: string): string {
  return `The policy wants ${argument} typed, and it is missing here or blank, so this can’t be approved.`;
}

export function confirmationMissing(argument: string): string {
  return `The policy wants the value of ${argument} typed to approve this.`;
}

export function confirmationWrong(argument: string): string {
  return `This isn’t the value of ${argument}.`;
}

// Claims, reassignments and delegations; `nothingChanged` ends them

export const NOT_CLAIMABLE = 'Nobody else can decide this, so there’s nothing to claim.';
export const CLAIMED_BY_YOU = 'You already claimed this.';
export const NOT_CLAIMED = 'You haven’t claimed this.';
export const NOT_WAITING = 'This isn’t waiting for a decision.';
export const REASSIGNMENT_OUTDATED = 'This has changed since it was shown to you.';
export const ALREADY_REASSIGNED = 'You already handed this over.';
export const NOT_REASSIGNED = 'You haven’t handed this to anybody.';
export const DELEGATION_IN_PAST = 'That time has passed.';
export const DELEGATION_TOO_LONG = 'A delegation can last a year at most.';
export const DELEGATE_IS_YOU = 'You can’t name yourself.';
export const NOT_YOUR_DELEGATION = 'Only the person who is away can end this.';
export const DELEGATION_OVER = 'This has already ended.';

export function alreadyClaimed(name: string): string {
  return `${name} already claimed this. Take it over if you mean to.`;
}

export function reassignedByYou(to: string): string {
  return `You handed this to ${to}, who decides in your place. Take it back first.`;
}

export function isRequester(name: string): string {
  return `${name} asked for this.`;
}

export function canDecideAnyway(name: string): string {
  return `${name} can decide this anyway.`;
}

export function hasDecided(name: string): string {
  return `${name} has already decided this.`;
}

export function cannotDelegateTo(name: string, why: string): string {
  return `${name} can’t decide on your behalf. ${why}`;
}

/** To a delegate, about a delegation that only a record claims. */
export function delegationNotProven(name: string): string {
  return `${name}’s delegation to you doesn’t count, because the audit doesn’t prove it. ${name} can delegate again.`;
}

export function tooManyDelegations(limit: number): string {
  return `You already have ${limit} delegations. End one first.`;
}

// Grants

export const NO_GRANTS = 'Approvals can’t be remembered here.';
export const NOT_GRANTABLE = {
  typing: 'It needs a value that is typed each time.',
  web: 'It needs a sign-in on the web page each time.',
  destructive: 'It may delete or overwrite something, so it is asked about every time.',
  several: 'It needs several people each time.',
  somebodyElse: 'It needs somebody other than the requester each time.',
} as const;
export const GRANT_IS_FOR_ONCE =
  'What you decide on somebody’s behalf, or after an escalation, counts this once. Nothing was done.';
export const GRANT_OUT_OF_LIMITS =
  'This can’t be remembered: the scope, the duration or the number of uses is over the limit. Nothing was done.';
export const GRANT_MISFIT =
  'This can’t be remembered: its conditions don’t match this call. Nothing was done.';
export const GRANT_TOO_WIDE =
  'This can’t be remembered for any arguments at all: the tool may delete or overwrite something. Nothing was done.';
export const NOT_YOUR_GRANT = 'Only the person who gave a permission can revoke it. Nothing was changed.';
export const GRANT_OVER = 'This permission has already ended. Nothing was changed.';

export function neverRemembered(rule: string): string {
  return `The rule ${rule} requires approval every time.`;
}

// Deadlines

export const EXTENSION_TOO_LATE = 'The deadline for this has passed. Ask again.';
export const NO_DEADLINE = 'This has no deadline.';
export const ALREADY_EXTENDED = 'Somebody has extended this already.';
export const NO_EXTENSION_LEFT = 'This can’t be extended again: its rule doesn’t allow it.';
export const NOT_KEPT_LONGER = 'This can’t be extended again: its conversation isn’t kept any longer.';

export function onlyApproversExtend(requester: string): string {
  return `Only ${requester} and the people who may decide this can extend it.`;
}

/** While other calls of the request wait. */
export function onlyApproversRetry(requester: string): string {
  return `${requester}’s request goes on once all of it is decided, so only ${requester} and the people who may decide this can have it tried again until then.`;
}

// What servers ask of people

export function formMisfit(problems: readonly string[]): string {
  return `This doesn’t match the form: ${problems.join('; ')}. Nothing was sent.`;
}

export function onlyRequesterAnswers(requester: string): string {
  return `This is for ${requester} alone. Nothing was changed.`;
}

// Calls of external programs; `reportNotRecorded` ends the first three

export const NOT_EXTERNAL = 'Countersign runs this action itself.';
export const NOT_APPROVED = 'This action isn’t approved, so it must not run.';
export const REPORTED_DIFFERENTLY = 'Another outcome of this action was reported before.';
export const REPORT_NOT_JSON =
  'The report holds a value that JSON can’t represent exactly. It was not recorded.';
export const REQUEST_IS_OPEN =
  'Something else in this thread waits for a decision. Nothing was asked; try again once it is decided.';
export const ALREADY_PROPOSED =
  'This was asked for already, and has a card of its own in this thread. Nothing was done.';
export const ID_IS_TAKEN = 'Another action has this id already. Nothing was done.';

export function reportNotRecorded(why: string): string {
  return `${why} The report was not recorded.`;
}

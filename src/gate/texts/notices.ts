/**
 * What became of a call, and what an audit check found: for cards, the record, operators and the model. Why
 * somebody is refused is in refusals.ts.
 */

export const CHANNEL_MEMBERS = 'members of this channel';

/** Joins names: `Ana and Bob`. */
function joinNames(names: readonly string[]): string {
  return [...new Set(names)].join(' and ');
}

// Why a call ended before it was sent

export const ARGUMENTS_NOT_JSON = 'the arguments hold a value that JSON can’t represent exactly';
export const DENIED_NOW = 'The policy no longer allows it.';
export const DIGEST_MISMATCH = 'The record doesn’t match what was shown, so it did not run.';

export function argumentsTooDeep(levels: number): string {
  return `the arguments nest lists and objects more than ${levels} levels deep`;
}

export const NOT_PROVEN =
  'Its record says what the audit doesn’t: it was changed outside of Countersign. So it did not run. Ask for it again, and have an administrator verify the audit.';
export const NOT_PROVEN_MAYBE_RUN =
  'Its record says what the audit doesn’t: it was changed outside of Countersign, after the call may have been sent. It was not sent again. Look up whether it happened, and have an administrator verify the audit.';
export const APPROVAL_NOT_PROVEN =
  'The audit doesn’t prove that it was approved, so it needs a new approval.';
export function grantNotProven(by: string): string {
  return `${by} had allowed such calls, but the audit doesn’t prove it. So that has ended.`;
}

export const VOTES_NOT_PROVEN = 'The audit doesn’t prove earlier votes on it, so they don’t count.';
/** Why people are asked about a call that failed, and that somebody wants once more. */
export function failedBefore(name: string, { isEdited }: { readonly isEdited: boolean }): string {
  return isEdited
    ? `It failed. ${name} changed it, and wants it tried again.`
    : `It failed, and ${name} wants it tried again.`;
}

export function unknownTool(name: string): string {
  return `There is no tool called ${name} at the moment; nothing was done.`;
}

export function argumentsMisfit(problems: readonly string[]): string {
  return `The arguments are invalid: ${problems.join('; ')}. Nothing was done.`;
}

export function argumentsMisfitNow(problems: readonly string[]): string {
  return `The arguments no longer meet the operator’s rules: ${problems.join('; ')}. It did not run.`;
}

/** A tool that changed after its call was proposed. `problems`: how the call doesn't fit it any more. */
export function toolChanged(
  server: string,
  { changes, problems }: { readonly changes: readonly string[]; readonly problems: readonly string[] },
): string {
  const why = problems.length > 0 ? ` The arguments are no longer valid: ${problems.join('; ')}.` : '';
  return `${server} has changed this tool since it was proposed (${changes.join(', ')}).${why} Nothing was done.`;
}

export function nothingBegun(server: string): string {
  return `${server} did nothing: it first needed something from a person.`;
}

export function tooManyPages(server: string, most: number): string {
  return `${server} asked to open a page ${most} times and still didn’t begin. Nothing was done. Ask again to retry.`;
}

export function deniedBecause(reason: string | null): string {
  return reason === null ? 'The policy does not allow this.' : `The policy does not allow this: ${reason}`;
}

/** Why a step of a plan is withdrawn: what became of one before it, by its number from 1; null where that is unknown. */
export function stepNotDone(step: { readonly number: number; readonly end: StepEnd } | null): string {
  if (step === null) return 'a step before it could not be done';
  const { number, end } = step;
  if (typeof end === 'string') return `step ${number} ${STEP_ENDS[end]}`;
  return `step ${number} failed${end.failed === '' ? '' : `: ${end.failed}`}`;
}
/** `failed`: why; empty where that isn't to be said. */
type StepEnd = keyof typeof STEP_ENDS | { readonly failed: string };
const STEP_ENDS = {
  denied: 'was not allowed',
  rejected: 'was rejected',
  ignored: 'was struck out',
  expired: 'was not decided in time',
  cancelled: 'was withdrawn',
  superseded: 'was withdrawn',
  in_doubt: 'may or may not have happened',
} as const;

// Why people are asked again

export const POLICY_ASKS_MORE = 'The policy now requires more approval than when people were asked.';
export const POLICY_ASKS_MORE_THAN_APPROVED =
  'The policy now requires more approval than when this was approved. It did not run.';
export const POLICY_ASKS_NOW = 'The policy allowed this, but now requires approval. It did not run.';

export function editedForOthers(name: string): string {
  return `${name} changed it, so somebody else must approve it.`;
}

export function editedUnapproved(name: string): string {
  return `${name} changed it, and it isn’t approved yet.`;
}

export function editedForApprovers(name: string, approvers: string): string {
  return `${name} changed it; ${approvers} must approve it now.`;
}

/** `number`: of the step of its plan. */
export function neededStepEdited(name: string, number: number): string {
  return `${name} changed step ${number}, which this one needs.`;
}

export function approversLapsed(names: readonly string[]): string {
  return `${joinNames(names)} approved this but may no longer do so. It did not run.`;
}

/** `longest`: how old an approval may be, such as `24 hours`. */
export function approvalTooOld(names: readonly string[], longest: string): string {
  return `${joinNames(names)} approved this more than ${longest} ago, which is too long. It did not run.`;
}

export function toolChangedSinceApproval(server: string, changes: readonly string[]): string {
  return `${server} has changed this tool since it was approved (${changes.join(', ')}). It did not run.`;
}

export function grantLapsed(name: string): string {
  return `${name}’s permission for this no longer applies. It did not run.`;
}

export function grantVoidedByChange(name: string, server: string): string {
  return `${name} had allowed this, but ${server} has changed the tool since.`;
}

export function grantVoidedByStanding(name: string): string {
  return `${name} had allowed this, but may no longer decide it.`;
}

export function delegationLapsed(absent: string, delegate: string): string {
  return `${delegate} may no longer decide on behalf of ${absent}.`;
}

/** How a tool changed, a few words each. */
export const TOOL_CHANGES = {
  title: 'a different title',
  description: 'a different description',
  newArgument: (name: string) => `a new argument ${name}`,
  noArgument: (name: string) => `argument ${name} removed`,
  otherArgument: (name: string) => `argument ${name} changed`,
  destructive: 'now marked destructive',
  harmless: 'no longer marked destructive',
  hidden: 'something that isn’t shown',
} as const;

// Doubt: whether a call happened

/** The outcome of a call that was in flight when its worker stopped. */
export const STOPPED = 'Countersign stopped while this was running. It is unclear whether it happened.';
export const SENT_BEFORE = 'It was sent once before. It is unclear whether it happened.';
export const SUPERSEDED = 'A newer message took its place.';
export const RUN_ENDED = 'Its run was ended.';
export const NOBODY_SETTLED_IT = 'Nobody answered in time.';

export function withdrawnBy(name: string): string {
  return `${name} withdrew it.`;
}

export function saysItHappened(name: string): string {
  return `${name} says that it happened.`;
}

export function saysItDidNotHappen(name: string): string {
  return `${name} says that it did not happen.`;
}

/** In place of what somebody's own account answered. */
export const LAST_ATTEMPT_FAILED = 'The last attempt failed.';

export function earlierAttemptUnclear(message: string): string {
  return `${message} An earlier attempt may have happened all the same.`;
}

// What is wrong with an audit chain, for operators

export const AUDIT_PROBLEMS = {
  misplaced: 'It is in the wrong place.',
  changed: 'It was changed after it was written.',
  unlinked: 'It doesn’t follow the entry before it: one of the two was changed.',
  headMissing: 'The record of where it ends is missing or changed.',
  otherEnd: 'It isn’t the end that was recorded.',
  anchoredSealMissing: 'It was noted outside the store, and is missing: the seals were cut.',
  otherSeal: 'It isn’t the seal that was noted outside the store: the seals were changed.',
  unreadable: (why: string) => `Not all could be read. ${why}`,
  missing: ({ from, to }: { readonly from: number; readonly to: number }) =>
    from === to
      ? `The entry before it, ${from}, is missing.`
      : `The entries before it, ${from} to ${to}, are missing.`,
  cut: (entries: number) => `It ends here, but had ${entries} entries: its end is cut.`,
  allMissing: (entries: number) => `All of its ${entries} entries are missing.`,
  sealMissing: (seal: number) => `It was sealed by seal ${seal}, which is missing or changed.`,
  sealedMissing: (seal: number) => `Seal ${seal} names it, and it is missing.`,
  unsigned: 'It isn’t signed by a key of the audit: somebody else wrote it.',
  sentUnapproved: 'It was sent without the approvals that it needed.',
  sentWithoutGrant: 'It was sent on a permission that nobody gave.',
  callSaysMore: (callId: string) =>
    `The record of its call ${callId} says more than the audit: it was changed past Countersign.`,
  grantSaysMore: (by: string) =>
    `The record of a permission by ${by} says more than the audit: it was changed past Countersign.`,
  delegationSaysMore: (from: string, to: string) =>
    `The record of a delegation by ${from} to ${to} says more than the audit: it was changed past Countersign.`,
  sealedChanged: (seal: number) => `It isn’t the entry that seal ${seal} names: it was changed.`,
} as const;

/** The reason of a verdict that a new tool gets, if its rule states none. */
export const NEW_TOOL =
  'This tool is new: no admin has looked at it since its server listed it, so no wildcard allows it.';

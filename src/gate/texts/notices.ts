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

export const ARGUMENTS_NOT_JSON = 'the arguments hold what JSON cannot say exactly';
export const DENIED_NOW = 'The policy does not allow it any more.';
export const DIGEST_MISMATCH = 'What is on record is not what was shown, so it was not run.';

export function unknownTool(name: string): string {
  return `There is no tool called ${name} at the moment; nothing was done.`;
}

export function argumentsMisfit(problems: readonly string[]): string {
  return `The arguments do not fit: ${problems.join('; ')}. Nothing was done.`;
}

export function argumentsMisfitNow(problems: readonly string[]): string {
  return `The arguments do not fit the operator’s rules for them any more: ${problems.join('; ')}. It was not run.`;
}

/** A tool that changed after its call was proposed. `problems`: how the call doesn't fit it any more. */
export function toolChanged(
  server: string,
  { changes, problems }: { readonly changes: readonly string[]; readonly problems: readonly string[] },
): string {
  const why = problems.length > 0 ? ` It does not fit any more: ${problems.join('; ')}.` : '';
  return `${server} has changed this tool since it was proposed (${changes.join(', ')}).${why} Nothing was done.`;
}

export function nothingBegun(server: string): string {
  return `${server} did nothing: it first needed something from a person.`;
}

export function tooManyPages(server: string, most: number): string {
  return `${server} wanted a page opened ${most} times and still did not begin. Nothing was done. Ask again to retry.`;
}

// Why people are asked again

export const POLICY_ASKS_MORE = 'The policy asks for more than when people were asked.';
export const POLICY_ASKS_MORE_THAN_APPROVED =
  'The policy asks for more than when this was approved. It was not run.';
export const POLICY_ASKS_NOW = 'The policy let this run, and now asks people about it. It was not run.';

export function editedForOthers(name: string): string {
  return `${name} changed it, so somebody else must approve it.`;
}

export function editedUnapproved(name: string): string {
  return `${name} changed it, and it is not approved yet.`;
}

export function editedForApprovers(name: string, approvers: string): string {
  return `${name} changed it; ${approvers} must approve it now.`;
}

export function approversLapsed(names: readonly string[]): string {
  return `${joinNames(names)} approved it, and may not any more. It was not run.`;
}

/** `longest`: how old an approval may be, such as `24 hours`. */
export function approvalTooOld(names: readonly string[], longest: string): string {
  return `${joinNames(names)} approved it more than ${longest} ago, which is too long. It was not run.`;
}

export function toolChangedSinceApproval(server: string, changes: readonly string[]): string {
  return `${server} has changed this tool since it was approved (${changes.join(', ')}). It was not run.`;
}

export function grantLapsed(name: string): string {
  return `${name} had allowed this, which does not hold any more. It was not run.`;
}

export function grantVoidedByChange(name: string, server: string): string {
  return `${name} had allowed this, but ${server} has changed the tool since.`;
}

export function grantVoidedByStanding(name: string): string {
  return `${name} had allowed this, and may not decide it any more.`;
}

export function delegationLapsed(absent: string, delegate: string): string {
  return `${delegate} may not decide on behalf of ${absent} any more.`;
}

/** How a tool changed, a few words each. */
export const TOOL_CHANGES = {
  title: 'another title',
  description: 'another description',
  newArgument: (name: string) => `a new argument ${name}`,
  noArgument: (name: string) => `no argument ${name} any more`,
  otherArgument: (name: string) => `another argument ${name}`,
  destructive: 'now it may destroy',
  harmless: 'it says that it destroys nothing',
  hidden: 'something that is not shown',
} as const;

// Doubt: whether a call happened

/** The outcome of a call that was in flight when its worker stopped. */
export const STOPPED = 'Countersign stopped while this was running. It is unclear whether it happened.';
export const SENT_BEFORE = 'It was sent once before. It is unclear whether it happened.';
export const SUPERSEDED = 'A newer message took its place.';
export const RUN_ENDED = 'Its run was ended.';
export const NOBODY_SETTLED_IT = 'Nobody said so in time.';

export function withdrawnBy(name: string): string {
  return `${name} withdrew it.`;
}

export function saysItHappened(name: string): string {
  return `${name} says that it happened.`;
}

export function saysItDidNotHappen(name: string): string {
  return `${name} says that it did not happen.`;
}

export function earlierAttemptUnclear(message: string): string {
  return `${message} An earlier attempt may have happened all the same.`;
}

// What is wrong with an audit chain, for operators

export const AUDIT_PROBLEMS = {
  misplaced: 'It stands in the wrong place.',
  changed: 'It was changed after it was written.',
  unlinked: 'It does not follow the entry before it: one of the two was changed.',
  headMissing: 'The record of where it ends is missing or changed.',
  otherEnd: 'It is not the end that was recorded.',
  anchoredSealMissing: 'It was noted outside the store, and is missing: the seals were cut.',
  otherSeal: 'It is not the seal that was noted outside the store: the seals were changed.',
  unreadable: (why: string) => `Not all could be read. ${why}`,
  missing: ({ from, to }: { readonly from: number; readonly to: number }) =>
    from === to
      ? `The entry before it, ${from}, is missing.`
      : `The entries before it, ${from} to ${to}, are missing.`,
  cut: (entries: number) => `It ends here, but had ${entries} entries: its end is cut.`,
  allMissing: (entries: number) => `All of its ${entries} entries are missing.`,
  sealMissing: (seal: number) => `It was sealed by seal ${seal}, which is missing or changed.`,
  sealedMissing: (seal: number) => `Seal ${seal} names it, and it is missing.`,
  sealedChanged: (seal: number) => `It is not the entry that seal ${seal} names: it was changed.`,
} as const;

/** The texts of approvals that people see: who may decide, and why somebody may not. */

import type { Standing } from './standing.ts';

export const STANDING_UNKNOWN =
  'I could not check whether your account may decide this. Nothing was changed; try again in a moment.';

export const REQUESTER_EXCLUDED = 'You asked for this, so somebody else must decide.';

export const CHANGED_BY_YOU = 'You changed this, so somebody else must approve it as it is now.';

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

export function decidedOnYourBehalf(name: string): string {
  return `${name} has already decided on your behalf.`;
}

export function rejectionCounted({ count, of }: { readonly count: number; readonly of: number }): string {
  return `Your rejection is already counted: ${count} of ${of}.`;
}

export function approvalCounted({ count, of }: { readonly count: number; readonly of: number }): string {
  return `Your approval is already counted: ${count} of ${of}.`;
}

export const EARLIER_APPROVAL_COUNTED = 'Your approval is already counted; others decide now.';

const STANDING_REFUSALS: Readonly<Record<Standing, string | null>> = {
  member: null,
  guest: 'Guests may not decide this, unless the policy names them.',
  deactivated: 'This account is deactivated, so it cannot decide.',
  stranger: 'People from other organisations may not decide this, unless the policy names them.',
  unknown: 'This account does not exist, so it cannot decide.',
  app: 'Apps cannot decide.',
};

/** Why an account of this standing can't decide, in a sentence; null for a member, who can. */
export function standingRefusal(standing: Standing): string | null {
  return STANDING_REFUSALS[standing];
}

export const CHANNEL_MEMBERS = 'members of this channel';

export function confirmationImpossible(argument: string): string {
  return `The policy wants ${argument} typed, and it is missing here or blank, so this cannot be approved.`;
}

export function confirmationMissing(argument: string): string {
  return `The policy wants the value of ${argument} typed to approve this.`;
}

export function confirmationWrong(argument: string): string {
  return `This is not the value of ${argument}.`;
}

/** The texts of cards, modals and commands that people see in Slack. Names come in as they are to be shown. */

/** The line under a card's title: who asked, who can approve, until when. */
export const CARD_LINE = {
  requestedBy: (name: string) => `Requested by ${name}`,
  only: 'only ',
  canApprove: 'can approve',
  mustApprove: 'must approve',
  expires: 'expires ',
  neverExpires: 'never expires',
  extendedBy: (name: string) => ` (extended by ${name})`,
} as const;

/** The state of a call, at the start of a card's last line. */
export const STATE = {
  waiting: 'Waiting for a decision',
  allowed: 'Allowed',
  allowedByRule: (rule: string) => ` by the rule ${rule}`,
  denied: 'Not allowed',
  running: 'running…',
  waitsFor: (what: string) => `waits for ${what}`,
  done: 'done',
  failed: 'Failed',
  unclear: 'Unclear whether it happened',
  overridden: 'Redirected',
  rejected: 'Rejected',
  ignored: 'Ignored',
  expired: 'Expired',
  approvedInPart: (count: number, needed: number, names: string) =>
    ` ${count} of ${needed} had approved: ${names}.`,
  nothingRan: ' Nothing ran.',
  withdrawn: 'Withdrawn',
  superseded: 'Superseded',
  supersededBy: ' by a later message. Nothing ran.',
  earlierAttempt: ' · an earlier attempt may have happened',
} as const;

/** What a modal shows after a choice in it was carried out: its title, and one sentence. */
export const CHOICE_DONE = {
  approved: ['Approved', 'Approved. The result appears in the thread.'],
  extended: ['Extended', 'Extended. The card shows the new deadline.'],
  withdrawn: ['Withdrawn', "Withdrawn. It won't run."],
  takenBack: ['Taken back', 'You decide this yourself again.'],
  claimed: ['Claimed', "The others see that you're on it. They can still decide."],
  unclaimed: ['Released', "You're no longer on it. You can still decide."],
} as const;

export const UNKNOWN_ACTION = 'There is no such action. Nothing was done.';

/** What `/countersign cancel` answers. */
export const CANCEL = {
  nothing: 'You have nothing running or waiting in this channel.',
  stopped: (count: number) =>
    `Stopped ${count === 1 ? 'one conversation' : `${count} conversations`} here. What has already run isn't undone.`,
} as const;

/** The message to somebody who was named as a delegate. */
export function delegationNotice(name: string): string {
  return `${name} named you to decide while they're away. Your Home shows until when, and what's waiting.`;
}

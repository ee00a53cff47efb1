/** The names and progress of approvers, as cards show them. Names come in as they are to be shown. */

export const APPROVER_NAME = {
  anybodyHere: 'anybody in this channel',
  key: (name: string) => `the key ${name}`,
  standIn: (count: number) => (count > 1 ? 'stand in' : 'stands in'),
  butNot: (names: string) => `, not ${names},`,
  or: ' or ',
  noGroup: (name: string) => `@${name} (there is no such group)`,
  emptyGroup: (handle: string) => `@${handle} (nobody is in it)`,
} as const;

/** How far the approval is. */
export const PROGRESS = {
  step: (step: number, count: number) => `step ${step} of ${count}`,
  approved: (count: number, needed: number) => `${count} of ${needed} approved`,
  rejectedBy: (names: string) => `rejected by ${names}`,
  nobodyDecides: 'nobody can decide this',
  tooFew: (needed: number, count: number) =>
    `nobody can approve this: it needs ${needed}, and only ${count} may`,
} as const;

/** Why an approver whom the policy names can't decide. */
export const APPROVER_PROBLEM = {
  noGroup: (name: string) => `Slack has no user group ${name} that is in use.`,
  closed: (user: string) => `The account of the user ${user} is closed.`,
  noUser: (user: string) => `Slack has no user ${user}.`,
} as const;

/** Where a conversation is. */
export const PLACE = {
  direct: 'Direct message',
} as const;

/** On a waiting card. `changed`: by whom, and what if it's short: `changed by Ana: Title One → Two`. */
export function wasChanged(changed: string): string {
  return `It was ${changed}`;
}

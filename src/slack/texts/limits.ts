/** Limits of a day that are used up, and what admins allow besides. */

/** The card that asks an admin. `who`: as {@link nameOwner} has them; `limit`, `more`: as `limitAmount` and `moreOfLimit` do. */
export const LIMIT_CARD = {
  usedUp: (who: string, limit: string) => `${who} has used today’s ${limit}.`,
  meanwhile:
    'What they ask is refused until midnight UTC, unless more is allowed. Calls that people approve run anyway.',
  allow: (more: string) => `Allow ${more} today`,
  allowWhom: (who: string, allow: string) => `${who}: ${allow}`,
  leave: 'Leave it',
  left: (by: string) => `Left as it is by ${by}.`,
  allowed: (by: string, more: string) => `${by} allowed ${more}, until midnight UTC.`,
  allowedWhom: (who: string, allowed: string) => `${who}: ${allowed}`,
  takeBack: 'Take it back',
  takenBack: (by: string) => `${by} took it back: the limit counts as before.`,
  late: (by: string | null) =>
    by === null
      ? 'This was answered already. Nothing was changed.'
      : `${by} has answered this. Nothing was changed.`,
  over: 'This was answered. Home says what counts today.',
  unset: 'This limit isn’t set any more. Nothing was changed.',
  otherDay: 'That was the limit of an earlier day. Nothing was changed.',
  onlyAdmins: 'Only admins extend limits. Nothing was changed.',
  unreadable: 'This button is out of date. Nothing was changed. Your Home shows today’s limits.',
  told: {
    person: (by: string, more: string) =>
      `${by} has allowed you ${more} today. Write again what was refused.`,
    channel: (by: string, more: string) =>
      `${by} has allowed this channel ${more} today. Write again what was refused.`,
  },
  toldBack: {
    person: (by: string) => `${by} took back what you were allowed besides: your limit counts as before.`,
    channel: (by: string) =>
      `${by} took back what this channel was allowed besides: its limit counts as before.`,
  },
} as const;

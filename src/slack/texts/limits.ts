/** Limits of a day that are used up, and what admins allow besides. */

import { formatCount } from '../../lib/count.ts';
import { formatDollars } from '../../runs/index.ts';

const MEASURES = {
  runs: (count: string) => `${count} requests`,
  calls: (count: string) => `${count} calls of tools`,
  tokens: (count: string) => `${count} tokens`,
  cost: (count: string) => `${count} for the model`,
} as const;
type Measure = keyof typeof MEASURES;

/** So much of what a limit measures: `50 calls of tools`. */
export function amountText(measure: Measure, amount: number): string {
  return MEASURES[measure](measureText(measure, amount));
}

/** As {@link amountText}, without what it is: `50`, `$2.50`. */
export function measureText(measure: Measure, amount: number): string {
  return measure === 'cost' ? formatDollars(amount) : formatCount(amount);
}

/** The card that asks an admin; `who`: as {@link USE} names them. */
export const LIMIT_CARD = {
  usedUp: (who: string, limit: string) => `${who} has used today’s ${limit}.`,
  meanwhile:
    'What they ask is refused until midnight UTC, unless more is allowed. Calls that people approve run anyway.',
  allow: (amount: string) => `Allow ${amount} more today`,
  allowWhom: (who: string, allow: string) => `${who}: ${allow}`,
  leave: 'Leave it',
  left: (by: string) => `Left as it is by ${by}.`,
  allowed: (by: string, amount: string) => `${by} allowed ${amount} more, until midnight UTC.`,
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
    person: (by: string, amount: string) =>
      `${by} has allowed you ${amount} more today. Write again what was refused.`,
    channel: (by: string, amount: string) =>
      `${by} has allowed this channel ${amount} more today. Write again what was refused.`,
  },
  toldBack: {
    person: (by: string) => `${by} took back what you were allowed besides: your limit counts as before.`,
    channel: (by: string) =>
      `${by} took back what this channel was allowed besides: its limit counts as before.`,
  },
} as const;

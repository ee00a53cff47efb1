import { DateTime } from 'luxon';
import { findNext } from '../schedules/index.ts';
import type { Mailbox } from './ports.ts';

const EVERY_DAY = { kind: 'days', days: [1, 2, 3, 4, 5, 6, 7], time: '08:00' } as const;

/** When mails that are listed now are told, in milliseconds since the epoch, by the clocks of the mailbox's owner. */
export function nextDigest({ pace, timeZone }: Pick<Mailbox, 'pace' | 'timeZone'>, now: number): number {
  if (pace === 'now') return now;
  if (pace === 'daily') return findNext(EVERY_DAY, timeZone, now) ?? now;
  return DateTime.fromMillis(now, { zone: timeZone }).startOf('hour').plus({ hours: 1 }).toMillis();
}

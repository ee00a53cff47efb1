import { DateTime } from 'luxon';

/** The ISO date in this zone at an instant, in milliseconds since the epoch. */
export function dateAt(at: number, timeZone: string): string {
  return DateTime.fromMillis(at, { zone: timeZone }).toFormat('yyyy-MM-dd');
}

/** The start of an ISO date in this zone, in milliseconds since the epoch; NaN when it isn't a date. */
export function startOfDay(date: string, timeZone: string): number {
  const day = DateTime.fromISO(date, { zone: timeZone });
  return day.isValid ? day.startOf('day').toMillis() : Number.NaN;
}

/** The last millisecond of an ISO date in this zone, since the epoch; NaN when it isn't a date. */
export function endOfDay(date: string, timeZone: string): number {
  const day = DateTime.fromISO(date, { zone: timeZone });
  return day.isValid ? day.endOf('day').toMillis() : Number.NaN;
}

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/**
 * The ISO date for a person's text: `today`, `tomorrow`, a weekday in English (the next one, today included),
 * or an ISO date; null for anything else.
 */
export function parseMeantDate(words: string, now: number, timeZone: string): string | null {
  const today = DateTime.fromMillis(now, { zone: timeZone });
  const said = words.trim().toLowerCase();
  if (said === 'today') return today.toFormat('yyyy-MM-dd');
  if (said === 'tomorrow') return today.plus({ days: 1 }).toFormat('yyyy-MM-dd');
  const weekday = said.length < 3 ? -1 : WEEKDAYS.findIndex((day) => day.startsWith(said));
  if (weekday >= 0) {
    const days = (weekday + 1 - today.weekday + 7) % 7;
    return today.plus({ days }).toFormat('yyyy-MM-dd');
  }
  return /^\d{4}-\d{2}-\d{2}$/.test(said) && DateTime.fromISO(said).isValid ? said : null;
}

import { DateTime, IANAZone } from 'luxon';
import type { When } from './ports.ts';

const MINUTE_MS = 60_000;
/** How often it's looked for what is new, in milliseconds. */
const TRIGGER_MS = 5 * MINUTE_MS;
const DAY_MS = 86_400_000;
/** How far clocks of processes may be apart, in milliseconds, so that neither is taken for wrong. */
export const SKEW_MS = 5 * MINUTE_MS;
/** How many days are looked at for the next one: a month has one in each 62. */
const LOOKED_AT = 70;

/** When something runs first after an instant, both in milliseconds since the epoch; null if never again. */
export function findNext(when: When, timeZone: string, after: number): number | null {
  switch (when.kind) {
    case 'once':
      return when.at > after ? when.at : null;
    case 'interval': {
      const every = when.minutes * MINUTE_MS;
      return when.from + every * (Math.floor((after - when.from) / every) + 1);
    }
    case 'trigger':
      return after + TRIGGER_MS;
    default:
      return findNextDay(when, timeZone, after);
  }
}

/** The last time until an instant at which something was due; `due` is one of them. In milliseconds since the epoch. */
export function findLast(when: When, timeZone: string, due: number, until: number): number {
  // Of days, no more than these are looked at one by one.
  const since = Math.max(due, until - LOOKED_AT * DAY_MS);
  let last = due;
  let next = findNext(when, timeZone, when.kind === 'interval' ? until - when.minutes * MINUTE_MS : since);
  while (next !== null && next <= until) {
    last = Math.max(last, next);
    next = findNext(when, timeZone, next);
  }
  return last;
}

/** Whether a time that began had come by when its message was posted, by Slack's clock; if not, a clock that was ahead has begun it. */
export function hasCome(ran: number, postedAt: number | null): boolean {
  return postedAt !== null && postedAt >= ran - SKEW_MS;
}

function findNextDay(
  when: Extract<When, { readonly time: string }>,
  timeZone: string,
  after: number,
): number | null {
  const today = DateTime.fromMillis(after, { zone: timeZone });
  for (let ahead = 0; ahead <= LOOKED_AT; ahead += 1) {
    // By the calendar alone: a day of a zone may begin late, or not be there.
    const day = DateTime.utc(today.year, today.month, today.day).plus({ days: ahead });
    if (!isOn(when, day)) continue;
    const at = toInstant(`${day.toFormat('yyyy-MM-dd')}T${when.time}`, timeZone);
    if (at > after) return at;
  }
  return null;
}

function isOn(when: Extract<When, { readonly time: string }>, day: DateTime): boolean {
  if (when.kind === 'days') return when.days.includes(day.weekday);
  return day.day === Math.min(when.day, day.daysInMonth ?? when.day);
}

/**
 * The instant of a local time, such as `2026-03-29T02:30`, in milliseconds since the epoch: of one that the clocks show
 * twice the first, of one that they skip the end of what they skip.
 */
export function toInstant(local: string, timeZone: string): number {
  const shown = DateTime.fromISO(local, { zone: timeZone });
  if (shown.toFormat("yyyy-MM-dd'T'HH:mm") !== local) return endOfGap(local, timeZone);
  return Math.min(...shown.getPossibleOffsets().map((one) => one.toMillis()));
}

/** When the clocks go on after a local time that they skip. */
function endOfGap(local: string, timeZone: string): number {
  const zone = IANAZone.create(timeZone);
  const read = DateTime.fromISO(local, { zone: 'utc' }).toMillis();
  const [before, after] = [zone.offset(read - DAY_MS), zone.offset(read + DAY_MS)];
  // The change lies between what the time would be by the one offset and by the other.
  let [early, late] = [read - after * MINUTE_MS, read - before * MINUTE_MS];
  while (late - early > MINUTE_MS) {
    const middle = early + Math.floor((late - early) / 2 / MINUTE_MS) * MINUTE_MS;
    if (zone.offset(middle) === after) late = middle;
    else early = middle;
  }
  return late;
}

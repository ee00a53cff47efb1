import { findSpokenTimes, isoDate, localNow, type Moment } from '../../lib/text/spoken-times.ts';

/** The dates and times in a text, each in order of appearance. */
export interface When {
  /** ISO dates, `2026-11-24`. */
  readonly days: readonly string[];
  /** Times of day, `09:30`. */
  readonly times: readonly string[];
  readonly durationMinutes: number | null;
  /** "30 minutes later" is 30, "an hour earlier" is -60. */
  readonly shiftMinutes: number | null;
  /** The text without any of these. */
  readonly rest: string;
}

const AMOUNT = String.raw`(\d+(?:\.\d+)?|an?|half an)\s*-?\s*(hours?|hrs?|h|minutes?|mins?|min|m)\b`;
const SHIFT = new RegExp(String.raw`\b${AMOUNT}\s+(later|earlier)\b`, 'i');
// "in 2 hours" is an instant, not a length, so chrono reads it.
const DURATION = new RegExp(String.raw`(?<!\bin )(?:\bfor\s+)?\b${AMOUNT}(?:\s+long\b)?`, 'i');

/** Reads days, times and lengths from a sentence. Days are always today or later. */
export function parseWhen(text: string, moment: Moment): When {
  const shift = SHIFT.exec(text);
  const unshifted = text.replace(SHIFT, ' ');
  const duration = DURATION.exec(unshifted);
  const plain = unshifted.replace(DURATION, ' ');
  const days: string[] = [];
  const times: string[] = [];
  let spanMinutes: number | null = null;
  let rest = plain;
  for (const found of findSpokenTimes(plain, moment)) {
    if (found.day !== null) days.push(found.day);
    if (found.time !== null) times.push(found.time);
    spanMinutes = found.minutes ?? spanMinutes;
    rest = rest.replace(found.text, ' ');
  }
  return {
    days,
    times,
    durationMinutes: duration ? toMinutes(duration[1], duration[2]) : spanMinutes,
    shiftMinutes: shift
      ? toMinutes(shift[1], shift[2]) * (shift[3]?.toLowerCase() === 'later' ? 1 : -1)
      : null,
    rest: tidy(rest),
  };
}

const QUOTED = /["“][^"”]*["”]/g;
/** A time as people write it: only behind one of these words is it no ratio and no verse. */
const WRITTEN_TIME = /\b(?:at|to|from|until|till|by)\s+((\d{1,2})(?::(\d{2}))?(?:\s?([ap]m))?)(?![\w:])/gi;

/** The first time in a text that no clock shows, as it is written: "25:99", "13pm"; null if there is none. */
export function findImpossibleTime(text: string): string | null {
  const impossible = [...text.replace(QUOTED, ' ').matchAll(WRITTEN_TIME)].find(
    ([, , hour, minute, half]) => {
      if (Number(minute ?? 0) > 59) return true;
      if (half !== undefined) return Number(hour) > 12 || Number(hour) === 0;
      return minute !== undefined && Number(hour) > 23 && Number(hour + minute) !== 2400;
    },
  );
  return impossible?.[1] ?? null;
}

/** The next day for these times, as an ISO date: today when all of them are still ahead, else tomorrow. */
export function nextDayFor(times: readonly string[], moment: Moment): string {
  const now = localNow(moment);
  const ahead = times.every((time) => time > now.toFormat('HH:mm'));
  return isoDate(ahead ? now : now.plus({ days: 1 }));
}

/** The local date-time form that the calendar's tools take: `2026-11-24T09:00:00`. */
export function localDateTime(day: string, time: string): string {
  return `${day}T${time}:00`;
}

function toMinutes(amount = '', unit = ''): number {
  const count = /^half/i.test(amount) ? 0.5 : /^an?$/i.test(amount) ? 1 : Number(amount);
  return Math.round(count * (/^h/i.test(unit) ? 60 : 1));
}

function tidy(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/\s+([,.;:!?])/g, '$1')
    .replace(/(?:\s+(?:at|on|from|for|by|starting))+\s*[,.;]?\s*$/i, '')
    .trim();
}

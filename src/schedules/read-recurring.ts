import type { When } from './ports.ts';

/** The time of day where none is said. */
const USUAL_TIME = '09:00';
/** The shortest time between two runs, in minutes. */
const LEAST_MINUTES = 15;
const LAST_DAY = 31;

/** Why words say no time at which something can run. */
export type Unread =
  | 'no_time'
  | 'no_trigger'
  | 'bad_time'
  | 'several'
  | 'zone'
  | 'no_such_day'
  | 'too_often'
  | 'too_soon'
  | 'past'
  | 'nothing'
  | 'not_you';

/** What was read, and what is left of the words. */
export type Reading = { readonly when: When; readonly rest: string } | { readonly problem: Unread };

const DAYS = ['mon(?:day)?', 'tue(?:s|sday)?', 'wed(?:nesday)?', 'thu(?:rs?|rsday)?', 'fri(?:day)?'];
const ALL_DAYS = [...DAYS, 'sat(?:urday)?', 'sun(?:day)?'];
const DAY = `(?:${ALL_DAYS.map((day) => `${day}s?`).join('|')})`;
const COMMA_OR_AND = String.raw`(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*)`;

const INTERVAL = /^(?:(\d{1,5})\s+)?(sec(?:ond)?s?|min(?:ute)?s?|h(?:ou)?rs?)\b/i;
const WORKING_DAY = /^(?:week|work(?:ing)?\s?)days?\b/i;
const WEEKEND = /^weekends?\b/i;
/** Not each of them: "second Tuesday", "other day". */
const NOT_EACH = /^(?:other|alternate|2nd|second|3rd|third|4th|fourth)\s+(?!of\b)(?=[a-z])/i;
/** A zone behind a time: it would become part of what is to be done. */
const ZONE =
  /^,?\s*(?:in\s+)?(?:\(?(?:UTC|GMT|CES?T|EES?T|WES?T|BST|IST|JST|[ECMP][SD]T)\b|\p{Lu}[\p{L}/_-]+(?:\s\p{Lu}\p{L}+)?\s+time\b)/u;
const EACH_DAY = /^(?:days?\b|(?=(?:mornings?|afternoons?|evenings?|nights?)\b))/i;
/** A part of a day, behind the days that it's of. */
const PART = /^,?\s*(?:in\s+the\s+|at\s+)?(mornings?|afternoons?|evenings?|nights?)\b/i;
/** When parts of a day are meant to be, where no time is said. */
const PARTS: readonly (readonly [RegExp, string])[] = [
  [/afternoon/i, '14:00'],
  [/evening/i, '18:00'],
  [/night/i, '20:00'],
];
const LISTED_DAYS = new RegExp(String.raw`^${DAY}(?:${COMMA_OR_AND}${DAY})*\b`, 'i');
const MONTH = /^month,?\s+on\s+(?:the\s+)?(?:(\d{1,2})(?:st|nd|rd|th)?|last(?:\s+day)?)\b/i;
const DAY_OF_MONTH = /^(?:(\d{1,2})(?:st|nd|rd|th)|last\s+day)\s+of\s+(?:the|each|every)\s+month\b/i;
/** A clock time, or the hour alone where `at` or am and pm say that it's one. */
const TIME =
  /^,?\s*(?:at\s+)?(?:(\d{1,2})[:.h](\d{2})\s*([ap]m)?|(\d{1,2})\s*([ap]m)|(?<=at\s)(\d{1,2})|(noon|midnight))(?!\w|[:.]\d)/i;
/** What can only be meant as a time of day. */
export const MEANT_AS_TIME = /^,?\s*(?:at\s+\d|\d{1,2}[:.]\d)/i;

/** A second time, or a day that no comma or "and" joins to those before: it would become part of what is to be done. */
const ONE_MORE = new RegExp(
  String.raw`^,?\s*(?:(?:and\s+|&\s*)?(?:at\s+)?\d{1,2}(?:[:.]\d{2}|\s*[ap]m)\b|(?:and\s+|&\s*)(?:at\s+)?\d{1,2}(?!\w)|at\s+\d|(?:and\s+|&\s*)?${DAY}\b)`,
  'i',
);

/** The time of a part of a day, of words that name one; 9:00 in the morning, and where they name none. */
export function partTime(words: string): string {
  return PARTS.find(([name]) => name.test(words))?.[1] ?? USUAL_TIME;
}

/**
 * Reads what follows "every": "monday 9:00 …", "weekday at 8:30 …", "2 hours …", "month on the 1st …".
 *
 * @param now milliseconds since the epoch, from which hours are counted.
 */
export function readRecurring(words: string, now: number): Reading {
  if (NOT_EACH.test(words)) return { problem: 'no_time' };
  const interval = INTERVAL.exec(words);
  if (interval) return readInterval(interval, words, now);
  const month = MONTH.exec(words) ?? DAY_OF_MONTH.exec(words);
  const days = readDays(words);
  if (month) {
    const day = month[1] === undefined ? LAST_DAY : Number(month[1]);
    if (day < 1 || day > LAST_DAY) return { problem: 'no_time' };
    return withTime(words.slice(month[0].length), (time) => ({ kind: 'month', day, time }));
  }
  if (!days) return { problem: 'no_time' };
  return withTime(words.slice(days.length), (time) => ({ kind: 'days', days: days.days, time }));
}

function readInterval(
  [said, amount = '1', unit = '']: readonly string[],
  words: string,
  now: number,
): Reading {
  if (/^s/i.test(unit)) return { problem: 'too_often' };
  const minutes = Number(amount) * (/^h/i.test(unit) ? 60 : 1);
  if (minutes < LEAST_MINUTES) return { problem: 'too_often' };
  const behind = words.slice(said?.length);
  if (ONE_MORE.test(behind)) return { problem: 'several' };
  return { when: { kind: 'interval', minutes, from: now }, rest: toRest(behind) };
}

function readDays(words: string): { readonly days: readonly number[]; readonly length: number } | null {
  const working = WORKING_DAY.exec(words);
  if (working) return { days: DAYS.map((_, index) => index + 1), length: working[0].length };
  const weekend = WEEKEND.exec(words);
  if (weekend) return { days: [6, 7], length: weekend[0].length };
  const each = EACH_DAY.exec(words);
  if (each) return { days: ALL_DAYS.map((_, index) => index + 1), length: each[0].length };
  const listed = LISTED_DAYS.exec(words)?.[0];
  if (listed === undefined) return null;
  const named = listed.split(new RegExp(COMMA_OR_AND, 'i'));
  const days = named.map((name) => ALL_DAYS.findIndex((day) => new RegExp(`^${day}s?$`, 'i').test(name)) + 1);
  return { days: [...new Set(days)].toSorted((one, other) => one - other), length: listed.length };
}

function withTime(words: string, toWhen: (time: string) => When): Reading {
  const [said = '', part = ''] = PART.exec(words) ?? [];
  const behind = words.slice(said.length);
  const found = TIME.exec(behind);
  if (!found) {
    if (MEANT_AS_TIME.test(behind)) return { problem: 'bad_time' };
    if (ONE_MORE.test(behind)) return { problem: 'several' };
    return { when: toWhen(partTime(part)), rest: toRest(behind) };
  }
  const time = toTime(found, part);
  const rest = behind.slice(found[0].length);
  if (time === null) return { problem: 'bad_time' };
  if (ONE_MORE.test(rest)) return { problem: 'several' };
  if (ZONE.test(rest)) return { problem: 'zone' };
  return { when: toWhen(time), rest: toRest(rest) };
}

/** `HH:mm`; null for a time that no clock shows. */
function toTime(
  [, clock, minutes = '0', half, hour, otherHalf, bare, word]: RegExpExecArray,
  dayPart: string,
): string | null {
  if (word !== undefined) return word.toLowerCase() === 'noon' ? '12:00' : '00:00';
  const [hours, minute] = [Number(clock ?? hour ?? bare), Number(minutes)];
  const part = (half ?? otherHalf)?.toLowerCase();
  if (minute > 59 || hours > 23 || (part !== undefined && (hours < 1 || hours > 12))) return null;
  const isLate = part === undefined ? isMeantLate(hours, dayPart, bare) : part === 'pm';
  const whole = part === undefined && !isLate ? hours : (hours % 12) + (isLate ? 12 : 0);
  return `${String(whole).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}

/** Whether an hour without am and pm is of the second half of the day: by the part of the day, else one from 1 to 6 that stands alone. */
function isMeantLate(hour: number, dayPart: string, bare: string | undefined): boolean {
  if (/^m/i.test(dayPart) || hour > 11) return false;
  if (/^[ae]/i.test(dayPart)) return true;
  if (/^n/i.test(dayPart)) return hour > 5;
  return bare !== undefined && /^[1-6]$/.test(bare);
}

/** What is left of words behind a time. */
export function toRest(words: string): string {
  return words.replace(/^\s*[,:;–-]?\s*/, '').trim();
}

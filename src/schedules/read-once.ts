import { DateTime } from 'luxon';
import { findSpokenTimes, isoDate, localNow, type Moment } from '../lib/text/spoken-times.ts';
import { MEANT_AS_TIME, partTime, type Reading, toRest } from './read-recurring.ts';
import { toInstant } from './times.ts';

const MINUTE_MS = 60_000;
const UNIT = String.raw`(?:sec(?:ond)?s?|min(?:ute)?s?|h(?:ou)?rs?)\b`;
const AMOUNT = String.raw`(?:\d{1,5}|an?|half\s+an)\s+${UNIT}(?:\s+and\s+a\s+half\b)?`;
/** "In an hour and a half", "in 2 hours and 30 minutes". */
const RELATIVE = new RegExp(
  String.raw`\bin\s+${AMOUNT}(?:,?\s+(?:and\s+)?${AMOUNT}){0,2}(?:\s+from\s+now\b)?`,
  'i',
);
const EACH_AMOUNT = new RegExp(String.raw`(\d{1,5}|an?|half\s+an)\s+(${UNIT})(\s+and\s+a\s+half\b)?`, 'gi');
/** What may stand before a time that is said first. */
const BEFORE = /^(?:(?:on|at|by)\s+)?$/i;
/** The same, at the end of what stands before a time that is said last. */
const BEFORE_LAST = /,?\s*\b(?:on|at|by)\s*$|,\s*$/i;

/** An hour from 1 to 6 of which nothing says in which half of the day it is: with a nought in front, it's one of 24. */
const OPEN_HOUR = /\bat\s+[1-6](?![\d:])|(?<![\d:])[1-6]:[0-5]\d/i;
const THIS_PART = /\bthis\s+(?:morning|afternoon|evening)\b/i;
const BARE_HOUR = /\bat\s+[1-6](?![\d:])/i;
const HALF = /\d\s*[ap]\.?m\b|morning|afternoon|evening|night/i;

const MONTHS = [
  'jan(?:uary)?',
  'feb(?:ruary)?',
  'mar(?:ch)?',
  'apr(?:il)?',
  'may',
  'june?',
  'july?',
  'aug(?:ust)?',
];
const ALL_MONTHS = [...MONTHS, 'sept?(?:ember)?', 'oct(?:ober)?', 'nov(?:ember)?', 'dec(?:ember)?'];
const MONTH = `(?:${ALL_MONTHS.join('|')})`;
const DAY = String.raw`\d{1,2}(?:st|nd|rd|th)?`;
/** A day of a month, with the time behind it. */
const DAY_OF_MONTH = new RegExp(
  String.raw`\b(?:the\s+)?(?:(${DAY})\s+(?:of\s+)?(${MONTH})|(${MONTH})\s+(?:the\s+)?(${DAY}))\b(?:,?\s+(\d{4}))?(?:,?\s+(?:at\s+)?\d{1,2}(?::\d{2}(?:\s*[ap]m)?|\s*[ap]m)|,?\s+at\s+\d{1,2})?(?![\d:])`,
  'i',
);

/** A time in words: where it stands, and the instant, in milliseconds since the epoch. */
interface Found {
  readonly index: number;
  readonly length: number;
  /** Null for a day that the calendar doesn't have. */
  readonly at: number | null;
  /** Whether it was said how long from now that is. */
  readonly isRelative: boolean;
}

/**
 * Reads a single time that words begin with, "tomorrow 9:00 to send it", or end with, "to send it in 20 minutes". Without a
 * day, it's the next time that clocks show that; without a time, 9:00.
 */
export function readOnce(words: string, moment: Moment): Reading {
  const times = [
    ...findRelative(words, moment),
    ...findNoSuchDay(words, moment),
    ...findSpoken(words, moment),
    ...findPartOfToday(words, moment),
  ];
  const first = times.find(({ index }) => BEFORE.test(words.slice(0, index)));
  const last = times.find(({ index, length }) => /^[.!\s]*$/.test(words.slice(index + length)));
  const found = first ?? last;
  if (!found) return { problem: 'no_time' };
  const behind = words.slice(found.index + found.length);
  if (found.at === null) return { problem: 'no_such_day' };
  if (MEANT_AS_TIME.test(behind)) return { problem: 'bad_time' };
  if (found.isRelative && found.at < moment.now + MINUTE_MS) return { problem: 'too_soon' };
  if (found.at <= moment.now) return { problem: 'past' };
  const rest = found === first ? toRest(behind) : words.slice(0, found.index).replace(BEFORE_LAST, '').trim();
  return { when: { kind: 'once', at: found.at }, rest };
}

/** "In 20 minutes" is so many from now, whatever the clocks do. */
function findRelative(words: string, { now }: Moment): readonly Found[] {
  const found = RELATIVE.exec(words);
  if (!found) return [];
  const [said] = found;
  let minutes = 0;
  for (const [, amount = '', unit = '', half] of said.matchAll(EACH_AMOUNT)) {
    const count = /^half/i.test(amount) ? 0.5 : /^an?$/i.test(amount) ? 1 : Number(amount);
    minutes +=
      (count + (half === undefined ? 0 : 0.5)) * (/^h/i.test(unit) ? 60 : /^s/i.test(unit) ? 1 / 60 : 1);
  }
  return [{ index: found.index, length: said.length, at: now + minutes * MINUTE_MS, isRelative: true }];
}

/** How much of a text is looked through for times at either end, in characters: what reads them takes a second for thousands of them. */
const LOOKED_THROUGH = 200;

/** The times at the beginning and at the end; none in between counts. */
function findSpoken(words: string, moment: Moment): readonly Found[] {
  const last = Math.max(0, words.length - LOOKED_THROUGH);
  const ends = [...new Set([0, last])];
  return ends.flatMap((from) =>
    findSpokenFrom(words.slice(from, from + LOOKED_THROUGH), moment).map((it) => ({
      ...it,
      index: it.index + from,
    })),
  );
}

function findSpokenFrom(words: string, moment: Moment): readonly Found[] {
  return findSpokenTimes(words, moment).map(({ index, text, day, time }) => {
    const said = time ?? partTime(text);
    const isOpen = time !== null && OPEN_HOUR.test(text) && !HALF.test(text);
    const afternoon = isOpen ? `${Number(said.slice(0, 2)) + 12}${said.slice(2)}` : said;
    const on = (date: string, at: string) => toInstant(`${date}T${at}`, moment.timeZone);
    const next = (at: string) => {
      const today = on(isoDate(localNow(moment)), at);
      return today > moment.now ? today : on(isoDate(localNow(moment).plus({ days: 1 })), at);
    };
    const ofDay = BARE_HOUR.test(text) ? afternoon : said;
    const at = day === null ? Math.min(next(said), next(afternoon)) : on(day, ofDay);
    return { index, length: text.length, at, isRelative: false };
  });
}

/** "This evening" has no day by itself. */
function findPartOfToday(words: string, moment: Moment): readonly Found[] {
  const found = THIS_PART.exec(words);
  if (!found) return [];
  const at = toInstant(`${isoDate(localNow(moment))}T${partTime(found[0])}`, moment.timeZone);
  return [{ index: found.index, length: found[0].length, at, isRelative: false }];
}

/** A day such as 31 February. Without a year, it's the next one. */
function findNoSuchDay(words: string, moment: Moment): readonly Found[] {
  const found = DAY_OF_MONTH.exec(words);
  if (!found) return [];
  const [said, dayBefore, monthBehind, monthBefore, dayBehind, year] = found;
  const name = monthBehind ?? monthBefore ?? '';
  const month = ALL_MONTHS.findIndex((one) => new RegExp(`^${one}$`, 'i').test(name)) + 1;
  const day = Number.parseInt(dayBefore ?? dayBehind ?? '', 10);
  const now = localNow(moment);
  const isOver = month < now.month || (month === now.month && day < now.day);
  const date = DateTime.utc(year === undefined ? now.year + (isOver ? 1 : 0) : Number(year), month, day);
  return date.isValid ? [] : [{ index: found.index, length: said.length, at: null, isRelative: false }];
}

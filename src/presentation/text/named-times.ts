import type { WallClock } from './time.ts';

/** Whether a text fits a time, as far as its words say so for sure. */
export type TimesFit = 'fits' | 'differs' | 'unclear';

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\b\\.?';

const NAMES_WEEKDAY = new RegExp(`\\b(${WEEKDAYS.join('|')})s?\\b`, 'gi');
const NAMES_DAY = new RegExp(
  `\\b(?:(?:(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH}|${MONTH} (\\d{1,2})(?:st|nd|rd|th)?\\b(?!:))(?:,? (20\\d\\d)\\b)?|(\\d{4})-(\\d{2})-(\\d{2}))`,
  'gi',
);
/** 10:30, 10.30 am, 10 am, at 10, at noon. */
const NAMES_CLOCK =
  /\b(?:([01]?\d|2[0-3])[:.]([0-5]\d)(?!\d)(?:\s*([ap])\.?m\b)?|(1[0-2]|0?[1-9])\s*([ap])\.?m\b|at\s+([01]?\d|2[0-3])\b(?![:.]?\d|\s*[ap]\.?m\b)|(noon))/gi;

const NUMBER_WORDS = 'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve';
/** What may name another day or clock than what stands beside it: the 18th, 11/18, tomorrow, next week, half past two. */
const MAY_NAME = new RegExp(
  [
    '\\b\\d{1,2}(?:st|nd|rd|th)?\\b(?![\\s-]*(?:min|hour|h\\b|people|guests|%))',
    '\\b(?:\\w+teenth|(?:twent|thirt)ieth|(?:twenty|thirty)-\\w+)\\b',
    `\\b(?:this|next|last|coming|following) (?:${WEEKDAYS.join('|')}|morning|afternoon|evening)\\b`,
    '\\b(?:to-?day|tonight|to-?morrow|yesterday|weeks?|fortnight|months?|midnight|midday)\\b',
    '\\bdays? (?:after|before|later|earlier)\\b',
    `\\b(?:half|quarter|o.?clock|(?:at|or|to|past|till|until|from|by) (?:${NUMBER_WORDS}))\\b`,
  ].join('|'),
  'i',
);

const DAY_MS = 86_400_000;
/** From how many days on a move may lead to the same weekday, and to the same day of another year. */
const SAME_AGAIN = { weekday: 7, day: 365 };

/** What a text names of when something is: English words and figures. Of a time without am or pm, both that it may be. */
interface NamedTimes {
  readonly weekdays: readonly number[];
  /** As `MM-DD`, or `YYYY-MM-DD` where the text has the year. */
  readonly days: readonly string[];
  readonly clocks: readonly (readonly string[])[];
  /** Whether something else may name a day or a clock, too. */
  readonly isVague: boolean;
}

/**
 * Compares the days and times that a text names with a time. It fits where the text names its day and, if it has one, its clock,
 * and nothing else; `unclear` where the text doesn't name enough, as in another language, or would name both that time and the one
 * that it was at before.
 *
 * @param moved.ends the clock at which it ends, which a text may name, too; null: that isn't known
 * @param moved.before when it was as the text was written; null: that isn't known
 */
export function compareTimes(
  words: string,
  now: WallClock,
  { ends, before }: { readonly ends: string | null; readonly before: WallClock | null },
): TimesFit {
  const { weekday, day, clock } = now;
  const { weekdays, days, clocks, isVague } = findNamedTimes(words);
  const isOther =
    weekdays.some((one) => one !== weekday) ||
    days.some((one) => !day.endsWith(one)) ||
    (clock !== null && clocks.some((may) => !may.includes(clock) && !may.includes(ends ?? clock)));
  if (isOther) return 'differs';
  const far = before === null ? 0 : Math.abs(Date.parse(day) - Date.parse(before.day)) / DAY_MS;
  const namesDay =
    days.some((one) => one === day || far < SAME_AGAIN.day) ||
    (weekdays.length > 0 && far < SAME_AGAIN.weekday);
  const was = before?.clock ?? null;
  const namesClock = clocks.some(
    (may) => may.includes(clock ?? '') && (was === null || was === clock || !may.includes(was)),
  );
  return !isVague && namesDay && (clock === null || namesClock) ? 'fits' : 'unclear';
}

function findNamedTimes(words: string): NamedTimes {
  const withoutDays = words.replaceAll(NAMES_DAY, ' ');
  return {
    weekdays: [...words.matchAll(NAMES_WEEKDAY)].map(
      ([, name = '']) => WEEKDAYS.indexOf(name.toLowerCase()) + 1,
    ),
    days: [...words.matchAll(NAMES_DAY)].map(
      ([, first, month, other, last, year, isoYear, isoMonth, isoDay]) => {
        const name = (month ?? other ?? '').slice(0, 3).toLowerCase();
        if (name === '') return `${isoYear}-${isoMonth}-${isoDay}`;
        const named = toDay(MONTHS.indexOf(name) + 1, first ?? last ?? '');
        return year === undefined ? named : `${year}-${named}`;
      },
    ),
    clocks: [...withoutDays.matchAll(NAMES_CLOCK)].map(
      ([, hour, minute, half, short, shortHalf, bare, noon]) =>
        noon === undefined ? toClocks(hour ?? short ?? bare ?? '', minute, half ?? shortHalf) : ['12:00'],
    ),
    isVague: MAY_NAME.test(withoutDays.replaceAll(NAMES_CLOCK, ' ')),
  };
}

function toDay(month: number, day: string): string {
  return `${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** Hours and minutes with two figures each are of 24 hours; “9:00” and “at 9” may be in the evening, too. */
function toClocks(figures: string, minute: string | undefined, half: string | undefined): readonly string[] {
  const hour = Number(figures);
  const at = (hours: number) => `${String(hours).padStart(2, '0')}:${minute ?? '00'}`;
  if (half !== undefined) return [at((hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0))];
  const isWhole = minute !== undefined && figures.length === 2;
  return hour < 12 && !isWhole ? [at(hour), at(hour + 12)] : [at(hour)];
}

import type { WallClock } from './time.ts';

/** Whether a text fits a time, as far as its words say so for sure. */
export type TimesFit = 'fits' | 'differs' | 'unclear';

const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH = `(${MONTHS.join('|')})[a-z]*`;

const NAMES_WEEKDAY = new RegExp(`\\b(${WEEKDAYS.join('|')})s?\\b`, 'gi');
const NAMES_DAY = new RegExp(
  `\\b(?:(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH}|${MONTH} (\\d{1,2})(?:st|nd|rd|th)?\\b(?!:)|\\d{4}-(\\d{2})-(\\d{2}))`,
  'gi',
);
/** 10:30, 10.30 am, 10 am, at 10, at noon. */
const NAMES_CLOCK =
  /\b(?:([01]?\d|2[0-3])[:.]([0-5]\d)(?!\d)(?:\s*([ap])\.?m\b)?|(1[0-2]|0?[1-9])\s*([ap])\.?m\b|at\s+([01]?\d|2[0-3])\b(?![:.]?\d|\s*[ap]\.?m\b)|(noon))/gi;

/** What a text names of when something is: English words and figures. Of a time without am or pm, both that it may be. */
interface NamedTimes {
  readonly weekdays: readonly number[];
  /** As `MM-DD`. */
  readonly days: readonly string[];
  readonly clocks: readonly (readonly string[])[];
}

/**
 * Compares the days and times that a text names with a time. It fits where the text names its day and, if it has one, its clock,
 * and nothing else; `unclear` where the text doesn't name enough, as in another language.
 *
 * @param ends the clock at which it ends, which a text may name, too; null: that isn't known
 */
export function compareTimes(
  words: string,
  { weekday, day, clock }: WallClock,
  ends: string | null,
): TimesFit {
  const { weekdays, days, clocks } = findNamedTimes(words);
  const isOther =
    weekdays.some((one) => one !== weekday) ||
    days.some((one) => one !== day) ||
    (clock !== null && clocks.some((may) => !may.includes(clock) && !may.includes(ends ?? clock)));
  if (isOther) return 'differs';
  const namesDay = weekdays.length > 0 || days.length > 0;
  return namesDay && (clock === null || clocks.some((may) => may.includes(clock))) ? 'fits' : 'unclear';
}

function findNamedTimes(words: string): NamedTimes {
  return {
    weekdays: [...words.matchAll(NAMES_WEEKDAY)].map(
      ([, name = '']) => WEEKDAYS.indexOf(name.toLowerCase()) + 1,
    ),
    days: [...words.matchAll(NAMES_DAY)].map(([, before, month, other, after, isoMonth, isoDay]) => {
      const name = (month ?? other ?? '').toLowerCase();
      return name === '' ? `${isoMonth}-${isoDay}` : toDay(MONTHS.indexOf(name) + 1, before ?? after ?? '');
    }),
    clocks: [...words.matchAll(NAMES_CLOCK)].map(([, hour, minute, half, short, shortHalf, bare, noon]) => {
      if (noon !== undefined) return ['12:00'];
      return toClocks(Number(hour ?? short ?? bare), minute ?? '00', half ?? shortHalf);
    }),
  };
}

function toDay(month: number, day: string): string {
  return `${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
}

function toClocks(hour: number, minute: string, half: string | undefined): readonly string[] {
  const at = (hours: number) => `${String(hours).padStart(2, '0')}:${minute}`;
  if (half !== undefined) return [at((hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0))];
  return hour < 12 ? [at(hour), at(hour + 12)] : [at(hour)];
}

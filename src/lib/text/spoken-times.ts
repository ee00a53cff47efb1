import type { ParsedComponents, ParsedResult } from 'chrono-node';
// English only: all of chrono's languages would add 65 ms to every start.
import { parse } from 'chrono-node/en';
import { DateTime } from 'luxon';

/** The instant and zone in which "tomorrow at 9" is read. */
export interface Moment {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** IANA name. */
  readonly timeZone: string;
}

/** A day, a time of day, or both, as somebody said them. */
interface SpokenTime {
  /** How it was said, and where in the text that begins. */
  readonly text: string;
  readonly index: number;
  /** An ISO date, `2026-11-24`, today or later; null where no day was said. */
  readonly day: string | null;
  /** `09:30`; null where no time was said. */
  readonly time: string | null;
  /** How long "from 9 to 10" is, in minutes; null where no end was said. */
  readonly minutes: number | null;
}

/** The days and times in a text, in order of appearance. */
export function findSpokenTimes(text: string, moment: Moment): readonly SpokenTime[] {
  const { offset } = localNow(moment);
  const reference = { instant: new Date(moment.now), timezone: offset };
  return parse(text, reference)
    .map((found) => toSpokenTime(found, moment))
    .filter(({ day, time }) => day !== null || time !== null);
}

function toSpokenTime({ text, index, start, end }: ParsedResult, moment: Moment): SpokenTime {
  const lasts = end?.isCertain('hour') ? end.date().getTime() - start.date().getTime() : null;
  const minutes = lasts === null ? null : Math.round(lasts / 60_000);
  return { text, index, ...readComponents(start, moment), minutes };
}

function readComponents(
  found: ParsedComponents,
  moment: Moment,
): { day: string | null; time: string | null } {
  // Only a relative instant ("in 2 hours") or a named zone ("9am UTC") has a certain offset.
  if (found.isCertain('timezoneOffset') && found.isCertain('hour')) {
    const local = DateTime.fromJSDate(found.date(), { zone: moment.timeZone });
    return { day: isoDate(local), time: local.toFormat('HH:mm') };
  }
  const time = found.isCertain('hour') ? toTime(found) : null;
  // Without a day or weekday it was only a month's name, as in "Lunch with May", or "this week".
  if (!found.isCertain('day') && !found.isCertain('weekday')) return { day: null, time };
  const { year, month, day } = {
    year: found.get('year') ?? 0,
    month: found.get('month') ?? 1,
    day: found.get('day') ?? 1,
  };
  const said = DateTime.fromObject({ year, month, day }, { zone: moment.timeZone });
  return { day: isoDate(forward(said, found, { time, moment })), time };
}

/**
 * The next one of a weekday, or of a date without its year. Chrono would find it by the clock of the machine, which may have another
 * day than the person.
 */
function forward(
  said: DateTime,
  found: ParsedComponents,
  { time, moment }: { readonly time: string | null; readonly moment: Moment },
): DateTime {
  if (found.isCertain('year')) return said;
  const isDate = found.isCertain('day');
  const step = isDate ? { years: 1 } : { weeks: 1 };
  // Of "monday morning", and of a weekday alone, chrono has a time that nobody said.
  const clock = time ?? (isDate ? null : toTime(found));
  const now = localNow(moment);
  const isOver = (day: DateTime) =>
    isoDate(day) < isoDate(now) ||
    (isoDate(day) === isoDate(now) && clock !== null && clock <= now.toFormat('HH:mm'));
  let next = said;
  while (isOver(next)) next = next.plus(step);
  return next;
}

function toTime(found: ParsedComponents): string {
  return `${twoDigits(found.get('hour') ?? 0)}:${twoDigits(found.get('minute') ?? 0)}`;
}

export function localNow({ now, timeZone }: Moment): DateTime {
  return DateTime.fromMillis(now, { zone: timeZone });
}

export function isoDate(date: DateTime): string {
  return date.toFormat('yyyy-MM-dd');
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

import { DateTime } from 'luxon';
import { ToolProblem } from '../../../lib/text/tool-answers.ts';

/** The format of local times: no offset, to the second. */
const LOCAL = "yyyy-MM-dd'T'HH:mm:ss";
const IN_WORDS = 'ccc d LLL yyyy, HH:mm';

/** A local time with its zone. */
interface LocalTime {
  /** `2026-11-24T09:00:00` */
  readonly start: string;
  /** IANA name. */
  readonly time_zone: string;
}

/**
 * Reads a start: local in `timeZone`, or with an offset, which is then converted.
 *
 * @throws ToolProblem when it cannot be read, or when the clocks skip it.
 */
export function readStart(text: string, timeZone: string): LocalTime {
  checkTimeZone(timeZone);
  const iso = text.trim().replace(' ', 'T');
  const read = DateTime.fromISO(iso, { zone: timeZone });
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(iso) || !read.isValid) {
    throw new ToolProblem(`"${text}" is not a date and time; write it like 2026-11-24T09:00:00`);
  }
  const local = { start: read.toFormat(LOCAL), time_zone: timeZone };
  if (/(Z|[+-]\d{2}:?\d{2})$/i.test(iso)) {
    if (readInstant(local).toMillis() !== read.toMillis()) {
      throw new ToolProblem(
        `${read.toFormat(IN_WORDS)} happens twice in ${timeZone}, as the clocks go back, and only the first can be kept`,
      );
    }
    return local;
  }
  const asked = DateTime.fromISO(iso, { zone: 'utc' });
  if (asked.toFormat(LOCAL) !== local.start) {
    throw new ToolProblem(
      `${asked.toFormat(IN_WORDS)} does not exist in ${timeZone}: the clocks go forward over it. ` +
        `The next time that does is ${read.toFormat('HH:mm')}`,
    );
  }
  return local;
}

/** The instant of a local time; the first one if it occurs twice, when clocks go back. */
export function readInstant({ start, time_zone }: LocalTime): DateTime {
  const possible = DateTime.fromISO(start, { zone: time_zone }).getPossibleOffsets();
  const first = possible.toSorted((a, b) => a.toMillis() - b.toMillis())[0];
  if (first === undefined) throw new ToolProblem(`"${start}" is not a time in ${time_zone}`);
  return first;
}

/** Whether this local time occurs twice. */
export function happensTwice({ start, time_zone }: LocalTime): boolean {
  return DateTime.fromISO(start, { zone: time_zone }).getPossibleOffsets().length > 1;
}

/** The local time for people: "Tue 24 Nov 2026, 09:00 Europe/Berlin". */
export function inWords(time: LocalTime): string {
  return `${readInstant(time).setLocale('en-GB').toFormat(IN_WORDS)} ${time.time_zone}`;
}

/**
 * The instants from the start of the first day to the end of the last.
 *
 * @param from ISO date; default: today.
 * @param to ISO date, included; default: six days after `from`.
 * @param now milliseconds since the epoch.
 */
export function readRange(
  range: { readonly from: string | undefined; readonly to: string | undefined },
  timeZone: string,
  now: number,
): { readonly from: DateTime; readonly until: DateTime } {
  checkTimeZone(timeZone);
  const from =
    range.from === undefined
      ? DateTime.fromMillis(now, { zone: timeZone }).startOf('day')
      : readDay(range.from, timeZone);
  const last = range.to === undefined ? from.plus({ days: 6 }) : readDay(range.to, timeZone);
  if (last < from) {
    throw new ToolProblem(`the range ends (${last.toISODate()}) before it begins (${from.toISODate()})`);
  }
  return { from, until: last.plus({ days: 1 }) };
}

function readDay(text: string, zone: string): DateTime {
  const day = DateTime.fromFormat(text.trim(), 'yyyy-MM-dd', { zone });
  if (!day.isValid) throw new ToolProblem(`"${text}" is not a date; write it like 2026-11-24`);
  return day.startOf('day');
}

function checkTimeZone(timeZone: string): void {
  // luxon would accept an offset such as "+01:00", but that has no daylight saving time.
  if (!/^[A-Za-z]/.test(timeZone) || !DateTime.local({ zone: timeZone }).isValid) {
    throw new ToolProblem(
      `there is no time zone called "${timeZone}"; use an IANA name such as Europe/Berlin`,
    );
  }
}

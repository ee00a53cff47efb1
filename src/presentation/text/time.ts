import { DateTime } from 'luxon';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/i;
/** A local date-time as most programs write it. */
const LOCAL_FORM = "yyyy-MM-dd'T'HH:mm:ss";
const LOCAL_MINUTE = "yyyy-MM-dd'T'HH:mm";
const WEEKDAY_AND_DATE = 'ccc d LLL yyyy';
const WEEKDAY_AND_DAY = 'ccc d LLL';
const DAY_MS = 86_400_000;
/** How far a date without its year may lie before and after the moment it's read at. Far less than a year, so one day has one name. */
const NEAR = { before: 31 * DAY_MS, after: 180 * DAY_MS };

/** An ISO date-time in its parts; `offset` is null for a local time without a zone. */
export interface DateTimeParts {
  readonly date: string;
  /** Hours and minutes. */
  readonly time: string;
  /** `:00`, `:00.000` or nothing, as it was written. */
  readonly seconds: string;
  readonly offset: string | null;
}

/** The parts of an ISO 8601 date-time; null when it isn't one or doesn't exist in the calendar. */
export function dateTimeParts(value: string): DateTimeParts | null {
  const match = DATE_TIME.exec(value);
  if (match === null || !parse(value.replace(' ', 'T'), 'utc').isValid) return null;
  const [, date = '', time = '', seconds = '', offset] = match;
  return { date, time, seconds, offset: offset ?? null };
}

/** Whether the value is an ISO date that exists in the calendar. */
export function isDate(value: string): boolean {
  return DATE.test(value) && parse(value, 'utc').isValid;
}

/**
 * An ISO date for people: "Tue 24 Nov 2026", or "Tue 24 Nov" where `asOf` (milliseconds since the epoch) is near enough
 * that no other year can be meant.
 */
export function formatDate(value: string, asOf: number | null): string {
  const day = parse(value, 'utc');
  return day.toFormat(dayFormat(day, asOf));
}

/** A date-time for people, in two parts, as several may share a zone. */
interface ShownMoment {
  /** "Tue 24 Nov, 09:00". */
  readonly words: string;
  /** The zone of these words; null for a local time, whose zone isn't known. */
  readonly zone: string | null;
}

/**
 * An ISO date-time for people. An absolute one is shown in `timeZone`; a local one as written, in `statedZone` (the
 * zone that the same call names).
 *
 * @param asOf as for {@link formatDate}.
 */
export function formatDateTime(
  value: string,
  timeZone: string,
  statedZone: string | null,
  asOf: number | null,
): ShownMoment {
  const parts = dateTimeParts(value);
  const isLocal = parts?.offset === null;
  const zone = isLocal ? statedZone : zoneOr(timeZone, 'UTC');
  const at = parse(value.replace(' ', 'T'), isLocal ? 'utc' : (zone ?? 'utc'));
  return { words: at.toFormat(`${dayFormat(at, asOf)}, ${clockFormat(parts?.seconds ?? '')}`), zone };
}

/**
 * The same moment on the clock of `timeZone`, for a time that is shown in `zone`: "01:00", with the day where it is another
 * one. Null where the clocks agree, and where a local time doesn't exist or happens twice.
 */
export function formatElsewhere(
  value: string,
  zone: string,
  timeZone: string,
  asOf: number | null,
): string | null {
  const iso = value.replace(' ', 'T');
  const here = parse(iso, zone);
  const parts = dateTimeParts(value);
  const isSkipped = !iso.startsWith(here.toFormat(LOCAL_MINUTE));
  // Luxon moves a time that the clocks skip.
  if (parts?.offset === null && (isSkipped || here.getPossibleOffsets().length > 1)) return null;
  const there = here.setZone(zoneOr(timeZone, 'UTC'));
  if (there.offset === here.offset) return null;
  const clock = there.toFormat(clockFormat(parts?.seconds ?? ''));
  return there.toISODate() === here.toISODate()
    ? clock
    : `${there.toFormat(dayFormat(there, asOf))}, ${clock}`;
}

function dayFormat(day: DateTime, asOf: number | null): string {
  const isNear = asOf !== null && day.toMillis() > asOf - NEAR.before && day.toMillis() < asOf + NEAR.after;
  return isNear ? WEEKDAY_AND_DAY : WEEKDAY_AND_DATE;
}

/**
 * Whether {@link formatDateTime} shows all there is to such a value. What it doesn't is told apart by the value as it
 * is sent: another offset for the same instant, an hour that the clock shows twice, other precision or separators.
 */
export function isUsualDateTime(value: string, timeZone: string, statedZone: string | null): boolean {
  if (dateTimeParts(value)?.offset === null) return parse(value, 'utc').toFormat(LOCAL_FORM) === value;
  const zone = zoneOr(timeZone, 'UTC');
  const at = parse(value, zone);
  const usual = `${at.toFormat(LOCAL_FORM)}${at.offset === 0 ? 'Z' : at.toFormat('ZZ')}`;
  return statedZone === null && usual === value && at.getPossibleOffsets().length === 1;
}

/** Shows seconds only when they aren't zero. */
function clockFormat(seconds: string): string {
  return /[1-9]/.test(seconds) ? 'HH:mm:ss' : 'HH:mm';
}

/** An instant for people, from milliseconds since the epoch: "Tue 24 Nov 2026, 09:00 Europe/Berlin". */
export function formatInstant(at: number, timeZone: string): string {
  const zone = zoneOr(timeZone, 'UTC');
  return `${DateTime.fromMillis(at, { zone, locale: 'en-GB' }).toFormat(`${WEEKDAY_AND_DATE}, HH:mm`)} ${zone}`;
}

/** The day of an instant: "24 Nov". */
export function formatDay(at: number, timeZone: string): string {
  return DateTime.fromMillis(at, { zone: zoneOr(timeZone, 'UTC'), locale: 'en-GB' }).toFormat('d LLL');
}

/**
 * The short form of an ISO date-time or date, for notifications: "Tue 24 Nov 09:00".
 *
 * @param asOf as for {@link formatDate}.
 */
export function formatShortMoment(value: string, timeZone: string, asOf: number | null): string {
  const parts = dateTimeParts(value);
  if (parts === null) return formatDate(value, asOf);
  const zone = parts.offset === null ? 'utc' : zoneOr(timeZone, 'UTC');
  const at = parse(value.replace(' ', 'T'), zone);
  return at.toFormat(`${dayFormat(at, asOf)} ${clockFormat(parts.seconds)}`);
}

/** From when until when, for people, on the clock of `zone`: "Tue 24 Nov 09:00–09:30"; without the day where `day` is that one. */
export function formatSpan(
  from: string,
  to: string,
  {
    zone,
    asOf,
    day = null,
  }: { readonly zone: string; readonly asOf: number | null; readonly day?: string | null },
): string {
  const [start, end] = [from, to].map((iso) => parse(iso, zone));
  const moment = (at: DateTime) => at.toFormat(`${dayFormat(at, asOf)} HH:mm`);
  const isOneDay = start?.toISODate() === end?.toISODate();
  if (!start || !end) return '';
  const begins = isOneDay && start.toISODate() === day ? start.toFormat('HH:mm') : moment(start);
  return isOneDay ? `${begins}–${end.toFormat('HH:mm')}` : `${begins} – ${moment(end)}`;
}

/** A day, and a time on it, by somebody's clock. */
export interface WallClock {
  /** From 1, Monday. */
  readonly weekday: number;
  /** As `YYYY-MM-DD`. */
  readonly day: string;
  /** As `HH:mm`; null for a day without a time. */
  readonly clock: string | null;
}

/** An ISO date or date-time by the clock of `timeZone`, or as it is written where it has no offset; null where it's neither. */
export function readWallClock(value: string, timeZone: string): WallClock | null {
  const parts = dateTimeParts(value);
  if (parts === null && !isDate(value)) return null;
  const at = parse(
    value.replace(' ', 'T'),
    (parts?.offset ?? null) === null ? 'utc' : zoneOr(timeZone, 'UTC'),
  );
  return {
    weekday: at.weekday,
    day: at.toFormat('yyyy-MM-dd'),
    clock: parts === null ? null : at.toFormat('HH:mm'),
  };
}

/** Another instant (in seconds) in the format of `original`: its offset, separator and precision. */
export function instantLike(original: string, seconds: number): string {
  const parts = dateTimeParts(original);
  const offset = parts?.offset ?? 'Z';
  const zone = offset.toUpperCase() === 'Z' ? 'utc' : `UTC${offset.slice(0, 3)}:${offset.slice(-2)}`;
  const at = DateTime.fromSeconds(seconds, { zone });
  const separator = original.charAt(10) === ' ' ? ' ' : 'T';
  return `${at.toFormat('yyyy-MM-dd')}${separator}${at.toFormat('HH:mm')}${zeroSeconds(parts?.seconds ?? ':00')}${offset}`;
}

/** Zero seconds of the same precision: pickers know only minutes. */
export function zeroSeconds(seconds: string): string {
  return seconds.replace(/\d/g, '0');
}

/** Converts an ISO date-time with an offset to seconds since the epoch. */
export function toEpochSeconds(value: string): number {
  return Math.floor(parse(value.replace(' ', 'T'), 'utc').toMillis() / 1000);
}

/** Whether the runtime knows this IANA zone. */
export function isTimeZone(name: string): boolean {
  return name.includes('/') ? DateTime.local({ zone: name }).isValid : name.toUpperCase() === 'UTC';
}

function zoneOr(timeZone: string, otherwise: string): string {
  return isTimeZone(timeZone) ? timeZone : otherwise;
}

function parse(iso: string, zone: string): DateTime {
  return DateTime.fromISO(iso, { zone, locale: 'en-GB' });
}

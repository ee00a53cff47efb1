import { DateTime } from 'luxon';
import { VALUE } from '../texts.ts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/i;
/** A local date-time as most programs write it. */
const LOCAL_FORM = "yyyy-MM-dd'T'HH:mm:ss";
const WEEKDAY_AND_DATE = 'ccc d LLL yyyy';

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

/** An ISO date for people: "Tue 24 Nov 2026". */
export function formatDate(value: string): string {
  return parse(value, 'utc').toFormat(WEEKDAY_AND_DATE);
}

/**
 * An ISO date-time for people. An absolute one is shown in `timeZone`, with the zone; a local one as written,
 * with `statedZone` (the zone that the same call names) or marked as local time.
 */
export function formatDateTime(value: string, timeZone: string, statedZone: string | null): string {
  const iso = value.replace(' ', 'T');
  const parts = dateTimeParts(value);
  if (parts?.offset === null) {
    const written = parse(iso, 'utc').toFormat(`${WEEKDAY_AND_DATE}, ${clockFormat(parts.seconds)}`);
    return `${written} ${statedZone ?? VALUE.localTime}`;
  }
  const zone = zoneOr(timeZone, 'UTC');
  return `${parse(iso, zone).toFormat(`${WEEKDAY_AND_DATE}, ${clockFormat(parts?.seconds ?? '')}`)} ${zone}`;
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

/** The short form of an ISO date-time or date, for notifications: "Tue 24 Nov 09:00". */
export function formatShortMoment(value: string, timeZone: string): string {
  const parts = dateTimeParts(value);
  if (parts === null) return parse(value, 'utc').toFormat('ccc d LLL');
  const zone = parts.offset === null ? 'utc' : zoneOr(timeZone, 'UTC');
  return parse(value.replace(' ', 'T'), zone).toFormat('ccc d LLL HH:mm');
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

import { DateTime } from 'luxon';
import { isJsonObject, type JsonObject } from '../json.ts';

const OFFSET = /(?:Z|[+-]\d{2}:?\d{2})$/i;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

const LOCAL_MINUTE = "yyyy-MM-dd'T'HH:mm";

/** From when until when something is, as {@link readSpan} finds it. */
export interface TimeSpan {
  readonly from: DateTime;
  /** Later than `from`. */
  readonly to: DateTime;
  /** The zone that local times are in; null where the start says its offset. */
  readonly zone: string | null;
  readonly isWholeDays: boolean;
}

/**
 * From when until when an event is that a call adds: by `start`, and `end` or `duration_minutes`, local in `time_zone` or with an
 * offset. What the call doesn't give is the tool's default, by its schema.
 *
 * @returns null where that isn't certain.
 */
export function readSpan({ properties }: JsonObject, args: JsonObject): TimeSpan | null {
  const given = (name: string) => {
    if (Object.hasOwn(args, name)) return args[name];
    const property =
      isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isJsonObject(property) ? property.default : undefined;
  };
  const [start, end, minutes, named] = ['start', 'end', 'duration_minutes', 'time_zone'].map(given);
  if (typeof start !== 'string') return null;
  const zone = typeof named === 'string' && /^[A-Za-z]/.test(named) ? named : null;
  const from = readMoment(start, zone);
  const until = typeof end === 'string' ? readMoment(end, zone) : null;
  const to = until ?? (typeof minutes === 'number' ? (from?.plus({ minutes }) ?? null) : null);
  // An end that can't be read says nothing, whatever the length beside it.
  if (typeof end === 'string' && until === null) return null;
  if (from === null || to === null || !to.isValid || to <= from) return null;
  const isWholeDays = DAY.test(start);
  return { from, to, zone: !isWholeDays && OFFSET.test(start) ? null : zone, isWholeDays };
}

/** A moment with its offset, or else in a zone that is known; null for any other, and for what clocks there skip or show twice. */
export function readMoment(text: string, zone: string | null): DateTime | null {
  const iso = text.trim().replace(' ', 'T');
  const hasOffset = OFFSET.test(iso) && !DAY.test(iso);
  if (!hasOffset && zone === null) return null;
  const read = DateTime.fromISO(iso, zone === null ? { setZone: true } : { zone });
  // Luxon moves a time that the clocks skip.
  const isCertain =
    hasOffset || (iso.startsWith(read.toFormat(DAY.test(iso) ? 'yyyy-MM-dd' : LOCAL_MINUTE)) && isOnce(read));
  return read.isValid && isCertain ? read : null;
}

function isOnce(at: DateTime): boolean {
  return at.getPossibleOffsets().length === 1;
}

/** A span as tools take it: its ends with their offsets, the days that it is on, and the zone of these days. */
export function spanArguments({ from, to }: TimeSpan): JsonObject {
  const iso = (at: DateTime) => at.toISO({ suppressMilliseconds: true });
  // An offset alone is no zone that a calendar knows.
  const zone = from.zone.type === 'iana' ? (from.zoneName ?? 'UTC') : 'UTC';
  return {
    from: iso(from),
    to: iso(to),
    first_day: from.setZone(zone).toISODate(),
    last_day: to.minus(1).setZone(zone).toISODate(),
    zone,
  };
}

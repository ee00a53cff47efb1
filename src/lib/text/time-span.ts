import { DateTime } from 'luxon';
import { isJsonObject, type JsonObject } from '../json.ts';

const OFFSET = /(?:Z|[+-]\d{2}:?\d{2})$/i;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

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
  if (from === null || to === null || to <= from) return null;
  const isWholeDays = DAY.test(start);
  return { from, to, zone: !isWholeDays && OFFSET.test(start) ? null : zone, isWholeDays };
}

/** A moment with its offset, or else in a zone that is known; null for any other. */
export function readMoment(text: string, zone: string | null): DateTime | null {
  const iso = text.trim().replace(' ', 'T');
  const hasOffset = OFFSET.test(iso) && !DAY.test(iso);
  if (!hasOffset && zone === null) return null;
  const read = DateTime.fromISO(iso, zone === null ? { setZone: true } : { zone });
  return read.isValid ? read : null;
}

/** A span as tools take it: its ends with their offsets, and the days that it is on. */
export function spanArguments({ from, to, zone }: TimeSpan): JsonObject {
  const iso = (at: DateTime) => at.toISO({ suppressMilliseconds: true });
  return {
    from: iso(from),
    to: iso(to),
    first_day: from.toISODate(),
    last_day: to.minus(1).toISODate(),
    ...(zone !== null && { zone }),
  };
}

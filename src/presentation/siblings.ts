import { isJsonObject, type JsonObject } from '../lib/json.ts';
import type { Subject } from './id-names.ts';
import { findCurrency } from './text/money.ts';
import { isTimeZone } from './text/time.ts';

/** What the arguments themselves say of each other. */
export interface Siblings {
  /** The zone of local times, and the argument that names it (`time_zone: "Europe/Berlin"`); null: what the call changes does. */
  readonly zone: { readonly name: string | null; readonly zone: string } | null;
  /** The currency of amounts. */
  readonly currency: ReturnType<typeof findCurrency>;
}

/**
 * Finds what the arguments say of each other: the zone of their local times, the currency of their amounts. Null where two
 * disagree: only the tool knows which one it reads.
 */
export function findSiblings(args: JsonObject): Siblings {
  return { zone: findZone(args), currency: findCurrency(args) };
}

function findZone(args: JsonObject): Siblings['zone'] {
  const [first, ...others] = Object.entries(args).filter(([name]) => isZoneName(name));
  if (first === undefined || others.some(([, value]) => value !== first[1])) return null;
  const [name, zone] = first;
  return typeof zone === 'string' && isTimeZone(zone) ? { name, zone } : null;
}

function isZoneName(name: string): boolean {
  return /^(?:time_?zone|tz)$/i.test(name);
}

/**
 * As {@link findSiblings} for what a server gave, whose times may each stand beside their zone:
 * `{ "start": { "dateTime": "2026-11-24T09:00:00", "timeZone": "Europe/Berlin" } }`.
 */
export function findSiblingsInObject(fields: JsonObject): Siblings {
  const own = findSiblings(fields);
  if (Object.keys(fields).some(isZoneName)) return own;
  const zones = Object.values(fields).flatMap((value) => {
    const zone = isJsonObject(value) ? findZone(value)?.zone : undefined;
    return zone === undefined ? [] : [zone];
  });
  const [zone, ...others] = new Set(zones);
  return zone === undefined || others.length > 0 ? own : { ...own, zone: { name: null, zone } };
}

/** What the arguments say of each other; of local times whose zone they don't name, the zone of what they change. */
export function findSiblingsOfChange(args: JsonObject, { fields }: Subject): Siblings {
  const own = findSiblings(args);
  const { zone } = findSiblingsInObject(fields);
  if (zone === null || Object.keys(args).some(isZoneName)) return own;
  return { ...own, zone: { name: null, zone: zone.zone } };
}

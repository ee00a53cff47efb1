import { isJsonObject, type Json, type JsonObject } from '../lib/json.ts';
import type { FindNamedObject } from './id-names.ts';
import { type Property, splitName } from './schema-labels.ts';
import { findUnit, formatDuration } from './text/duration.ts';
import { dateTimeParts, formatDate, formatDateTime, isDate, isTimeZone } from './text/time.ts';
import { VALUE } from './texts.ts';

/** Names for Slack ids, looked up beforehand; null for an unknown one. */
export interface Names {
  user(id: string): string | null;
  channel(id: string): string | null;
  /** IANA zone of the requester, in which absolute times are shown. */
  readonly timeZone: string;
}

/** The context for showing a call's values. */
export interface ValueContext extends Names {
  /** What the call's own server said earlier in the thread about the object behind an id. */
  readonly findObject: FindNamedObject;
}

/** A formatted value. `exact`: every character matters, so it is shown monospaced. */
interface Shown {
  readonly words: string;
  readonly exact: boolean;
}

// Real ids contain digits; without this, words like USD or URGENT would be looked up as people.
const USER_ID = /^[UW](?=[A-Z0-9]*\d)[A-Z0-9]+$/;
const CHANNEL_ID = /^[CDG](?=[A-Z0-9]*\d)[A-Z0-9]+$/;
/** Text without spaces that is more than a word: an address, a path, an id, a URL. */
const EXACT = /^\S*[\d@/\\._:=#$%&+{}[\]<>|^~`-]\S*$/;

/** The Slack ids anywhere in the arguments, to look up names before a card is built. */
export function findIds(args: JsonObject): { users: string[]; channels: string[] } {
  const strings = [...new Set(stringsIn(args))];
  return {
    users: strings.filter((value) => USER_ID.test(value)),
    channels: strings.filter((value) => CHANNEL_ID.test(value)),
  };
}

function stringsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(stringsIn) : [];
}

/** The zone that the arguments themselves name (`time_zone: "Europe/Berlin"`), for their local times. */
export function findZone(args: JsonObject): string | null {
  for (const [name, value] of Object.entries(args)) {
    const named = /^(?:time_?zone|tz)$/i.test(name);
    if (named && typeof value === 'string' && isTimeZone(value)) return value;
  }
  return null;
}

/** Formats one argument's value, whole. Not yet passed through `visible`. */
export function formatValue(property: Property, value: Json, resolve: Names, zone: string | null): Shown {
  const choice = property.choices?.find((candidate) => same(candidate.value, value));
  if (choice !== undefined) return chosen(choice.title, value);
  if (typeof value === 'boolean') return { words: value ? VALUE.yes : VALUE.no, exact: false };
  if (typeof value === 'number') return formatNumber(property.name, value);
  if (typeof value === 'string') return formatString(value, resolve, zone);
  if (value === null) return { words: VALUE.null, exact: false };
  if (Array.isArray(value)) return formatList(property, value, resolve);
  return { words: JSON.stringify(value), exact: true };
}

function chosen(title: string, value: Json): Shown {
  const raw = literal(value);
  return title === raw ? { words: raw, exact: false } : { words: `${title} (${raw})`, exact: false };
}

function formatNumber(name: string, value: number): Shown {
  const unit = findUnit(splitName(name));
  return { words: unit === null ? String(value) : formatDuration(value, unit), exact: false };
}

function formatString(value: string, resolve: Names, zone: string | null): Shown {
  if (value === '') return { words: VALUE.empty, exact: false };
  if (isDate(value)) return { words: formatDate(value), exact: false };
  if (dateTimeParts(value) !== null) {
    return { words: formatDateTime(value, resolve.timeZone, zone), exact: false };
  }
  const named = namedId(value, resolve);
  if (named !== null) return { words: named, exact: false };
  // Quoted, so that blanks at the ends are visible and our own words in brackets can't be imitated.
  if (value !== value.trim() || value === VALUE.empty || value === VALUE.null)
    return { words: JSON.stringify(value), exact: true };
  return { words: value, exact: EXACT.test(value) };
}

/** A known id with its name: "bob (U2)", "#general (C1)"; null for anything else. */
export function namedId(value: string, resolve: Pick<Names, 'user' | 'channel'>): string | null {
  const user = USER_ID.test(value) ? resolve.user(value) : null;
  if (user !== null) return `${user} (${value})`;
  const channel = CHANNEL_ID.test(value) ? resolve.channel(value) : null;
  return channel === null ? null : `#${channel.replace(/^#/, '')} (${value})`;
}

function formatList(property: Property, values: readonly Json[], resolve: Names): Shown {
  if (values.length === 0) return { words: VALUE.emptyList, exact: false };
  const items = values.map((value) => formatItem(property, value, resolve));
  return {
    words: items.join(', '),
    exact: values.some((value) => isJsonObject(value) || Array.isArray(value)),
  };
}

/** Formats a list item. Items are joined by commas, so one with a comma or quotes is quoted. */
function formatItem(property: Property, value: Json, resolve: Names): string {
  const choice = property.items?.choices?.find((candidate) => same(candidate.value, value));
  if (choice !== undefined) return chosen(choice.title, value).words;
  if (typeof value !== 'string') return JSON.stringify(value);
  const named = namedId(value, resolve);
  if (named !== null) return named;
  return value === value.trim() && value !== '' && !/[,"“”\n()]/.test(value) ? value : JSON.stringify(value);
}

/** Whether two JSON values are deeply equal, with object keys in any order. */
export function same(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => same(item, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]))
  );
}

/** A value as it is sent: a string as it is, anything else as JSON. */
export function literal(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

import { isJsonObject, type Json, type JsonObject } from '../lib/json.ts';
import { splitName } from '../lib/readable-name.ts';
import { formatCodePoint } from '../lib/unicode.ts';
import type { FindNamedObject } from './id-names.ts';
import type { Property } from './schema-labels.ts';
import { findUnit, formatDuration } from './text/duration.ts';
import {
  dateTimeParts,
  formatDate,
  formatDateTime,
  isDate,
  isTimeZone,
  isUsualDateTime,
} from './text/time.ts';
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

/**
 * Formats one argument's value, whole; not yet passed through `visible`. Two values of one argument never look alike: a
 * text that could be taken for something else is quoted, and a value that isn't of the argument's type says what it is.
 */
export function formatValue(property: Property, value: Json, resolve: Names, zone: string | null): Shown {
  if (value === null) return { words: VALUE.null, exact: false };
  const choice = property.choices?.find((candidate) => same(candidate.value, value))?.shown ?? null;
  if (choice !== null) return { words: choice, exact: false };
  if (property.type !== 'any' && !isOfType(property.type, value)) {
    return { words: VALUE.ofType(JSON.stringify(value), typeName(value)), exact: true };
  }
  if (typeof value === 'boolean') return { words: value ? VALUE.yes : VALUE.no, exact: false };
  if (typeof value === 'number') return formatNumber(property.name, value);
  if (typeof value === 'string') return formatString(property, value, resolve, zone);
  if (Array.isArray(value)) return formatList(property, value, resolve);
  return { words: JSON.stringify(value), exact: true };
}

function isOfType(type: Property['type'], value: Json): boolean {
  return typeName(value) === (type === 'integer' ? 'number' : type);
}

function typeName(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function formatNumber(name: string, value: number): Shown {
  const unit = findUnit(splitName(name));
  return { words: unit === null ? String(value) : formatDuration(value, unit), exact: false };
}

function formatString(property: Property, value: string, resolve: Names, zone: string | null): Shown {
  if (value === '') return { words: VALUE.empty, exact: false };
  if (value.includes('\n')) return { words: spellBlanks(value), exact: false };
  if (isDate(value)) return { words: formatDate(value), exact: false };
  if (dateTimeParts(value) !== null) {
    const words = formatDateTime(value, resolve.timeZone, zone);
    const isUsual = isUsualDateTime(value, resolve.timeZone, zone);
    return { words: isUsual ? words : `${words} (${value})`, exact: false };
  }
  const named = namedId(value, resolve);
  if (named !== null) return { words: named, exact: false };
  if (mustQuote(property, value)) return { words: JSON.stringify(value), exact: true };
  return { words: spellBlanks(value), exact: EXACT.test(value) };
}

/** Blanks that nobody sees or counts, and what begins like a quoted text or a word of ours. */
const BLANK_OR_QUOTED = /^[\s"(]|\s$|[\t\r]| {2}/;
/** What ends like a type or a name that we put beside a value, and dates as we write them. */
const LIKE_OURS =
  /\((?:string|number|boolean|array|object|[UWCDG](?=[A-Z0-9]*\d)[A-Z0-9]+|“.*)\)$|^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{1,2} [A-Z][a-z]{2} \d{4}/;
/** What could be a number, yes or no, a list or an object, for an argument that may be any of them. */
const LIKE_ANOTHER_TYPE = /^[-+.]?\d|^[[{]|^(?:yes|no)$/i;

function mustQuote({ type, choices }: Property, value: string): boolean {
  if (BLANK_OR_QUOTED.test(value) || LIKE_OURS.test(value)) return true;
  if (choices?.some(({ shown }) => shown === value)) return true;
  return type === 'any' && LIKE_ANOTHER_TYPE.test(value);
}

/** Our signs for blanks in texts of several lines. */
const BLANK_SIGNS = /[⇥⏎␍␠]/g;

/** The text with a sign for each blank that nobody sees: tabs, blanks at the ends of lines, other line ends. */
function spellBlanks(value: string): string {
  return value
    .replace(BLANK_SIGNS, formatCodePoint)
    .replaceAll('\r', '␍')
    .replaceAll('\t', '⇥\t')
    .replace(/ +(?=\n|$)/g, (blanks) => '␠'.repeat(blanks.length))
    .replace(/\n+$/, (ends) => `⏎${'\n⏎'.repeat(ends.length - 1)}`)
    .replace(/^\n+/, (ends) => '⏎\n'.repeat(ends.length));
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
  const items = values.map((value) => formatItem(property, value, resolve)).join(', ');
  return {
    // In brackets where it could be taken for one of its items.
    words:
      property.type === 'array' && values.every((value) => isItem(property, value)) ? items : `[${items}]`,
    exact: values.some((value) =>
      typeof value === 'string' ? BLANK_OR_QUOTED.test(value) : isJsonObject(value) || Array.isArray(value),
    ),
  };
}

function isItem({ items }: Property, value: Json): boolean {
  const type = items?.type ?? 'any';
  return value !== null && (type === 'any' || isOfType(type, value));
}

/** Formats a list item. Items are joined by commas, so a text that has one, or could be another item, is quoted. */
function formatItem(property: Property, value: Json, resolve: Names): string {
  if (value === null) return VALUE.null;
  const { items } = property;
  const choice = items?.choices?.find((candidate) => same(candidate.value, value))?.shown ?? null;
  if (choice !== null) return choice;
  const json = JSON.stringify(value);
  if (!isItem(property, value)) return VALUE.ofType(json, typeName(value));
  if (typeof value !== 'string') return json;
  const isLikeOther = (items?.type ?? 'any') === 'any' && /^(?:[-+.]?\d.*|true|false)$/.test(value);
  return namedId(value, resolve) ?? (LIST_TEXT.test(value) && !isLikeOther ? value : json);
}

/** A text that is one item of a list to everybody's eyes. */
const LIST_TEXT = /^(?! )(?!.* {2})[^,"“”()[\]{}⇥⏎␍␠\p{Cc}]+(?<! )$/u;

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

/** A value as it is sent, to be read: a text as it is, with blanks that nobody sees spelled out; anything else as JSON. */
export function spellLiteral(value: Json): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return value.includes('\n') || !BLANK_OR_QUOTED.test(value) ? spellBlanks(value) : JSON.stringify(value);
}

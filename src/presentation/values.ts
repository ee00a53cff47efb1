import type { Taint } from '../gate/types.ts';
import { isJsonObject, type Json } from '../lib/json.ts';
import { splitName } from '../lib/readable-name.ts';
import type { FindNamedObject, Subject } from './id-names.ts';
import { findName, LIST_TEXT, type Names, namedId } from './people/names.ts';
import type { Property } from './schema-labels.ts';
import type { Siblings } from './siblings.ts';
import { spellBlanks } from './text/blanks.ts';
import { findUnit, formatDuration } from './text/duration.ts';
import { describeMoney, formatMoney } from './text/money.ts';
import {
  dateTimeParts,
  formatDate,
  formatDateTime,
  formatElsewhere,
  isDate,
  isUsualDateTime,
} from './text/time.ts';
import { formatTree, isBranch } from './text/tree.ts';
import { type EditNames, formatEdits } from './text-edits.ts';
import { VALUE } from './texts.ts';

/** The context for showing a call's values. */
export interface ValueContext extends Names {
  /** What the call's own server said earlier in the thread about the object behind an id. */
  readonly findObject: FindNamedObject;
  /** When the call was proposed, in milliseconds since the epoch: dates near it go without their year. */
  readonly asOf: number | null;
  /** What was read about the call before people were asked; absent where nothing was. */
  readonly subject?: Subject;
  /** The arguments that hold text of strangers; absent where none does. */
  readonly taints?: readonly Taint[];
}

/** A formatted value. `exact`: every character matters, so it is shown monospaced. */
export interface Shown {
  readonly words: string;
  readonly exact: boolean;
  /** Its lines are set by us, so it stands in a box, also if it is only one. */
  readonly isBox?: boolean;
  /** It's edits of texts, whose members have these names. */
  readonly edited?: EditNames;
  /** For where the zone is said already. */
  readonly inZone?: InZone;
}

/** A time of day in a zone that is known. */
export interface InZone {
  readonly zone: string;
  /** Without the zone. */
  readonly words: string;
  /** An argument names the zone, so it stands on the card already. */
  readonly isStated: boolean;
}

/** Text without spaces that is more than a word: an address, a path, an id, a URL. */
const EXACT = /^\S*[\d@/\\._:=#$%&+{}[\]<>|^~`-]\S*$/;

/**
 * Formats one argument's value, whole; not yet passed through `visible`. Two values of one argument never look alike: a
 * text that could be taken for something else is quoted, and a value that isn't of the argument's type says what it is.
 */
export function formatValue(
  property: Property,
  value: Json,
  resolve: ValueContext,
  siblings: Siblings,
): Shown {
  if (value === null) return { words: VALUE.null, exact: false };
  const choice = property.choices?.find((candidate) => same(candidate.value, value))?.shown ?? null;
  if (choice !== null) return { words: choice, exact: false };
  if (property.type !== 'any' && !isOfType(property.type, value)) {
    return { words: VALUE.ofType(JSON.stringify(value), typeName(value)), exact: true };
  }
  if (typeof value === 'boolean') return { words: value ? VALUE.yes : VALUE.no, exact: false };
  if (typeof value === 'number') return formatNumber(property.name, value, siblings);
  if (typeof value === 'string') return formatString(property, value, resolve, siblings);
  if (Array.isArray(value)) return formatList(property, value, resolve, siblings);
  if (!isBranch(value)) return { words: JSON.stringify(value), exact: true };
  return { words: formatNested(value, resolve, siblings), exact: true, isBox: true };
}

function formatNested(value: Json, resolve: ValueContext, { currency }: Siblings): string {
  return formatTree(value, (inner, member) => {
    const money = member === null ? null : describeMoney(member.name, member.of, currency?.code ?? null);
    return money ?? (typeof inner === 'string' ? describeInside(inner, resolve) : null);
  });
}

/** What a text inside of an object says in words: a known id, a date, a time with an offset. */
function describeInside(text: string, resolve: ValueContext): string | null {
  if (isDate(text)) return formatDate(text, resolve.asOf);
  if (dateTimeParts(text) !== null) {
    const { words, zone } = formatDateTime(text, resolve.timeZone, null, resolve.asOf);
    return zone === null ? words : `${words} ${zone}`;
  }
  return findName(text, resolve);
}

function isOfType(type: Property['type'], value: Json): boolean {
  return typeName(value) === (type === 'integer' ? 'number' : type);
}

function typeName(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function formatNumber(name: string, value: number, { currency }: Siblings): Shown {
  const money = formatMoney(name, value, currency?.code ?? null);
  if (money !== null) return { words: money, exact: false };
  const unit = findUnit(splitName(name));
  return { words: unit === null ? String(value) : formatDuration(value, unit), exact: false };
}

function formatString(property: Property, value: string, resolve: ValueContext, { zone }: Siblings): Shown {
  if (value === '') return { words: VALUE.empty, exact: false };
  if (value.includes('\n')) {
    return property.type === 'any' && LIKE_A_TREE.test(value)
      ? { words: JSON.stringify(value), exact: true }
      : { words: spellBlanks(value), exact: false };
  }
  if (isDate(value)) return { words: formatDate(value, resolve.asOf), exact: false };
  if (dateTimeParts(value) !== null) return formatMoment(value, resolve, zone);
  if (value === zone?.zone && property.name === zone.name) return { words: value, exact: false };
  const named = namedId(value, resolve);
  if (named !== null) return { words: named, exact: false };
  if (mustQuote(property, value)) return { words: JSON.stringify(value), exact: true };
  return { words: spellBlanks(value), exact: EXACT.test(value) || isJsonText(value) };
}

/** Whether a text is a list or an object in JSON, with or without blanks. */
function isJsonText(value: string): boolean {
  if (!/^[[{]/.test(value)) return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

function formatMoment(
  value: string,
  { timeZone, asOf }: Pick<ValueContext, 'timeZone' | 'asOf'>,
  stated: Siblings['zone'],
): Shown {
  const statedZone = stated?.zone ?? null;
  const { words, zone } = formatDateTime(value, timeZone, statedZone, asOf);
  const rest = isUsualDateTime(value, timeZone, statedZone) ? '' : ` (${value})`;
  if (zone === null) return { words: `${words} ${VALUE.localTime}${rest}`, exact: false };
  const isLocal = dateTimeParts(value)?.offset === null;
  const yours = isLocal ? formatElsewhere(value, zone, timeZone, asOf) : null;
  const more = `${yours === null ? '' : VALUE.elsewhere(yours, timeZone)}${rest}`;
  return {
    words: `${words} ${zone}${more}`,
    exact: false,
    inZone: { zone, words: `${words}${more}`, isStated: isLocal && stated?.name != null },
  };
}

/** Blanks that nobody sees or counts, and what begins like a quoted text or a word of ours. */
const BLANK_OR_QUOTED = /^[\s"(]|\s$|[\t\r]| {2}/;
/** What ends like a type or a name that we put beside a value, and dates as we write them. */
const LIKE_OURS =
  /\((?:string|number|boolean|array|object|[UWCDG](?=[A-Z0-9]*\d)[A-Z0-9]+|[^\s()]+@[^\s()]+|“.*)\)$|^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{1,2} [A-Z][a-z]{2}\b/;
/** What could be a number, yes or no, a list or an object, for an argument that may be any of them. */
const LIKE_ANOTHER_TYPE = /^[-+.]?\d|^[[{]|^(?:yes|no)$/i;

/** What begins as an object does, for an argument that may be one. */
const LIKE_A_TREE = /^(?:- |@@|.*(?:: |:$| {2}))/m;

function mustQuote({ type, choices }: Property, value: string): boolean {
  if (BLANK_OR_QUOTED.test(value) || LIKE_OURS.test(value)) return true;
  if (choices?.some(({ shown }) => shown === value)) return true;
  return type === 'any' && LIKE_ANOTHER_TYPE.test(value);
}

function formatList(
  property: Property,
  values: readonly Json[],
  resolve: ValueContext,
  siblings: Siblings,
): Shown {
  if (values.length === 0) return { words: VALUE.emptyList, exact: false };
  if (isBranch([...values]) && values.every((value) => isItem(property, value))) {
    const edits = formatEdits(values);
    if (edits !== null) return { words: edits.words, exact: true, isBox: true, edited: edits.names };
    return { words: formatNested([...values], resolve, siblings), exact: true, isBox: true };
  }
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

/** The items of a list as {@link formatValue} shows them, one by one; null for what is no list of plain values. */
export function formatItems(property: Property, value: Json | undefined, resolve: Names): string[] | null {
  if (!Array.isArray(value) || isBranch([...value])) return null;
  return value.map((item) => formatItem(property, item, resolve));
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

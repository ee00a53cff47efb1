import type { CallRecord, Outcome } from '../gate/types.ts';
import { isJsonObject, isTooDeep, type Json, type JsonObject } from '../lib/json.ts';
import { splitName } from '../lib/readable-name.ts';
import { dateTimeParts, isDate } from './text/time.ts';

/** What a server said earlier about the object behind an id. */
export interface NamedObject {
  readonly name: string;
  /** Its date, as ISO date or date-time; null where the server gave none. */
  readonly date: string | null;
  /** The object as the server gave it. */
  readonly fields: JsonObject;
}

/** What a call is about, as it was before. */
export interface Subject {
  /** Null where nothing says what it is called. */
  readonly name: string | null;
  /** Its old values, by the names that the server gives them. */
  readonly fields: JsonObject;
  /** What else of what was read stands on the card, by the paths of its template. */
  readonly shown?: readonly { readonly path: string; readonly value: Json }[];
  /** The call's arguments that this was read with. */
  readonly readWith?: readonly string[];
}

/** Finds the object behind an argument's value; null when nothing is known, or it isn't unambiguous. */
export type FindNamedObject = (argument: string, id: Json) => NamedObject | null;

/** The names of an object's own id, the surest first. */
const OWN_ID = ['id', 'uid', 'uuid', 'key', 'uri', 'number'];
/** The last words of argument names that hold an id: `event_id`, `issueNumber`. */
const ID_WORDS = new Set([...OWN_ID, 'ids', 'uids', 'keys', 'uris', 'numbers']);
const NAME = ['title', 'name', 'subject', 'summary', 'displayname', 'path', 'filename', 'label'];
const DATE = ['start', 'startsat', 'starttime', 'startdate', 'when', 'date', 'due', 'dueat', 'duedate'];
/** Container names that don't say what is in them. */
const ANYTHING = new Set([
  'item',
  'result',
  'data',
  'node',
  'entry',
  'value',
  'record',
  'list',
  'row',
  'object',
]);
/** How deep, and for how many values, results are searched, so that no server can slow a card down. */
const MAX_DEPTH = 6;
const MAX_VALUES = 5_000;
/** The longest text that is parsed as JSON, in characters. */
const MAX_TEXT = 200_000;

interface Known extends NamedObject {
  /** The kind of object, such as `event`, as far as its place in the result shows it; else null. */
  readonly kind: string | null;
}

/** Whether an argument of this name holds an id. */
export function isIdName(name: string): boolean {
  return ID_WORDS.has(splitName(name).at(-1)?.toLowerCase() ?? '');
}

/** The kind in a name: `event_id`, `eventId`, `events` → `event`; null where the name doesn't show one. */
export function idKind(name: string): string | null {
  const words = splitName(name).map((word) => word.toLowerCase());
  const kind = singular((isIdName(name) ? words.slice(0, -1) : words).at(-1) ?? '');
  return kind === '' || ANYTHING.has(kind) ? null : kind;
}

/**
 * The objects in these calls' results, by id. `calls` are of one server, newest first; the newest statement
 * about an object counts. An object that only refers to another by its id (`calendar_id` of an event) doesn't
 * name that one. Where argument and object name different kinds (`calendar_id: 1` and the event 1), the
 * object isn't meant. `within`: where the ids stand that will be asked for; all others are passed over, as to read each object
 * takes a while.
 */
export function findNamedObjects(
  calls: readonly Pick<CallRecord, 'outcome'>[],
  within: Json | null = null,
): FindNamedObject {
  const known = new Map<string, Known[]>();
  const wanted = within === null ? null : new Set(listIds(within));
  for (const { outcome } of calls) {
    for (const [id, thing] of outcome?.status === 'succeeded' ? readNamedObjects(outcome, wanted) : []) {
      const others = known.get(id) ?? [];
      if (!others.some(({ kind }) => kind === thing.kind)) known.set(id, [...others, thing]);
    }
  }
  return (argument, id) => {
    if (typeof id !== 'string' && !(typeof id === 'number' && isIdName(argument))) return null;
    const kind = idKind(argument);
    const fitting = (known.get(String(id)) ?? []).filter(
      (thing) => kind === null || thing.kind === null || thing.kind === kind,
    );
    const exact = fitting.find((thing) => thing.kind !== null && thing.kind === kind);
    return exact ?? (fitting.length === 1 ? (fitting[0] ?? null) : null);
  };
}

/** The object that a result gives first, at its top; null where it gives none with an id and a name. */
export function firstNamedObject(outcome: CallRecord['outcome']): NamedObject | null {
  return outcome?.status === 'succeeded' ? (readNamedObjects(outcome)[0]?.[1] ?? null) : null;
}

/** The structured result, or else texts that are JSON; and links to resources. */
function readNamedObjects(
  { content, structured }: Extract<Outcome, { status: 'succeeded' }>,
  wanted: ReadonlySet<string> | null = null,
): [string, Known][] {
  const links = content.flatMap((piece): Json[] => {
    if (piece.type !== 'resource_link') return [];
    return [
      { uri: piece.uri, name: piece.name, ...(piece.title === undefined ? {} : { title: piece.title }) },
    ];
  });
  const texts = content.flatMap((piece) => (piece.type === 'text' ? readJson(piece.text) : []));
  const found: [string, Known][] = [];
  let left = MAX_VALUES;
  const look = (value: Json, kind: string | null, depth: number): void => {
    left -= 1;
    if (left < 0 || depth > MAX_DEPTH) return;
    if (Array.isArray(value)) for (const item of value) look(item, kind, depth + 1);
    if (!isJsonObject(value)) return;
    const thing = hasWanted(value, wanted) ? toNamedObject(value, kind) : null;
    if (thing !== null) found.push(thing);
    for (const [name, inner] of Object.entries(value)) {
      look(inner, typeof inner === 'object' ? idKind(name) : null, depth + 1);
    }
  };
  for (const value of [...(structured === null ? texts : [structured]), ...links]) look(value, null, 0);
  return found;
}

/** Whether one of an object's own values is an id that is asked for. */
function hasWanted(fields: JsonObject, wanted: ReadonlySet<string> | null): boolean {
  return (
    wanted === null ||
    Object.values(fields).some((value) => typeof value !== 'object' && wanted.has(String(value)))
  );
}

/** All that might be an id in a value. */
function listIds(value: Json): readonly string[] {
  if (typeof value !== 'object') return [String(value)];
  return value === null ? [] : Object.values(value).flatMap(listIds);
}

function readJson(text: string): Json[] {
  if (text.length > MAX_TEXT || !/^\s*[[{]/.test(text)) return [];
  try {
    const read: Json = JSON.parse(text);
    return isTooDeep(read) ? [] : [read];
  } catch {
    return [];
  }
}

function toNamedObject(fields: JsonObject, container: string | null): [string, Known] | null {
  const idName = ownIdName(fields);
  const id = idName === null ? undefined : fields[idName];
  const name = firstText(fields, NAME);
  if (idName === null || (typeof id !== 'string' && typeof id !== 'number') || name === null) return null;
  const kind = idKind(idName) ?? container;
  return [String(id), { name, date: firstText(fields, DATE, isMoment), fields, kind }];
}

/** The name of the object's own id: a plain one, else the only one that ends like an id. */
function ownIdName(fields: JsonObject): string | null {
  const names = Object.keys(fields);
  const own = OWN_ID.find((name) => names.includes(name));
  const [only, ...others] = names.filter(isIdName);
  return own ?? (others.length === 0 ? (only ?? null) : null);
}

/** The first of these properties that is an acceptable text; `{ dateTime }` counts as its text. */
function firstText(
  fields: JsonObject,
  names: readonly string[],
  passes: (text: string) => boolean = () => true,
): string | null {
  const byName = new Map(
    Object.entries(fields).map(([name, value]) => [splitName(name).join('').toLowerCase(), value]),
  );
  for (const name of names) {
    const value = byName.get(name);
    const text = isJsonObject(value) ? (value.dateTime ?? value.date) : value;
    if (typeof text === 'string' && text.trim() !== '' && passes(text)) return text;
  }
  return null;
}

function isMoment(text: string): boolean {
  return isDate(text) || dateTimeParts(text) !== null;
}

function singular(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

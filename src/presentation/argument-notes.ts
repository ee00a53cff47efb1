import { findDefaults, namedArguments, type ToolSnapshot } from '../gate/types.ts';
import { isJsonObject, type Json, type JsonObject } from '../lib/json.ts';
import { splitName } from '../lib/readable-name.ts';
import { idKind, isIdName, type NamedObject, type Subject } from './id-names.ts';
import { describeTaint } from './risk-text.ts';
import { type Property, propertiesInOrder, unknownProperty } from './schema-labels.ts';
import { findSiblings, findSiblingsInObject, findSiblingsOfChange, type Siblings } from './siblings.ts';
import { clip, oneLine, quoteText } from './text/clip.ts';
import { visible } from './text/visible.ts';
import { isLongEdit } from './text-edits.ts';
import { ARGUMENT_NOTE, VALUE } from './texts.ts';
import { formatItems, formatValue, same, type ValueContext } from './values.ts';

/** Verbs of tools whose arguments are new values for an existing object. */
const CHANGES = new Set([
  'update',
  'change',
  'edit',
  'move',
  'set',
  'modify',
  'patch',
  'rename',
  'reschedule',
  'replace',
]);
const LISTED = 10;
/**
 * The longest name or value, and the longest note, in characters: a server must not be able to fill a card.
 */
const NOTE_LENGTH = 160;
const WHOLE_LENGTH = 800;
/** From how many characters on an old list and a new one are told apart better line by line. */
const LONG_LISTS = 100;

/** What is known of an argument besides its value. Passed through `visible`. */
type AnnotateArgument = (property: Property, value: Json) => ArgumentNote;

interface ArgumentNote {
  /**
   * What the server said earlier of an id, `(“Standup”, Tue 24 Nov 2026, 09:00 Europe/Berlin)`, or that the value is the
   * tool's own `(default)`; null where nothing is known.
   */
  readonly note: string | null;
  /** What the value was before, whole, where the call changes it; null where it doesn't, or that isn't known. */
  readonly was: string | null;
  /** The note, or the old value, is what the server said earlier, which no other word on the card says. */
  readonly quotesServer: boolean;
}

/**
 * Creates the notes for one call's arguments.
 *
 * @param zones the time zones that the card says already, beside its times.
 */
export function notesFor(
  tool: Pick<ToolSnapshot, 'name' | 'inputSchema' | 'trusted' | 'card'>,
  args: JsonObject,
  resolve: ValueContext,
  zones: ReadonlySet<string> = new Set(),
): AnnotateArgument {
  const changed = isChange(tool) ? findSubject(tool, namedArguments(tool.inputSchema, args), resolve) : null;
  const defaults = findDefaults(tool.inputSchema, args);
  const named = namedArguments(tool.inputSchema, args);
  const siblings = siblingsIn(tool, named, resolve);
  return (property, value) => {
    const objects = Array.isArray(value)
      ? describeList(property.name, value, resolve, zones)
      : describeObject(resolve.findObject(property.name, value), resolve, zones);
    const was =
      objects !== null || changed === null
        ? null
        : describePrevious(changed, property, { value, siblings }, resolve);
    const title = property.title === null ? null : ARGUMENT_NOTE.titled(visible(property.title));
    const isExtra = !Object.hasOwn(named, property.name) && listsProperties(tool.inputSchema);
    const extra = isExtra ? ARGUMENT_NOTE.notInSchema : null;
    const taint = describeTaint(resolve.taints ?? [], property.name, resolve);
    const notes = [taint, extra, describeDefaults(defaults, property.name), title, objects].filter(
      (note) => note !== null,
    );
    return {
      note: notes.length === 0 ? null : `(${clip(notes.join('; '), WHOLE_LENGTH)})`,
      was,
      // What a look-up read about it explains itself: `old → new`.
      quotesServer: objects !== null || (was !== null && resolve.subject === undefined),
    };
  };
}

/** What a call's arguments say of each other. A change is made by the clock of what it changes. */
export function siblingsIn(
  tool: Pick<ToolSnapshot, 'name' | 'inputSchema' | 'trusted' | 'card'>,
  args: JsonObject,
  resolve: Pick<ValueContext, 'findObject' | 'subject'>,
): Siblings {
  const subject = isChange(tool) ? findSubject(tool, args, resolve) : null;
  return subject === null ? findSiblings(args) : findSiblingsOfChange(args, subject);
}

/** Whether a schema names the tool's arguments, so that others are a surprise. */
function listsProperties({ properties, additionalProperties, patternProperties }: JsonObject): boolean {
  const takesOthers = additionalProperties || patternProperties;
  return !takesOthers && isJsonObject(properties) && Object.keys(properties).length > 0;
}

/** That the argument has its default value, or which of its members do. */
function describeDefaults(paths: readonly string[], argument: string): string | null {
  if (paths.includes(argument)) return ARGUMENT_NOTE.isDefault;
  const inside = paths.filter((path) => path.startsWith(`${argument}.`));
  const names = inside.map((path) => visible(oneLine(path.slice(argument.length + 1))));
  return names.length === 0 ? null : ARGUMENT_NOTE.hasDefaults(clip(names.join(', '), NOTE_LENGTH));
}

function describeObject(
  thing: NamedObject | null,
  resolve: ValueContext,
  zones: ReadonlySet<string>,
): string | null {
  if (thing === null) return null;
  const date = thing.date === null ? null : describeDate(thing.date, thing, resolve, zones);
  return date === null ? quoted(thing.name) : `${quoted(thing.name)}, ${date}`;
}

function describeList(
  argument: string,
  ids: readonly Json[],
  resolve: ValueContext,
  zones: ReadonlySet<string>,
): string | null {
  const named = ids.flatMap((id) => {
    const words = describeObject(resolve.findObject(argument, id), resolve, zones);
    return words === null ? [] : [`${visible(String(id))}: ${words}`];
  });
  if (named.length === 0) return null;
  const more = named.length > LISTED ? ARGUMENT_NOTE.more(named.length - LISTED) : '';
  return `${named.slice(0, LISTED).join('; ')}${more}`;
}

/** Whether the tool's name says that its arguments are new values for something that exists. */
export function isChange({ name, card }: Pick<ToolSnapshot, 'name' | 'card'>): boolean {
  return card?.lookUp?.as !== undefined || CHANGES.has(splitName(name)[0]?.toLowerCase() ?? '');
}

/**
 * What the call is about, when that is certain: what was read about it, or what the server said earlier about the only
 * id among the arguments, or the only one of the kind in the tool's name. Null where it isn't.
 */
export function findSubject(
  { name, ...tool }: Pick<ToolSnapshot, 'name' | 'inputSchema' | 'trusted'>,
  args: JsonObject,
  resolve: Pick<ValueContext, 'findObject' | 'subject'>,
): Subject | null {
  if (resolve.subject) return resolve.subject;
  const words = splitName(name).map((word) => word.toLowerCase());
  const ids = propertiesInOrder(tool, Object.keys(args))
    .map((property) => property.name)
    .filter(
      (argument) => isIdName(argument) || resolve.findObject(argument, args[argument] ?? null) !== null,
    );
  const ofKind = ids.filter((argument) => words.includes(idKind(argument) ?? ''));
  const [only, ...others] = ids.length > 1 ? ofKind : ids;
  if (only === undefined || others.length > 0) return null;
  return resolve.findObject(only, args[only] ?? null);
}

/** An argument that gives what the call is about another value. */
interface ChangedProperty extends Property {
  readonly old: Json;
  /** All the old values. */
  readonly fields: JsonObject;
}

/** The arguments whose old values are known and others, in the schema's order. */
export function findChanges(
  tool: Pick<ToolSnapshot, 'name' | 'inputSchema' | 'trusted'>,
  args: JsonObject,
  resolve: ValueContext,
): readonly ChangedProperty[] {
  const fields = findSubject(tool, args, resolve)?.fields ?? {};
  return propertiesInOrder(tool, Object.keys(args)).flatMap((property) => {
    const old = Object.hasOwn(fields, property.name) ? (fields[property.name] ?? null) : undefined;
    return old === undefined || same(old, args[property.name]) ? [] : [{ ...property, old, fields }];
  });
}

/** The old text or list of an argument and the new one, where they are shown line by line; null where they aren't, or are one. */
export function previousText(
  tool: Pick<ToolSnapshot, 'name' | 'inputSchema' | 'trusted' | 'card'>,
  args: JsonObject,
  name: string,
  resolve: ValueContext,
): { readonly old: string; readonly now: string } | null {
  const subject = isChange(tool) ? findSubject(tool, args, resolve) : null;
  const [property] = propertiesInOrder(tool, [name]);
  if (subject === null || property === undefined) return null;
  return findTexts(subject, property, Object.hasOwn(args, name) ? args[name] : undefined, resolve);
}

/** The old text and the new one, or the old list and the new one with an item on each line, where they are long. */
function findTexts({ fields }: Subject, property: Property, now: Json | undefined, resolve: ValueContext) {
  const { name } = property;
  const old = Object.hasOwn(fields, name) ? fields[name] : undefined;
  const [from, to] = [old, now].map((value) =>
    typeof value === 'string' ? value : formatItems(property, value, resolve)?.join('\n'),
  );
  if (from === undefined || to === undefined || typeof old !== typeof now || same(old, now)) return null;
  const isLong = typeof old === 'string' ? isLongEdit(from, to) : from.length + to.length > LONG_LISTS;
  return isLong ? { old: from, now: to } : null;
}

function describePrevious(
  thing: Subject,
  property: Property,
  { value, siblings }: { readonly value: Json; readonly siblings: Siblings },
  resolve: ValueContext,
): string | null {
  if (!Object.hasOwn(thing.fields, property.name)) return null;
  const old = thing.fields[property.name] ?? null;
  // A text's change is its value then.
  if (same(old, value) || findTexts(thing, property, value, resolve) !== null) return null;
  if (old === null) return VALUE.empty;
  const before = formatValue(property, old, resolve, findSiblingsInObject(thing.fields));
  const isSameZone = before.inZone?.zone === formatValue(property, value, resolve, siblings).inZone?.zone;
  return visible(isSameZone ? (before.inZone?.words ?? before.words) : before.words);
}

/** A date that the server gave, with its zone unless that is said already. */
function describeDate(
  date: string,
  { fields }: NamedObject,
  resolve: ValueContext,
  zones: ReadonlySet<string>,
): string {
  const siblings = findSiblingsInObject(fields);
  const { words, inZone } = formatValue(unknownProperty('date', []), date, resolve, siblings);
  return visible(inZone !== undefined && zones.has(inZone.zone) ? inZone.words : words);
}

/** Quotes a name that the server gave. */
function quoted(name: string): string {
  return quoteText(clip(visible(oneLine(name)), NOTE_LENGTH));
}

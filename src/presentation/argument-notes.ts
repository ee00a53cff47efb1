import { findDefaults, type ToolSnapshot } from '../gate/types.ts';
import type { Json, JsonObject } from '../lib/json.ts';
import { splitName } from '../lib/readable-name.ts';
import { idKind, isIdName, type NamedObject } from './id-names.ts';
import { type Property, propertiesInOrder, unknownProperty } from './schema-labels.ts';
import { clip, oneLine, quoteText } from './text/clip.ts';
import { visible } from './text/visible.ts';
import { ARGUMENT_NOTE } from './texts.ts';
import { findZone, formatValue, same, type ValueContext } from './values.ts';

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

/**
 * A note beside an argument with what the server said earlier: `(“Standup”, Tue 24 Nov 2026, 09:00
 * Europe/Berlin)` for an id, `(was 30 min)` for a new value; or that it's the tool's own `(default)`. Null where
 * nothing is known. Passed through `visible`.
 */
type AnnotateArgument = (property: Property, value: Json) => string | null;

/** Creates the notes for one call's arguments. */
export function notesFor(
  tool: Pick<ToolSnapshot, 'name' | 'inputSchema' | 'trusted'>,
  args: JsonObject,
  resolve: ValueContext,
): AnnotateArgument {
  const changed = changedThing(tool, args, resolve);
  const defaults = findDefaults(tool.inputSchema, args);
  return (property, value) => {
    const named = Array.isArray(value)
      ? describeList(property.name, value, resolve)
      : describeObject(resolve.findObject(property.name, value), resolve);
    const words = named ?? (changed === null ? null : describePrevious(changed, property, value, resolve));
    const title = property.title === null ? null : ARGUMENT_NOTE.titled(visible(property.title));
    const notes = [describeDefaults(defaults, property.name), title, words].filter((note) => note !== null);
    return notes.length === 0 ? null : `(${clip(notes.join('; '), WHOLE_LENGTH)})`;
  };
}

/** That the argument has its default value, or which of its members do. */
function describeDefaults(paths: readonly string[], argument: string): string | null {
  if (paths.includes(argument)) return ARGUMENT_NOTE.isDefault;
  const inside = paths.filter((path) => path.startsWith(`${argument}.`));
  const names = inside.map((path) => visible(oneLine(path.slice(argument.length + 1))));
  return names.length === 0 ? null : ARGUMENT_NOTE.hasDefaults(clip(names.join(', '), NOTE_LENGTH));
}

function describeObject(thing: NamedObject | null, resolve: ValueContext): string | null {
  if (thing === null) return null;
  const date = thing.date === null ? null : describeText(thing.date, thing, resolve);
  return date === null ? quoted(thing.name) : `${quoted(thing.name)}, ${date}`;
}

function describeList(argument: string, ids: readonly Json[], resolve: ValueContext): string | null {
  const named = ids.flatMap((id) => {
    const words = describeObject(resolve.findObject(argument, id), resolve);
    return words === null ? [] : [`${visible(String(id))}: ${words}`];
  });
  if (named.length === 0) return null;
  const more = named.length > LISTED ? ARGUMENT_NOTE.more(named.length - LISTED) : '';
  return `${named.slice(0, LISTED).join('; ')}${more}`;
}

/**
 * The object that the call changes, when that is certain: the tool's name says that it changes something, and
 * the arguments have only one id, or one of the kind in the tool's name.
 */
function changedThing(
  { name, ...tool }: Pick<ToolSnapshot, 'name' | 'inputSchema' | 'trusted'>,
  args: JsonObject,
  resolve: ValueContext,
): NamedObject | null {
  const words = splitName(name).map((word) => word.toLowerCase());
  if (!CHANGES.has(words[0] ?? '')) return null;
  const ids = propertiesInOrder(tool, Object.keys(args))
    .map((property) => property.name)
    .filter(
      (argument) => isIdName(argument) || resolve.findObject(argument, args[argument] ?? null) !== null,
    );
  const ofKind = ids.filter((argument) => words.includes(idKind(argument) ?? ''));
  const [subject, ...others] = ids.length > 1 ? ofKind : ids;
  if (subject === undefined || others.length > 0) return null;
  return resolve.findObject(subject, args[subject] ?? null);
}

function describePrevious(
  thing: NamedObject,
  property: Property,
  value: Json,
  resolve: ValueContext,
): string | null {
  if (!Object.hasOwn(thing.fields, property.name)) return null;
  const old = thing.fields[property.name] ?? null;
  if (same(old, value)) return null;
  const words =
    old === null ? ARGUMENT_NOTE.wasEmpty : formatValue(property, old, resolve, findZone(thing.fields)).words;
  return ARGUMENT_NOTE.was(clip(visible(oneLine(words)), NOTE_LENGTH));
}

function describeText(text: string, thing: NamedObject, resolve: ValueContext): string {
  return visible(formatValue(unknownProperty('date', []), text, resolve, findZone(thing.fields)).words);
}

/** Quotes a name that the server gave. */
function quoted(name: string): string {
  return quoteText(clip(visible(oneLine(name)), NOTE_LENGTH));
}

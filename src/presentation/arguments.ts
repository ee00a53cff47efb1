import type { ToolSnapshot } from '../gate/types.ts';
import type { Json, JsonObject } from '../lib/json.ts';
import { notesFor } from './argument-notes.ts';
import { type LabelledTool, type Property, propertiesInOrder } from './schema-labels.ts';
import { head } from './text/clip.ts';
import { visible } from './text/visible.ts';
import { findZone, formatValue, same, spellLiteral, type ValueContext } from './values.ts';

/** One argument as shown to people; every text in it has passed through `visible`. */
export interface ArgumentRow {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  /** The value as it is sent, where `value` is formatted differently; else null. */
  readonly raw: string | null;
  /** Every character matters, so it is shown monospaced. */
  readonly exact: boolean;
  /** What the server said earlier about it, in brackets; null where nothing is known. */
  readonly note: string | null;
  /** The value is longer than what is shown. */
  readonly truncated: boolean;
}

/** A change between two sets of arguments; `before` is null for an added one, `after` for a removed one. */
export interface ArgumentChange {
  readonly name: string;
  readonly label: string;
  readonly before: ArgumentRow | null;
  readonly after: ArgumentRow | null;
}

/** The parts of a tool that determine how its arguments are shown. */
type Tool = Pick<ToolSnapshot, 'name' | 'inputSchema' | 'trusted'>;

const SHORT_LINES = 8;
const SHORT_LENGTH = 500;
const SHORT_LABEL = 100;

/**
 * The arguments as rows, in the schema's order, then those that it doesn't name; long values by their first
 * lines.
 */
export function describeArguments(tool: Tool, args: JsonObject, resolve: ValueContext): ArgumentRow[] {
  return describeArgumentsWhole(tool, args, resolve).map(firstLines);
}

/** As {@link describeArguments}, with nothing left out. */
export function describeArgumentsWhole(tool: Tool, args: JsonObject, resolve: ValueContext): ArgumentRow[] {
  const zone = findZone(args);
  const noteOf = notesFor(tool, args, resolve);
  return propertiesInOrder(tool, Object.keys(args)).map((property) => ({
    ...toRow(property, args, resolve, zone),
    note: noteOf(property, ownValue(args, property.name) ?? null),
  }));
}

/** The arguments that differ, in the order of {@link describeArguments}; long values by their first lines. */
export function diffArguments(
  tool: Tool,
  before: JsonObject,
  after: JsonObject,
  resolve: ValueContext,
): ArgumentChange[] {
  const old = new Map(describeArguments(tool, before, resolve).map((row) => [row.name, row]));
  const now = new Map(describeArguments(tool, after, resolve).map((row) => [row.name, row]));
  return propertiesInOrder(tool, [...now.keys(), ...old.keys()])
    .filter(({ name }) => !same(ownValue(before, name), ownValue(after, name)))
    .map(({ name, label }) => ({
      name,
      label: now.get(name)?.label ?? old.get(name)?.label ?? label,
      before: old.get(name) ?? null,
      after: now.get(name) ?? null,
    }));
}

function toRow(
  property: Property,
  args: JsonObject,
  resolve: ValueContext,
  zone: string | null,
): Omit<ArgumentRow, 'note'> {
  const value = ownValue(args, property.name) ?? null;
  const { words, exact } = formatValue(property, value, resolve, zone);
  const raw = spellLiteral(value);
  const isSame = raw === words || JSON.stringify(value) === words;
  return {
    name: property.name,
    label: `${visible(property.label)}${Array.isArray(value) && value.length > 1 ? ` (${value.length})` : ''}`,
    value: visible(words),
    raw: isSame ? null : visible(raw),
    exact,
    truncated: false,
  };
}

/** The labels of these arguments of a tool, by name: the same as on its cards. */
export function argumentLabels(tool: LabelledTool, names: readonly string[]): ReadonlyMap<string, string> {
  return new Map(propertiesInOrder(tool, names).map(({ name, label }) => [name, visible(label)]));
}

function firstLines(row: ArgumentRow): ArgumentRow {
  const value = head(row.value.split('\n').slice(0, SHORT_LINES).join('\n'), SHORT_LENGTH);
  const label = head(row.label, SHORT_LABEL);
  return value === row.value && label === row.label ? row : { ...row, label, value, truncated: true };
}

function ownValue(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

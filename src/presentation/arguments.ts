import { FUNCTION_OF_PROGRAM, namedArguments, type ToolSnapshot } from '../gate/types.ts';
import type { Json, JsonObject } from '../lib/json.ts';
import { notesFor, previousText, siblingsIn } from './argument-notes.ts';
import { type ArgumentRow, firstChangedLines, firstLines, toRow } from './argument-row.ts';
import { readSummary } from './function-summary.ts';
import { withGuestTimes } from './people/guest-times.ts';
import { type LabelledTool, propertiesInOrder, unknownProperty } from './schema-labels.ts';
import { findSiblings, findSiblingsInObject } from './siblings.ts';
import { clip, oneLine } from './text/clip.ts';
import { lineDiff } from './text/line-diff.ts';
import { formatMoney } from './text/money.ts';
import { visible } from './text/visible.ts';
import { findEdit, formatChange, formatEdit, isLongEdit } from './text-edits.ts';
import { ARGUMENT_NOTE } from './texts.ts';
import { formatItems, formatValue, same, spellLiteral, type ValueContext } from './values.ts';

/** A change between two sets of arguments; `before` is null for an added one, `after` for a removed one. */
export interface ArgumentChange {
  readonly name: string;
  readonly label: string;
  readonly before: ArgumentRow | null;
  readonly after: ArgumentRow | null;
  /** Whether the new value stands whole above the change, and needn't be there twice. @default false */
  readonly isAfterAbove?: boolean;
}

/** The parts of a tool that determine how its arguments are shown. */
type Tool = Pick<ToolSnapshot, 'server' | 'name' | 'inputSchema' | 'trusted' | 'card'>;

/** The longest value that was read about a call, in characters. */
const SHOWN_LENGTH = 500;
/** The longest old value beside a new one, in characters: a server must not be able to fill a card. */
const PREVIOUS_LENGTH = 160;

/**
 * The arguments as rows, in the schema's order, then those that it doesn't name; long values by their first
 * lines, texts by `most` of them.
 */
export function describeArguments(
  tool: Tool,
  args: JsonObject,
  resolve: ValueContext,
  most?: Parameters<typeof firstLines>[1],
): ArgumentRow[] {
  return describeArgumentsWhole(tool, args, resolve).map((row) => firstLines(row, most));
}

/** As {@link describeArguments}, with nothing left out. */
export function describeArgumentsWhole(tool: Tool, args: JsonObject, resolve: ValueContext): ArgumentRow[] {
  const rows = eachArgument(tool, args, resolve).map((row) => withPrevious(row, tool, args, resolve));
  return [...withCurrency(withEdit(rows, args), tool, args), ...readRows(resolve)];
}

/**
 * What was read about the call that its template has on the card. All of it is in italics, which no argument is, as it's the server's
 * and not sent.
 */
function readRows(resolve: ValueContext): ArgumentRow[] {
  const { shown = [], fields = {} } = resolve.subject ?? {};
  return shown.map(({ path, value }) => {
    const property = unknownProperty(path.split('[*]')[0]?.split('.').at(-1) ?? path, []);
    const words =
      formatItems(property, value, resolve)?.join(', ') ??
      formatValue(property, value, resolve, findSiblingsInObject(fields)).words;
    const row = toRow(property, value, { words: '', exact: false });
    return {
      ...row,
      raw: null,
      note: `(${clip(visible(oneLine(words)), SHOWN_LENGTH)})`,
      was: null,
      quotesServer: true,
    };
  });
}

/** The argument whose old text was read, or said earlier, as what changes in it; one that has several lines too. */
function withPrevious(row: ArgumentRow, tool: Tool, args: JsonObject, resolve: ValueContext): ArgumentRow {
  const texts = previousText(tool, args, row.name, resolve);
  if (texts !== null) return asDiff(row, visible(formatChange(texts.old, texts.now)), texts.now);
  if (row.was === null || !(row.box || row.was.includes('\n'))) return withShortPrevious(row);
  return asDiff(row, lineDiff(row.was, row.value), ownValue(args, row.name) ?? null);
}

function withShortPrevious(row: ArgumentRow): ArgumentRow {
  return row.was === null ? row : { ...row, was: clip(oneLine(row.was), PREVIOUS_LENGTH) };
}

function asDiff(row: ArgumentRow, diff: string, now: Json): ArgumentRow {
  return {
    ...row,
    label: `${row.label} (${ARGUMENT_NOTE.changes})`,
    value: diff,
    raw: visible(spellLiteral(now)),
    exact: true,
    box: true,
    was: null,
    // What it was stands among the lines that change.
    quotesServer: row.quotesServer && row.note !== null,
  };
}

/** As {@link describeArgumentsWhole}, with a row for each argument: an old and a new text have one each. */
export function describeEachArgument(tool: Tool, args: JsonObject, resolve: ValueContext): ArgumentRow[] {
  return eachArgument(tool, args, resolve).map(withShortPrevious);
}

function eachArgument(tool: Tool, args: JsonObject, resolve: ValueContext): ArgumentRow[] {
  const rows = withGuestTimes(rowPerArgument(tool, args, resolve), args, resolve);
  return rows.map(zonesOnce(statedZones(rows)).row);
}

/** As {@link describeEachArgument}, with the zone of each time. */
function rowPerArgument(tool: Tool, args: JsonObject, resolve: ValueContext): ArgumentRow[] {
  const siblings = siblingsIn(tool, namedArguments(tool.inputSchema, args), resolve);
  const given = propertiesInOrder(tool, Object.keys(args)).map((property) => {
    const value = ownValue(args, property.name) ?? null;
    // A function's arguments may be a text or JSON, and no text may look like a list.
    const shownAs =
      tool.server === FUNCTION_OF_PROGRAM.server ? unknownProperty(property.name, []) : property;
    const read = readSummary(tool, args, property.name) ?? value;
    return { property, value, shown: formatValue(shownAs, read, resolve, siblings) };
  });
  const zones = given.flatMap(({ shown }) => shown.inZone?.zone ?? []);
  const noteOf = notesFor(tool, args, resolve, new Set(zones));
  const rows = given.map(({ property, value, shown }) => ({
    ...toRow(property, value, shown),
    ...noteOf(property, value),
  }));
  const firstInZone = rows.find(({ inZone }) => inZone?.isStated)?.name;
  return withZoneBesideTime(rows, siblings.zone?.name ?? undefined, firstInZone);
}

/** Shows times, one after the other, without their zone where a time before them, or who `said` it, says which one it is. */
function zonesOnce(said: ReadonlySet<string>) {
  const all = new Set(said);
  const row = (one: ArgumentRow): ArgumentRow => {
    if (one.inZone === null) return one;
    const { zone, words } = one.inZone;
    if (all.has(zone)) return { ...one, value: words };
    all.add(zone);
    return one;
  };
  const change = (one: ArgumentChange): ArgumentChange => {
    // The zone stands behind the new time.
    const after = one.after && row(one.after);
    return { ...one, after, before: one.before && row(one.before) };
  };
  return { row, change };
}

/** The zones that arguments name. */
function statedZones(rows: readonly ArgumentRow[]): Set<string> {
  return new Set(rows.flatMap(({ inZone }) => (inZone?.isStated ? [inZone.zone] : [])));
}

/** Moves the argument that names the zone to the line of the first time in it, if there is one. */
function withZoneBesideTime(
  rows: readonly ArgumentRow[],
  zoneName: string | undefined,
  timeName: string | undefined,
): ArgumentRow[] {
  const zone = rows.find(({ name }) => name === zoneName);
  if (zone === undefined || timeName === undefined) return [...rows];
  return rows
    .filter((row) => row !== zone)
    .flatMap((row) => (row.name === timeName ? [row, { ...zone, continues: true }] : [row]));
}

/** An old text and a new one as one row, which shows what changes between them. */
function withEdit(rows: readonly ArgumentRow[], args: JsonObject): ArgumentRow[] {
  const names = findEdit(args);
  const old = rows.find(({ name }) => name === names?.old);
  const now = rows.find(({ name }) => name === names?.now);
  if (names === null || old === undefined || now === undefined) return [...rows];
  // Short ones are told apart better one below the other, and their names and notes stay.
  if (!isLongEdit(old.value, now.value) && !old.box && !now.box) return [...rows];
  const value = formatEdit(args, names);
  const sent = { [old.name]: args[old.name] ?? null, [now.name]: args[now.name] ?? null };
  const notes = [old.note, now.note].filter((note) => note !== null);
  const edit: ArgumentRow = {
    ...now,
    label: `${old.label} → ${now.label}`,
    value: visible(value),
    raw: visible(JSON.stringify(sent)),
    exact: true,
    box: true,
    note: notes.length === 0 ? null : notes.join(' '),
    quotesServer: old.quotesServer || now.quotesServer,
  };
  return rows.filter((row) => row !== old).map((row) => (row === now ? edit : row));
}

/** Amounts say their currency, so it has no row of its own, unless there is more to say of it. */
function withCurrency(rows: readonly ArgumentRow[], { inputSchema }: Tool, args: JsonObject): ArgumentRow[] {
  const { currency } = findSiblings(namedArguments(inputSchema, args));
  const beside = rows.find(({ name }) => name === currency?.name);
  const first = rows.find(({ name, value }) => {
    const amount = ownValue(args, name);
    // Not one whose name says its own.
    const isBare = typeof amount === 'number' && formatMoney(name, amount, null) === null;
    return currency !== null && isBare && formatMoney(name, amount, currency.code) === value;
  });
  if (beside === undefined || beside.note !== null || beside.was !== null || first === undefined)
    return [...rows];
  const sent = { [first.name]: args[first.name] ?? null, [beside.name]: args[beside.name] ?? null };
  return rows
    .filter((row) => row !== beside)
    .map((row) => (row === first ? { ...row, raw: visible(JSON.stringify(sent)) } : row));
}

/** The arguments that differ, in the order of {@link describeArguments}; long values by their first lines. */
export function diffArguments(
  tool: Tool,
  before: JsonObject,
  after: JsonObject,
  resolve: ValueContext,
): ArgumentChange[] {
  return findChanged(tool, before, after, resolve).map(zonesOnce(new Set()).change);
}

/** As {@link diffArguments}, for where the new arguments stand, too, and say the zone. */
export function diffBesideArguments(
  tool: Tool,
  before: JsonObject,
  after: JsonObject,
  resolve: ValueContext,
): ArgumentChange[] {
  const zones = rowPerArgument(tool, after, resolve).flatMap(({ inZone }) => inZone?.zone ?? []);
  return findChanged(tool, before, after, resolve).map(zonesOnce(new Set(zones)).change);
}

/** The arguments as {@link describeArguments} gives them, with those that differ as old and new in their place. */
export function describeEditedArguments(
  tool: Tool,
  before: JsonObject,
  after: JsonObject,
  resolve: ValueContext,
): (ArgumentRow | ArgumentChange)[] {
  const changes = findChanged(tool, before, after, resolve);
  const rows = describeArguments(tool, after, resolve);
  const shown = rows.map((row) => changes.find(({ name }) => name === row.name) ?? row);
  const rest = changes.filter(({ name }) => !rows.some((row) => row.name === name));
  const isZoneShown = rows.some(
    ({ continues, name }) => continues && !changes.some((change) => change.name === name),
  );
  const once = zonesOnce(isZoneShown ? statedZones(rows) : new Set());
  return [...shown, ...rest].map((one) => ('after' in one ? once.change(one) : once.row(one)));
}

function findChanged(
  tool: Tool,
  before: JsonObject,
  after: JsonObject,
  resolve: ValueContext,
): ArgumentChange[] {
  const old = new Map(rowPerArgument(tool, before, resolve).map((row) => [row.name, row]));
  const now = new Map(rowPerArgument(tool, after, resolve).map((row) => [row.name, row]));
  return propertiesInOrder(tool, [...now.keys(), ...old.keys()])
    .filter(({ name }) => !same(ownValue(before, name), ownValue(after, name)))
    .map(({ name, label }) => {
      const [was, is] = firstChangedLines(old.get(name) ?? null, now.get(name) ?? null);
      return { name, label: is?.label ?? was?.label ?? label, before: was, after: is };
    });
}

/** The labels of these arguments of a tool, by name: the same as on its cards. */
export function argumentLabels(tool: LabelledTool, names: readonly string[]): ReadonlyMap<string, string> {
  return new Map(propertiesInOrder(tool, names).map(({ name, label }) => [name, visible(label)]));
}

function ownValue(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { spellBlanks } from './blanks.ts';

/**
 * A note to stand in brackets behind a text or a number, such as a name for an id; null for none. `member` says what it is
 * of which object; null for an item of a list.
 */
type Annotate = (value: string | number, member: Member | null) => string | null;

interface Member {
  readonly name: string;
  readonly of: JsonObject;
}

/** A table wider than this, in characters, breaks its lines on a phone. */
const TABLE_WIDTH = 60;
const TABLE_COLUMNS = 6;
const INDENT = '  ';

/** A name that needs no quotes, and the head of a table's column. */
const PLAIN_NAME = /^[\p{L}_][\p{L}\p{N}_.-]*$/u;
/** A text that is one value to everybody's eyes: no other type, no mark of ours, no blanks that can't be counted. */
const PLAIN_TEXT =
  /^(?![ +.|]|-(?: |$|[\d.])|\d+(?:\.|e|$)|(?:true|false|null)$)(?!.*(?: {2}|: |:$))[^"“”()[\]{}⇥⏎␍␠\p{Cc}]+(?<! )$/iu;

/**
 * An object, or a list with objects in it, as a tree of `name: value` lines with `- ` before the items of a list; a list
 * of objects alike as a table. Names and values stand as they are sent, in quotes where they could be taken for anything
 * else, so the value can be read back exactly.
 *
 * @example
 * formatTree({ street: 'Harbour 1', rooms: [1, 2] }, () => null); // 'street: Harbour 1\nrooms: [1, 2]'
 */
export function formatTree(value: Json, note: Annotate): string {
  return treeLines(value, note).join('\n');
}

/** Whether a value has members to show, rather than to be shown itself. */
export function isBranch(value: Json): boolean {
  if (Array.isArray(value)) return value.some(isBranch);
  return isJsonObject(value) && Object.keys(value).length > 0;
}

function treeLines(value: Json, note: Annotate): string[] {
  const money = moneyLine(value, note);
  if (money !== null) return [money];
  if (Array.isArray(value)) {
    return tableLines(value, note) ?? value.flatMap((item) => itemLines(item, note));
  }
  return isJsonObject(value)
    ? Object.keys(value).flatMap((name) => memberLines({ name, of: value }, note))
    : [leaf(value, note)];
}

function memberLines(member: Member, note: Annotate): string[] {
  const { name, of } = member;
  const value = of[name] ?? null;
  const label = PLAIN_NAME.test(name) ? name : JSON.stringify(name);
  if (isBranch(value) && moneyIn(value, note) === null) {
    return [`${label}:`, ...treeLines(value, note).map(indented)];
  }
  return isLong(value) ? [`${label}: |`, ...textLines(value)] : [`${label}: ${leaf(value, note, member)}`];
}

function itemLines(value: Json, note: Annotate): string[] {
  if (isLong(value)) return ['- |', ...textLines(value)];
  const [first = '', ...rest] = isBranch(value) ? treeLines(value, note) : [leaf(value, note)];
  return [`- ${first}`, ...rest.map(indented)];
}

function isLong(value: Json): value is string {
  return typeof value === 'string' && value.includes('\n');
}

/** A text of several lines, further in than what follows it, so that none of its lines can pass for that. */
function textLines(text: string): string[] {
  return spellBlanks(text).split('\n').map(indented);
}

function indented(line: string): string {
  return `${INDENT}${line}`;
}

function leaf(value: Json, note: Annotate, member: Member | null = null): string {
  if (Array.isArray(value)) return `[${value.map((item) => inList(leaf(item, note), item)).join(', ')}]`;
  if (typeof value !== 'string' && typeof value !== 'number')
    return moneyLine(value, note) ?? JSON.stringify(value);
  const words = note(value, member);
  const literal = typeof value === 'string' && PLAIN_TEXT.test(value) ? value : JSON.stringify(value);
  return `${literal}${words === null ? '' : ` (${words})`}`;
}

interface Money {
  readonly words: string;
  /** The members that are sent, in brackets, which no plain text or name has: `{amount, currency}`. */
  readonly members: string;
}

/** An amount and its currency, which are one value to everybody's eyes; null for any other object. */
function moneyIn(value: Json, note: Annotate): Money | null {
  const names = isJsonObject(value) ? Object.keys(value) : [];
  if (!isJsonObject(value) || names.length !== 2 || !names.every((name) => PLAIN_NAME.test(name)))
    return null;
  const name = names.find((one) => typeof value[one] === 'number') ?? '';
  const other = names.find((one) => typeof value[one] === 'string') ?? '';
  const [amount, unit] = [value[name], value[other]];
  if (typeof amount !== 'number' || typeof unit !== 'string') return null;
  const words = note(amount, { name, of: value });
  // Its value is not shown by itself: it must stand whole in what is.
  const isShown = /^[A-Z]{3}$/.test(unit) && words?.split(' ').includes(unit) === true;
  return isShown ? { words, members: `{${name}, ${other}}` } : null;
}

/** @example '319.50 EUR {amount, currency}' */
function moneyLine(value: Json, note: Annotate): string | null {
  const money = moneyIn(value, note);
  return money === null ? null : `${money.words} ${money.members}`;
}

/** Items are joined by commas. */
function inList(shown: string, item: Json): string {
  return typeof item === 'string' && item.includes(',') && !shown.startsWith('"')
    ? JSON.stringify(item)
    : shown;
}

/** Objects with the same few members, none of which has members of its own; null for any other list. */
function tableLines(items: readonly Json[], note: Annotate): string[] | null {
  const rows = items.filter(isJsonObject);
  const names = Object.keys(rows[0] ?? {});
  const isTable =
    items.length > 1 && rows.length === items.length && rows.every((row) => isRow(row, names, note));
  if (!isTable || names.length < 2 || names.length > TABLE_COLUMNS) return null;
  const columns = names.map((name) => tableColumn(name, rows, note));
  const cells = ['', ...rows].map((_, line) => columns.map((column) => column[line] ?? ''));
  const widths = names.map((_, column) =>
    cells.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0),
  );
  if (widths.reduce((sum, width) => sum + width + INDENT.length, 0) > TABLE_WIDTH) return null;
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(INDENT)
      .trimEnd(),
  );
}

/** A column with its head, which names the members of amounts that are all alike. */
function tableColumn(name: string, rows: readonly JsonObject[], note: Annotate): string[] {
  const monies = rows.flatMap((row) => moneyIn(row[name] ?? null, note) ?? []);
  const [members, ...others] = new Set(monies.map((money) => money.members));
  if (monies.length === rows.length && others.length === 0) {
    return [`${name} ${members}`, ...monies.map(({ words }) => words)];
  }
  return [name, ...rows.map((row) => leaf(row[name] ?? null, note, { name, of: row }))];
}

function isRow(row: JsonObject, names: readonly string[], note: Annotate): boolean {
  return (
    Object.keys(row).length === names.length &&
    names.every(
      (name) => PLAIN_NAME.test(name) && Object.hasOwn(row, name) && isCell(row[name] ?? null, note),
    )
  );
}

function isCell(value: Json, note: Annotate): boolean {
  return (!isJsonObject(value) || moneyIn(value, note) !== null) && !Array.isArray(value) && !isLong(value);
}

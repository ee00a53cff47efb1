import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { Property } from '../../../presentation/schema-labels.ts';
import { clip, oneLine } from '../../../presentation/text/clip.ts';
import { isBranch } from '../../../presentation/text/tree.ts';
import { hidesSomething, visible, visibleJson } from '../../../presentation/text/visible.ts';
import { FIELD_ERROR } from '../../texts/forms.ts';
import { type JsonReading, readJsonText } from './json-text.ts';

/**
 * Objects as text that people can edit: a list with one entry a line, `item: Pens; price.amount: 2`, and one object with
 * one member a line. Texts stand as they are, and as JSON where they could be read as anything else; lists in a member
 * are JSON.
 */
export type Layout = 'entries' | 'members';

type MemberTypes = Property['members'];

/** What lines are read by. */
export interface Lines {
  readonly layout: Layout;
  readonly types: MemberTypes;
  /** The only names that members have; null where others may come up. */
  readonly names: ReadonlySet<string> | null;
}

/** A name that needs no quotes; a dot leads to a member of a member. */
const PLAIN_NAME = /^[\p{L}_][\p{L}\p{N}_-]*$/u;
/** Up to the next semicolon that doesn't stand within double quotes. */
const PART = /(?:"(?:[^"\\]|\\.)*"|[^";])+/g;
const NAME = /"(?:[^"\\]|\\.)*"|[\p{L}_][\p{L}\p{N}_-]*/u;
const MEMBER = new RegExp(`^((?:${NAME.source})(?:\\.(?:${NAME.source}))*)\\s*:\\s*(.*)$`, 'u');
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
/** How much of what can't be read is quoted, in characters. */
const QUOTED = 40;

/** The value in this layout; null where it can't be read back exactly. */
export function entryLines(layout: Layout, types: MemberTypes, value: Json): string | null {
  const objects = layout === 'entries' ? value : [value];
  if (!Array.isArray(objects) || objects.length === 0 || !objects.every(isEntry)) return null;
  const lines = objects.map((object) =>
    findLeaves(object)
      .map(({ path, value }) => `${writtenName(path)}: ${writtenValue(types[path.join('.')], value)}`)
      .join(layout === 'entries' ? '; ' : '\n'),
  );
  const words = lines.join('\n');
  const back = readEntryLines({ layout, types, names: null }, words);
  return 'value' in back && JSON.stringify(back.value) === JSON.stringify(value) ? words : null;
}

/** The names of all members of these objects that {@link entryLines} writes, with dots. */
export function entryNames(objects: readonly JsonObject[]): string[] {
  return objects.flatMap(findLeaves).map(({ path }) => path.join('.'));
}

/**
 * Reads what {@link entryLines} wrote and a person may have changed, or JSON in its place; a problem says what can't be
 * read, and in which line.
 */
export function readEntryLines(lines: Lines, words: string): JsonReading {
  if (/^\s*[[{]/.test(words)) return readJsonText(words);
  const entries: JsonObject[] = [];
  const problems: string[] = [];
  for (const [index, line] of words.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const entry = lines.layout === 'entries' ? {} : (entries.pop() ?? {});
    const problem = readLine(lines, line, entry);
    if (problem !== null) problems.push(FIELD_ERROR.inLine(index + 1, problem));
    entries.push(entry);
  }
  if (problems.length > 0) return { problem: FIELD_ERROR.all(problems) };
  return { value: lines.layout === 'entries' ? entries : (entries[0] ?? {}) };
}

function isEntry(value: Json): value is JsonObject {
  return (
    isJsonObject(value) &&
    Object.keys(value).length > 0 &&
    findLeaves(value).every(({ value: leaf }) => !Array.isArray(leaf) || !leaf.some(isBranch))
  );
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: Json;
}

function findLeaves(object: JsonObject): Leaf[] {
  return Object.entries(object).flatMap(([name, value]) =>
    isJsonObject(value) && isBranch(value)
      ? findLeaves(value).map((leaf) => ({ ...leaf, path: [name, ...leaf.path] }))
      : [{ path: [name], value }],
  );
}

function writtenName(path: readonly string[]): string {
  return path
    .map((name) =>
      PLAIN_NAME.test(name) && !hidesSomething(name) ? name : visibleJson(JSON.stringify(name)),
    )
    .join('.');
}

function writtenValue(type: MemberTypes[string] | undefined, value: Json): string {
  if (typeof value === 'string' && value !== '' && !hidesSomething(value) && !/[;\p{Cc}]/u.test(value)) {
    const back = readValue(type, value.trim());
    if ('value' in back && back.value === value) return value;
  }
  return visibleJson(JSON.stringify(value));
}

/** Reads a line into the entry; the problem with it, or null. */
function readLine({ layout, types, names }: Lines, line: string, entry: JsonObject): string | null {
  const parts = layout === 'members' ? [line] : (line.match(PART) ?? []);
  // What is left over is a quote without its partner.
  if (layout === 'entries' && /[^;]/.test(line.replace(PART, ''))) return FIELD_ERROR.quotes;
  for (const part of parts.map((one) => one.trim()).filter((one) => one !== '')) {
    const [, written = '', rest = ''] = MEMBER.exec(part) ?? [];
    const path = readPath(written);
    if (path.length === 0) return FIELD_ERROR.noName(quoted(part));
    const name = path.join('.');
    if (path.includes('__proto__')) return FIELD_ERROR.proto;
    if (names !== null && !isKnown(names, name)) return FIELD_ERROR.unknownName(quoted(name));
    const read = readValue(types[name], rest);
    if ('problem' in read) return FIELD_ERROR.ofItem(quoted(name), read.problem);
    if (!put(entry, path, read.value)) return FIELD_ERROR.twice;
  }
  return null;
}

function isKnown(names: ReadonlySet<string>, name: string): boolean {
  return names.has(name) || [...names].some((other) => other.startsWith(`${name}.`));
}

/** The names that lead to a member; empty where one of them can't be read. */
function readPath(written: string): string[] {
  const names = [...written.matchAll(new RegExp(NAME, 'gu'))].map(([name]) =>
    name.startsWith('"') ? readJsonText(name) : { value: name },
  );
  const path = names.flatMap((name) =>
    'value' in name && typeof name.value === 'string' ? [name.value] : [],
  );
  return path.length === names.length ? path : [];
}

/** Gives the member its value; false where it has one. */
function put(object: JsonObject, [name = '', ...inner]: readonly string[], value: Json): boolean {
  const before = Object.hasOwn(object, name) ? object[name] : undefined;
  if (inner.length === 0) {
    object[name] = value;
    return before === undefined;
  }
  if (before !== undefined && !isJsonObject(before)) return false;
  const next = before ?? {};
  object[name] = next;
  return put(next, inner, value);
}

function readValue(type: MemberTypes[string] | undefined, words: string): JsonReading {
  if (words === '') return { problem: FIELD_ERROR.emptyMember };
  if (/^["[{]/.test(words)) return readJsonText(words);
  // Phones turn straight quotes into these, which would then be sent.
  if (/["“”]/.test(words)) return { problem: FIELD_ERROR.quotes };
  if (type === 'string') return { value: words };
  if (NUMBER.test(words) || /^(?:true|false|null)$/.test(words)) return readJsonText(words);
  if (type === 'number' || type === 'integer') return { problem: FIELD_ERROR.number };
  if (type === 'boolean') return { problem: FIELD_ERROR.trueOrFalse };
  return type === 'array' || type === 'object' ? { problem: FIELD_ERROR.json } : { value: words };
}

function quoted(words: string): string {
  return clip(oneLine(visible(words)), QUOTED);
}

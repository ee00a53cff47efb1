import { type CallRecord, type Content, type Kept, type Outcome, repeatsStructured } from '../gate/types.ts';
import { isJsonObject, type Json, type JsonObject } from '../lib/json.ts';
import { clip, oneLine } from './text/clip.ts';
import { nameTool } from './text/title.ts';
import { formatTree, isBranch } from './text/tree.ts';
import { visible, visibleJson } from './text/visible.ts';
import { RESULT } from './texts.ts';

type Succeeded = Extract<Outcome, { status: 'succeeded' }>;

/** Widest column of a table, in characters, and the most columns and rows. */
const CELL_LENGTH = 40;
const COLUMNS = 8;
const ROWS = 200;
/** Longest text that the line of a card has whole. */
const LINE_LENGTH = 200;
/** The most fields that it has. */
const LINE_FIELDS = 3;

/** A part of a result. Texts have passed through `visible`. */
export type ResultPart =
  /** What the server returned, for a box: text, JSON, or the rows of a table. */
  | { readonly kind: 'box'; readonly text: string }
  | { readonly kind: 'link'; readonly label: string; readonly uri: string }
  /** Words of ours, about what is elsewhere. */
  | { readonly kind: 'note'; readonly text: string };

/** All that is on record of a result. What a server says twice, as text and as fields, is there once, as fields. */
export function describeWholeResult({ content, structured }: Succeeded): readonly ResultPart[] {
  const texts = content.flatMap((piece) => (piece.type === 'text' ? [piece.text] : []));
  const isRepeated = structured !== null && saysSame(texts, structured);
  return [
    ...content.filter(({ type }) => !isRepeated || type !== 'text').flatMap(describePiece),
    ...(structured === null ? [] : [jsonBox(structured)]),
  ];
}

/** An AgentOutput, in which an agent that is another program says what became of its task; null for any other result. */
export function readAgentOutput({ content, structured }: Succeeded): JsonObject | null {
  const [only] = content;
  const said = structured ?? (only?.type === 'text' && only.kept === undefined ? parseJson(only.text) : null);
  return isJsonObject(said) && typeof said.task_done === 'boolean' ? said : null;
}

/** Whether there is more to a result than the one line that a card has of it. */
export function isLongerThanLine(outcome: Succeeded): boolean {
  if (shortBox(outcome) !== null || readAgentOutput(outcome) !== null) return true;
  const { content, structured } = outcome;
  const [only, ...others] = content;
  if (only === undefined) return structured !== null && !fitsLineAsFields(structured);
  const fitsLine =
    only.type === 'text' && only.text.length <= LINE_LENGTH && !only.text.trim().includes('\n');
  const isRepeated = only.type === 'text' && structured !== null && saysSame([only.text], structured);
  return others.length > 0 || !fitsLine || (structured !== null && !isRepeated);
}

/** Whether texts say no more than the fields beside them: what JavaScript can't hold, only the text has. */
function saysSame(texts: readonly string[], structured: JsonObject): boolean {
  return (
    repeatsStructured(texts, structured) && texts.every((text) => !isJson(text) || parseJson(text) !== null)
  );
}

/** The most rows and characters of a table on a card. */
const CARD_ROWS = 10;
const CARD_LENGTH = 1_000;

/** And the most lines of a diff. */
const CARD_DIFF = 16;

/** A result that is nothing but a short list, or a short diff. */
export interface ShortBox {
  /** All of it, for a box: aligned columns, an item on each line, or the diff. */
  readonly text: string;
  /** What that is, for a line above it. */
  readonly line: string;
}

/** The result as a table, a list or a diff that fits on a card; null for one that is anything else, or longer. */
export function shortBox({ content, structured }: Succeeded): ShortBox | null {
  const [only, ...others] = content;
  const text = only?.type === 'text' && only.kept === undefined ? only.text : null;
  const said = text === null ? null : parseJson(text);
  if (others.length > 0 || (only !== undefined && text === null)) return null;
  if (only !== undefined && said === null) {
    return structured === null || repeatsText(structured, text) ? shortDiff(text ?? '') : null;
  }
  if (text !== null && structured !== null && !saysSame([text], structured)) return null;
  const value = structured ?? said ?? null;
  return fitting(tableRows(value), 1, RESULT.rows) ?? fitting(listLines(value), 0, RESULT.items);
}

function fitting(text: string | null, heads: number, line: (count: number) => string): ShortBox | null {
  if (text === null || text.length > CARD_LENGTH) return null;
  const count = text.split('\n').length - heads;
  return count > CARD_ROWS ? null : { text, line: line(count) };
}

/** Whether the fields are nothing but the text, under some name: `{content: "…"}`. */
function repeatsText(structured: JsonObject, text: string | null): boolean {
  return onlyMember(structured) === text;
}

const HUNK = /^@@ .*@@/m;
/** Between the lines of a fence, as some servers send a diff. */
const FENCED = /^(`{3,})(?:diff|patch)?\n([\s\S]*?)\n\1\s*$/;

/** A diff in the usual form, as `git diff` and others write it. */
function shortDiff(text: string): ShortBox | null {
  const lines = (FENCED.exec(text)?.[2] ?? text).trimEnd().split('\n');
  if (lines.length > CARD_DIFF || text.length > CARD_LENGTH || !HUNK.test(lines.join('\n'))) return null;
  const changed = (sign: string) =>
    lines.filter((line) => line.startsWith(sign) && !line.startsWith(sign.repeat(3))).length;
  return { text: visible(lines.join('\n')), line: RESULT.diff(changed('+'), changed('-')) };
}

function fitsLineAsFields(structured: JsonObject): boolean {
  const values = Object.values(structured);
  const [only] = values;
  if (values.length === 1 && isJsonObject(only)) return fitsLineAsFields(only);
  return values.length <= LINE_FIELDS && values.every((value) => typeof value !== 'object' && value !== '');
}

function describePiece(piece: Content): readonly ResultPart[] {
  switch (piece.type) {
    case 'text': {
      const more = piece.kept ? [{ kind: 'note' as const, text: RESULT.goesOn(piece.kept.size) }] : [];
      const json = piece.kept ? null : parseJson(piece.text);
      if (json !== null) return [jsonBox(json), ...more];
      return piece.text.trim() === '' ? more : [{ kind: 'box', text: visible(piece.text) }, ...more];
    }
    case 'resource_link':
      return [{ kind: 'link', label: oneLine(visible(piece.title ?? piece.name)), uri: piece.uri }];
    case 'resource':
      if (piece.text !== undefined) return [{ kind: 'box', text: visible(piece.text) }];
      return [{ kind: 'note', text: RESULT.file(oneLine(visible(piece.uri))) }];
    case 'image':
    case 'audio':
      return [{ kind: 'note', text: RESULT.media[piece.type] }];
  }
}

/** A list of objects as a table, a list of texts with an item on each line, and anything else as a tree. */
function jsonBox(value: Json): ResultPart {
  const list = tableRows(value) ?? listLines(value);
  if (list !== null) return { kind: 'box', text: list };
  const shown = isBranch(value) ? visible(formatTree(value, () => null)) : visibleJson(JSON.stringify(value));
  return { kind: 'box', text: shown };
}

/** The value as text with aligned columns; null unless it is a list of flat objects, also as an object's only member. */
function tableRows(value: Json): string | null {
  const list = isJsonObject(value) ? onlyMember(value) : value;
  if (!Array.isArray(list) || list.length === 0 || list.length > ROWS) return null;
  const objects = list.filter(isJsonObject);
  const names = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  if (objects.length < list.length || names.length === 0 || names.length > COLUMNS) return null;
  const cells = objects.map((object) => names.map((name) => cellText(ownMember(object, name))));
  // A cut or nested value would say less than there is.
  if (cells.some((row) => row.includes(null))) return null;
  const rows = [names.map((name) => oneLine(visible(name))), ...cells];
  const widths = names.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (cell ?? '').padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A list of texts and numbers with an item on each line; null for any other value, or a text of several lines. */
function listLines(value: Json): string | null {
  const list = isJsonObject(value) ? onlyMember(value) : value;
  if (!Array.isArray(list) || list.length === 0 || list.length > ROWS) return null;
  const items = list.map((item) =>
    item === null || typeof item === 'object' ? null : visible(String(item)),
  );
  return items.some((item) => item === null || item === '' || item.includes('\n'))
    ? null
    : items.map((item) => `• ${item}`).join('\n');
}

function onlyMember(object: JsonObject): Json | undefined {
  const [only, ...others] = Object.values(object);
  return others.length === 0 ? only : undefined;
}

function ownMember(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function cellText(value: Json | undefined): string | null {
  if (value === undefined || value === null) return '';
  if (typeof value === 'object') return null;
  const words = visible(String(value));
  return words.includes('\n') || clip(words, CELL_LENGTH) !== words ? null : words;
}

function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}

/** Strings and blanks of a JSON text; what is between them is numbers, words and marks. */
const STRING_OR_BLANKS = /"(?:[^"\\]|\\.)*"|\s+/g;

/** A list or object in JSON; null for anything else, and where parsing loses some of it: digits, or a name given twice. */
function parseJson(text: string): Json | null {
  if (!isJson(text)) return null;
  try {
    const parsed: Json = JSON.parse(text);
    const rest = text.replaceAll(STRING_OR_BLANKS, (part) =>
      part.startsWith('"') ? JSON.stringify(JSON.parse(part)) : '',
    );
    return rest === JSON.stringify(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/** The most files of one call that people are shown: more would bury the thread. */
const MOST_FILES = 10;

/** A file from a tool's result, shown beside it. */
export interface AnsweredFile {
  readonly name: string;
  readonly title: string;
  readonly kept: Kept;
}

/** The files in a call's result: whatever is neither text nor a link. */
export function listFiles({ outcome, tool }: CallRecord): readonly AnsweredFile[] {
  if (outcome === null || outcome.status === 'in_doubt') return [];
  return outcome.content
    .flatMap((piece) => fileIn(piece, nameTool(tool)) ?? [])
    .slice(0, MOST_FILES)
    .map((file) => ({ ...file, title: clip(file.title, 200) }));
}

function fileIn(piece: Content, toolName: string): AnsweredFile | null {
  if (piece.type === 'text' || piece.type === 'resource_link' || piece.kept === undefined) return null;
  const { kept } = piece;
  const type = piece.mimeType ?? '';
  if (piece.type === 'resource' && piece.text !== undefined) return null;
  const own = piece.type === 'resource' ? nameIn(piece.uri) : null;
  const name = own ?? `${piece.type}.${EXTENSIONS.get(type.split(';')[0] ?? '') ?? 'bin'}`;
  return { name, title: own ?? `${toolName}: ${piece.type}`, kept };
}

/** File extensions that tell Slack and people what a file is; anything else is plain bytes. */
const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
  ['audio/wav', 'wav'],
  ['audio/mpeg', 'mp3'],
  ['audio/ogg', 'ogg'],
  ['audio/mp4', 'm4a'],
  ['application/pdf', 'pdf'],
  ['application/json', 'json'],
  ['application/zip', 'zip'],
  ['application/gzip', 'gz'],
  ['text/csv', 'csv'],
  ['text/plain', 'txt'],
]);

/** The file name in a resource's address, if its last part is a plain one. */
function nameIn(uri: string): string | null {
  const last = uri.split(/[?#]/)[0]?.split('/').at(-1) ?? '';
  return /^[\w.-]{1,100}$/.test(last) && last.includes('.') ? last : null;
}

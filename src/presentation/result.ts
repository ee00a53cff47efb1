import { type Content, type Outcome, repeatsStructured } from '../gate/types.ts';
import { isJsonObject, type Json, type JsonObject } from '../lib/json.ts';
import { clip, oneLine } from './text/clip.ts';
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

/** Whether there is more to a result than the one line that a card has of it. */
export function isLongerThanLine(outcome: Succeeded): boolean {
  if (shortTable(outcome) !== null) return true;
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

/** A result that is nothing but a short list of objects. */
export interface ShortTable {
  /** Aligned columns, for a box. */
  readonly text: string;
  readonly rows: number;
}

/** The result as a table that fits on a card; null for one that is anything else, or longer. */
export function shortTable({ content, structured }: Succeeded): ShortTable | null {
  const [only, ...others] = content;
  const isText = only?.type === 'text' && only.kept === undefined;
  const said = isText ? parseJson(only.text) : null;
  const isSame = structured === null || !isText || saysSame([only.text], structured);
  const isAll = others.length === 0 && (only === undefined || said !== null) && isSame;
  const text = isAll ? tableRows(structured ?? said ?? null) : null;
  if (text === null || text.length > CARD_LENGTH) return null;
  const rows = text.split('\n').length - 1;
  return rows > CARD_ROWS ? null : { text, rows };
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

/** A list of objects as a table, anything else as indented JSON. */
function jsonBox(value: Json): ResultPart {
  const table = tableRows(value);
  return { kind: 'box', text: table ?? visibleJson(JSON.stringify(value, null, 2)) };
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

import { marked } from 'marked';
import Papa from 'papaparse';
import { decodeHtml, decodeText } from '../../../lib/text/decode.ts';
import type { Block } from '../../ports.ts';
import { readHtmlText } from './html.ts';
import { type Reader, Unreadable } from './reader.ts';

/** A text has hardly any control characters; in compressed or binary data it's about every eighth. */
const MOST_CONTROLS = 1 / 20;
const SAMPLE_CHARACTERS = 100_000;
const FRONT_MATTER = /^---\n(.*?)\n---(?:\n|$)/s;

export const readText: Reader = (content) => ({
  title: null,
  pages: null,
  blocks: splitParagraphs(readLines(content)),
});

export const readMarkdown: Reader = (content) => {
  const text = readLines(content);
  const [whole, front] = FRONT_MATTER.exec(text) ?? ['', ''];
  const lines: Block[] = front ? [{ kind: 'text', text: front, page: null }] : [];
  const { title, blocks } = readMarkup(text.slice(whole.length));
  return { title, pages: null, blocks: [...lines, ...blocks] };
};

export const readHtml: Reader = (content) => readHtmlText(toLines(decodeHtml(content, null)));

export const readCsv: Reader = (content) => {
  // Excel's own way of naming the delimiter.
  const text = readLines(content).replace(/^sep=.\n/i, '');
  const { data } = Papa.parse<string[]>(text, {
    skipEmptyLines: 'greedy',
    delimitersToGuess: [',', ';', '\t', '|'],
  });
  return { title: null, pages: null, blocks: readRows(data, null) };
};

/** The table of a sheet, whose first row names its columns, after the lines that stand above it in one cell each. */
export function readRows(rows: readonly (readonly string[])[], page: number | null): Block[] {
  const filled = rows.filter((row) => row.some((cell) => cell.trim() !== ''));
  const isLine = (row: readonly string[]) => row.filter((cell) => cell.trim() !== '').length === 1;
  const found = filled.findIndex((row) => !isLine(row));
  const start = found < 0 ? filled.length : found;
  const lines = filled.slice(0, start).map((row) => row.join('').trim());
  // A single column is a table too.
  if (found < 0 && lines.length > 1) {
    return [{ kind: 'table', header: lines.slice(0, 1), rows: lines.slice(1).map((line) => [line]), page }];
  }
  const above = lines.map((text): Block => ({ kind: 'text', text, page }));
  const [header, ...rest] = filled.slice(start);
  return header ? [...above, { kind: 'table', header, rows: rest, page }] : above;
}

/** Through HTML, which Markdown may hold anyway. What nests too deep for its parser is read as plain text. */
function readMarkup(text: string): { title: string | null; blocks: readonly Block[] } {
  let html: string;
  try {
    html = marked.parse(text, { async: false });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { title: null, blocks: splitParagraphs(text) };
  }
  return readHtmlText(html);
}

function splitParagraphs(text: string): Block[] {
  return text.split(/\n[ \t]*\n\s*/).map((paragraph) => ({ kind: 'text', text: paragraph, page: null }));
}

/** A file's text. Throws if it's none. */
function readLines(content: Buffer): string {
  return toLines(decodeText(content, null));
}

/** What was decoded, with one kind of line ends. Throws if it's no text. */
function toLines(decoded: string): string {
  const text = decoded.replace(/\r\n?/g, '\n');
  const sample = text.slice(0, SAMPLE_CHARACTERS);
  const controls = sample.match(/(?![\n\t\f])\p{Cc}/gu)?.length ?? 0;
  if (controls > sample.length * MOST_CONTROLS || text.startsWith('%PDF-')) throw new Unreadable('broken');
  return text;
}

/**
 * Reads one document, in a process that is started for it: its content from standard input; its kind, the most pages that
 * it may have, and the milliseconds that it may take from the arguments. What it finds is written to descriptor 3, of which
 * libraries that print know nothing.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { splitText } from '../passages.ts';
import type { Block, DocumentKind, ParsedDocument, ParseProblem } from '../ports.ts';
import type { Line } from './lines.ts';
import { type Reader, Unreadable } from './readers/reader.ts';

const ROWS_PER_LINE = 100;
const LONGEST_TITLE = 300;
const LOW_PRIORITY = 10;

/** Each is loaded by itself: no file needs more than one of the libraries. */
const READERS: Readonly<Record<DocumentKind, () => Promise<Reader>>> = {
  markdown: async () => (await import('./readers/text.ts')).readMarkdown,
  text: async () => (await import('./readers/text.ts')).readText,
  html: async () => (await import('./readers/text.ts')).readHtml,
  csv: async () => (await import('./readers/text.ts')).readCsv,
  pdf: async () => (await import('./readers/pdf.ts')).readPdf,
  docx: async () => (await import('./readers/office.ts')).readDocx,
  xlsx: async () => (await import('./readers/office.ts')).readXlsx,
  pptx: async () => (await import('./readers/pptx.ts')).readPptx,
};

/** Besides those that have pages, what isn't empty has text to be read, or nothing was learned of it. */
const HAS_TEXT: ReadonlySet<string> = new Set<DocumentKind>(['docx', 'html']);

const [kind = '', maxPages, maxMs] = process.argv.slice(2);
// Whoever started this ends it in time, unless they are gone; here, nothing else runs while a library is busy.
new Worker(`setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${Number(maxMs)})`, {
  eval: true,
}).unref();
// What people wait for comes first.
setPriority(LOW_PRIORITY);
say({ line: 'started' });
try {
  const content = readFileSync(0);
  const document = await read(kind, content);
  tell(document, { hasText: document.pages !== null || (HAS_TEXT.has(kind) && content.length > 0) });
} catch (error) {
  say({ line: 'problem', problem: problemIn(error) });
}
process.exit(0);

async function read(name: string, content: Buffer): Promise<ParsedDocument> {
  if (!isKind(name)) throw new TypeError(`no reader for ${name}`);
  const reader = await READERS[name]();
  return await reader(content, {
    maxPages: Number(maxPages),
    onProgress: (done, all) => say({ line: 'progress', done, all }),
  });
}

function isKind(name: string): name is DocumentKind {
  return name in READERS;
}

function tell({ title, pages, blocks }: ParsedDocument, { hasText }: { readonly hasText: boolean }): void {
  if (pages !== null && pages > Number(maxPages)) throw new Unreadable('too_many_pages');
  const clean = blocks.flatMap((block) => splitBlock(cleanBlock(block)));
  if (hasText && clean.length === 0) throw new Unreadable('no_text');
  for (const block of clean) {
    say({ line: 'block', block: block.kind === 'table' ? { ...block, rows: [] } : block });
    for (let at = 0; block.kind === 'table' && at < block.rows.length; at += ROWS_PER_LINE) {
      say({ line: 'rows', rows: block.rows.slice(at, at + ROWS_PER_LINE) });
    }
  }
  const name = title === null ? '' : cleanText(title).replace(/\s+/g, ' ').slice(0, LONGEST_TITLE);
  say({ line: 'end', title: name.toWellFormed() || null, pages });
}

/** A long text in parts, which takes a while: here, where nobody waits for it. */
function splitBlock(block: Block | null): readonly Block[] {
  if (block?.kind !== 'text') return block === null ? [] : [block];
  return [...splitText(block.text)].map((text) => ({ ...block, text }));
}

/** The block as it may be stored and sent, null if nothing is left of it. */
function cleanBlock(block: Block): Block | null {
  if (block.kind !== 'table') {
    const text = cleanText(block.text);
    return text === '' ? null : { ...block, text };
  }
  const [header, ...rows] = [block.header, ...block.rows].map((row) => row.map(cleanText));
  const isEmpty = [header, ...rows].every((row) => row?.every((cell) => cell === ''));
  return isEmpty ? null : { ...block, header: header ?? [], rows };
}

/** Without control characters and halves of characters, which stores and models refuse. */
function cleanText(text: string): string {
  return text
    .replace(/\r\n?|[\f\v\x85]/g, '\n')
    .replace(/(?![\n\t])\p{Cc}/gu, '')
    .toWellFormed()
    .replace(/^\n+/, '')
    .trimEnd();
}

function problemIn(error: unknown): ParseProblem {
  if (error instanceof Unreadable) return error.problem;
  // Of the stack, of a text's length or of a buffer's; those of Node's own, which have a code, are about what is in the file.
  return error instanceof RangeError && !('code' in error) ? 'too_much' : 'broken';
}

function say(line: Line): void {
  writeFileSync(3, `${JSON.stringify(line)}\n`);
}

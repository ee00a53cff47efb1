import { setImmediate } from 'node:timers/promises';
import { estimateTokens } from '../lib/text/estimate-tokens.ts';
import type { Block, ParsedDocument } from './ports.ts';

/** A part of a document that is found, and cited, as one. */
interface Passage {
  /** The page, slide or sheet that it begins on; null where the document has none. */
  readonly page: number | null;
  /** The headings that it stands under, from the outermost on; empty where there are none. */
  readonly section: string;
  readonly text: string;
}

/** The most tokens of one passage, by our estimate. */
const MOST_TOKENS = 1_024;
/** Paragraphs of a section go together up to so many tokens: what is found then is about one thing. */
const FULL_TOKENS = 256;
/** How much of a heading stands with each passage below it, in characters. */
const LONGEST_HEADING = 300;
/** What one document may have: far more than one of 50 MB or 2,000 pages that somebody wrote. */
const MOST_PASSAGES = 100_000;
const MOST_CHARACTERS = 100_000_000;
/** How long others wait while passages are made, in milliseconds. */
const AT_ONCE_MS = 20;
/** Between the headings that a passage stands under. */
const UNDER = ' › ';

/**
 * The passages of a document: paragraphs that stand together under one heading, and tables whole, with their headers again
 * where one is too long for a passage.
 */
export function toPassages(document: Pick<ParsedDocument, 'blocks'>): readonly Passage[] {
  return [...eachPassage(document)];
}

/** As {@link toPassages}, with room for others in between; null where there are too many. */
export async function makePassages(
  document: Pick<ParsedDocument, 'blocks'>,
): Promise<readonly Passage[] | null> {
  const passages: Passage[] = [];
  let [characters, since] = [0, performance.now()];
  for (const passage of eachPassage(document)) {
    characters += passage.section.length + passage.text.length;
    if (passages.length >= MOST_PASSAGES || characters > MOST_CHARACTERS) return null;
    passages.push(passage);
    if (performance.now() - since < AT_ONCE_MS) continue;
    await setImmediate();
    since = performance.now();
  }
  return passages;
}

function* eachPassage({ blocks }: Pick<ParsedDocument, 'blocks'>): Generator<Passage> {
  const headings: string[] = [];
  let section = '';
  let begun: { page: number | null; texts: string[]; tokens: number } | null = null;
  const end = function* (): Generator<Passage> {
    if (begun) yield { page: begun.page, section, text: begun.texts.join('\n\n') };
    begun = null;
  };
  const add = function* (text: string, page: number | null): Generator<Passage> {
    const tokens = estimateTokens(text);
    // Who looks it up finds it on the page that is named.
    if (begun && (begun.tokens + tokens > FULL_TOKENS || begun.page !== page)) yield* end();
    begun ??= { page, texts: [], tokens: 0 };
    begun.texts.push(text);
    begun.tokens += tokens;
  };
  for (const [index, block] of blocks.entries()) {
    if (block.kind === 'heading') {
      yield* end();
      headings.length = Math.max(block.level - 1, 0);
      headings[block.level - 1] = clipHeading(block.text);
      section = headings.filter(Boolean).join(UNDER);
      // One with nothing below it is a text of its own.
      if (!isAbove(block, blocks[index + 1])) {
        for (const part of splitText(block.text)) yield* add(part, block.page);
        yield* end();
      }
    } else if (block.kind === 'text') {
      for (const part of splitText(block.text)) yield* add(part, block.page);
    } else {
      yield* end();
      for (const part of splitTable(block)) {
        yield* add(part, block.page);
        yield* end();
      }
    }
  }
  yield* end();
}

function clipHeading(text: string): string {
  return text.length <= LONGEST_HEADING ? text : `${text.slice(0, safeEnd(text, LONGEST_HEADING))}…`;
}

/** Whether a section is another one, or is under its heading. */
export function isWithin(section: string, other: string): boolean {
  return section === other || section.startsWith(`${other}${UNDER}`);
}

function isAbove(heading: Block & { readonly kind: 'heading' }, next: Block | undefined): boolean {
  return next !== undefined && (next.kind !== 'heading' || next.level > heading.level);
}

/** Longer texts don't fit into a passage whatever is in them, and aren't counted through, in characters. */
const SURELY_TOO_LONG = 100_000;
/** How far from its place the end of a line or sentence is looked for, in characters. */
const LOOKED_THROUGH = 4_000;

/** A text in parts that fit into a passage: after a line or a sentence where there is one, else anywhere. */
export function* splitText(text: string): Generator<string> {
  if (text.length <= SURELY_TOO_LONG && estimateTokens(text) <= MOST_TOKENS) {
    if (text.trim() !== '') yield text;
    return;
  }
  const at = findEnd(text) ?? safeEnd(text, Math.floor(text.length / 2));
  yield* splitText(text.slice(0, at).trimEnd());
  yield* splitText(text.slice(at));
}

/** Where a line, a sentence or a word ends, in the middle of a text; null where none does. */
function findEnd(text: string): number | null {
  const middle = text.length / 2;
  const from = Math.floor(middle * 0.75);
  const to = Math.min(Math.ceil(middle * 1.25), from + LOOKED_THROUGH);
  const near = text.slice(from, to);
  for (const end of [/\n+/, /(?<=[.!?。！？])\s+/, /\s+/]) {
    const found = end.exec(near);
    if (found && from + found.index + found[0].length > from) return from + found.index + found[0].length;
  }
  return null;
}

/** The place, or the one before, so that no pair of surrogates is split. */
function safeEnd(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code <= 0xdbff ? at - 1 : at;
}

function* splitTable({ header, rows }: Block & { readonly kind: 'table' }): Generator<string> {
  const head = header.length === 0 ? '' : `${toLine(header)}\n`;
  const room = head.length > SURELY_TOO_LONG ? 0 : MOST_TOKENS - estimateTokens(head);
  // A header that leaves no room for rows is no header.
  if (room < MOST_TOKENS / 2) {
    for (const row of [header, ...rows]) yield* splitText(toLine(row));
    return;
  }
  let [lines, tokens]: [string[], number] = [[], 0];
  let isFirst = true;
  for (const row of rows)
    for (const line of splitText(toLine(row))) {
      const more = estimateTokens(line) + 1;
      if (lines.length > 0 && tokens + more > room) {
        yield head + lines.join('\n');
        isFirst = false;
        [lines, tokens] = [[], 0];
      }
      lines.push(line);
      tokens += more;
    }
  if (lines.length > 0 || (head !== '' && isFirst)) yield (head + lines.join('\n')).trimEnd();
}

function toLine(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replace(/\s+/g, ' ').trim()).join(' | ')} |`;
}

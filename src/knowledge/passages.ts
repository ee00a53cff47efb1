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
/** Between the headings that a passage stands under. */
const UNDER = ' › ';

/**
 * The passages of a document: paragraphs that stand together under one heading, and tables whole, with their headers again
 * where one is too long for a passage.
 */
export function toPassages({ blocks }: Pick<ParsedDocument, 'blocks'>): readonly Passage[] {
  const passages: Passage[] = [];
  const headings: string[] = [];
  let begun: { page: number | null; texts: string[]; tokens: number } | null = null;
  const section = () => headings.filter(Boolean).join(UNDER);
  const end = () => {
    if (begun) passages.push({ page: begun.page, section: section(), text: begun.texts.join('\n\n') });
    begun = null;
  };
  const add = (text: string, page: number | null) => {
    const tokens = estimateTokens(text);
    // Who looks it up finds it on the page that is named.
    if (begun && (begun.tokens + tokens > FULL_TOKENS || begun.page !== page)) end();
    begun ??= { page, texts: [], tokens: 0 };
    begun.texts.push(text);
    begun.tokens += tokens;
  };
  for (const [index, block] of blocks.entries()) {
    if (block.kind === 'heading') {
      end();
      headings.length = Math.max(block.level - 1, 0);
      headings[block.level - 1] = block.text;
      // One with nothing below it is a text of its own.
      if (!isAbove(block, blocks[index + 1])) {
        add(block.text, block.page);
        end();
      }
    } else if (block.kind === 'text') {
      for (const part of splitText(block.text)) add(part, block.page);
    } else {
      end();
      for (const part of splitTable(block)) {
        add(part, block.page);
        end();
      }
    }
  }
  end();
  return passages;
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
export function splitText(text: string): readonly string[] {
  if (text.length <= SURELY_TOO_LONG && estimateTokens(text) <= MOST_TOKENS)
    return text.trim() === '' ? [] : [text];
  const at = findEnd(text) ?? safeEnd(text, Math.floor(text.length / 2));
  return [...splitText(text.slice(0, at).trimEnd()), ...splitText(text.slice(at))];
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

function splitTable({ header, rows }: Block & { readonly kind: 'table' }): readonly string[] {
  const head = header.length === 0 ? '' : `${toLine(header)}\n`;
  const room = MOST_TOKENS - estimateTokens(head);
  // A header that leaves no room for rows is no header.
  if (room < MOST_TOKENS / 2) return [header, ...rows].flatMap((row) => splitText(toLine(row)));
  const parts: string[] = [];
  let [lines, tokens]: [string[], number] = [[], 0];
  for (const line of rows.flatMap((row) => splitText(toLine(row)))) {
    const more = estimateTokens(line) + 1;
    if (lines.length > 0 && tokens + more > room) {
      parts.push(head + lines.join('\n'));
      [lines, tokens] = [[], 0];
    }
    lines.push(line);
    tokens += more;
  }
  if (lines.length > 0 || head !== '') parts.push((head + lines.join('\n')).trimEnd());
  return parts;
}

function toLine(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replace(/\s+/g, ' ').trim()).join(' | ')} |`;
}

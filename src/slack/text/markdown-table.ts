import type { TableBlock } from '@slack/types';
import type { Token, Tokens } from 'marked';
import { clip, oneLine } from '../../presentation/text/clip.ts';
import { weight } from './markdown-split.ts';

/** Slack takes 100 rows in a table, header included, and 20 columns. */
const MAX_ROWS = 100;
const MAX_COLUMNS = 20;
const CELL_LENGTH = 400;

/** A part of a table that fits one message. */
interface TablePart {
  readonly block: TableBlock;
  /** The cells as text, for notifications. */
  readonly text: string;
}

/**
 * Splits a table into parts of at most `limit` characters, each with the header; null for too many columns.
 */
export function tableParts(table: Tokens.Table, limit: number): TablePart[] | null {
  if (table.header.length > MAX_COLUMNS) return null;
  const header = table.header.map(cellText);
  const alignment = table.align.map((align) => ({ align: align ?? 'left', is_wrapped: true }) as const);
  const parts: string[][][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const row of table.rows.map((cells) => cells.map(cellText))) {
    const part = parts.at(-1);
    size += rowWeight(row);
    if (part !== undefined && size <= limit && part.length < MAX_ROWS) part.push(row);
    else {
      parts.push([header, row]);
      size = rowWeight(header) + rowWeight(row);
    }
  }
  return (parts.length === 0 ? [[header]] : parts).map((rows) => ({
    block: { type: 'table', rows: rows.map((row) => row.map(cell)), column_settings: alignment },
    text: rows.map((row) => row.join(' · ')).join('\n'),
  }));
}

function cell(text: string): { type: 'raw_text'; text: string } {
  return { type: 'raw_text', text };
}

function rowWeight(row: readonly string[]): number {
  return row.reduce((sum, text) => sum + weight(text), 0);
}

/** A cell's text. Never empty, since Slack refuses that. */
function cellText({ tokens }: Tokens.TableCell): string {
  return clip(oneLine(inlineText(tokens)), CELL_LENGTH) || ' ';
}

/** Inline markdown as plain text; a link keeps its address. */
function inlineText(tokens: readonly Token[]): string {
  return tokens.map(tokenText).join('');
}

function tokenText(token: Token): string {
  if (token.type === 'link' && 'href' in token && !isAddress(token.text, token.href))
    return `${token.text} (${token.href})`;
  if (token.type === 'br') return ' ';
  if ('tokens' in token && token.tokens !== undefined) return inlineText(token.tokens);
  return 'text' in token ? token.text : token.raw;
}

/** Whether a link's text is its own address, so that showing both would repeat it. */
function isAddress(words: string, href: string): boolean {
  return ['', 'mailto:', 'http://', 'https://'].some((scheme) => href === `${scheme}${words}`);
}

import type { KnownBlock } from '@slack/types';
import { marked, type Token, type Tokens } from 'marked';
import { oneLine } from '../../presentation/text/clip.ts';
import type { Message } from './block-kit.ts';
import { answerText, notification } from './escape.ts';
import { splitLines, weight } from './markdown-split.ts';
import { tableParts } from './markdown-table.ts';

/** A markdown block holds 12,000 characters and a message fails near 13,200: this leaves room for both. */
const MESSAGE_LENGTH = 11_000;
/** Slack takes 10,000 characters in all tables of a message together. */
const TABLE_LENGTH = 9000;
/** An indivisible piece: markdown, or a table with its text. */
type Piece =
  | { readonly kind: 'markdown'; readonly source: string }
  | { readonly kind: 'table'; readonly block: KnownBlock; readonly text: string };

/**
 * The model's answer as messages within Slack's limits. It is split between paragraphs, list items and lines;
 * tables become `table` blocks, one per message, which is all Slack takes. It mentions nobody. Empty for an
 * answer without text.
 */
export function markdownMessages(markdown: string): Message<KnownBlock>[] {
  const tokens = marked.lexer(answerText(markdown));
  return packed(tokens.flatMap(splitBlocks)).flatMap(toMessage);
}

function splitBlocks(token: Token): Piece[] {
  if (isTable(token)) {
    const parts = tableParts(token, TABLE_LENGTH);
    if (parts !== null) return parts.map(({ block, text }) => ({ kind: 'table', block, text }));
    return sources(`\`\`\`\n${token.raw.trimEnd()}\n\`\`\`\n`);
  }
  if (isList(token) && weight(token.raw) > MESSAGE_LENGTH)
    return token.items.flatMap(({ raw }) => sources(ended(raw)));
  return sources(token.raw);
}

function sources(markdown: string): Piece[] {
  return splitLines(markdown, MESSAGE_LENGTH).map((source) => ({ kind: 'markdown', source }));
}

function ended(raw: string): string {
  return raw.endsWith('\n') ? raw : `${raw}\n`;
}

/** Packs as many pieces into each message as fit. */
function packed(pieces: readonly Piece[]): Piece[][] {
  const messages: Piece[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const piece of pieces) {
    const message = messages.at(-1);
    length += totalWeight(piece);
    const second = piece.kind === 'table' && message?.some(({ kind }) => kind === 'table');
    if (message !== undefined && length <= MESSAGE_LENGTH && !second) {
      message.push(piece);
    } else {
      messages.push([piece]);
      length = totalWeight(piece);
    }
  }
  return messages;
}

function totalWeight(piece: Piece): number {
  return weight(piece.kind === 'table' ? piece.text : piece.source);
}

function toMessage(pieces: readonly Piece[]): Message<KnownBlock>[] {
  const blocks: KnownBlock[] = [];
  let source = '';
  for (const piece of pieces) {
    if (piece.kind === 'markdown') {
      source += piece.source;
      continue;
    }
    blocks.push(...markdownBlocks(source), piece.block);
    source = '';
  }
  blocks.push(...markdownBlocks(source));
  const words = oneLine(
    pieces.map((piece) => (piece.kind === 'table' ? piece.text : piece.source)).join('\n'),
  );
  return blocks.length === 0 ? [] : [{ text: notification(words), blocks }];
}

function markdownBlocks(source: string): KnownBlock[] {
  return source.trim() === '' ? [] : [{ type: 'markdown', text: source.replace(/^\n+/, '').trimEnd() }];
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === 'table' && 'header' in token && 'rows' in token;
}

function isList(token: Token): token is Tokens.List {
  return token.type === 'list' && 'items' in token;
}

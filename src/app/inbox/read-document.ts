import { createParseFile } from '../../knowledge/index.ts';
import type { Block } from '../../knowledge/ports.ts';
import { createTurns } from '../../lib/turns.ts';
import type { ReadDocument } from '../../mcp/ports.ts';
import { DOCUMENT_PROBLEMS } from '../texts/inbox.ts';

/** What one may cost while somebody waits for it: less than a document that is learned. */
const LIMITS = { milliseconds: 20_000, memoryBytes: 512 * 1024 * 1024, outputBytes: 8 * 1024 * 1024 };
const KINDS = { '.pdf': 'pdf', '.docx': 'docx', '.xlsx': 'xlsx', '.pptx': 'pptx' } as const;

/** Reads what is attached to mails as documents are read that are learned, in a process of its own: one at a time. */
export function createReadDocument(): ReadDocument {
  const parse = createParseFile(LIMITS);
  const inTurn = createTurns();
  return (end, content) =>
    inTurn('document', async () => {
      const read = await parse(content, KINDS[end]);
      if (!read.ok) return { problem: DOCUMENT_PROBLEMS[read.problem] };
      return { text: read.document.blocks.map(toText).join('\n\n') };
    });
}

function toText(block: Block): string {
  if (block.kind !== 'table') return block.text;
  return [block.header, ...block.rows].map((row) => row.join(' | ')).join('\n');
}

import { createParseFile } from '../../knowledge/index.ts';
import type { Block } from '../../knowledge/ports.ts';
import { FairSlots } from '../../lib/slots/fair-slots.ts';
import type { ReadDocument } from '../../mcp/ports.ts';
import { DOCUMENT_PROBLEMS } from '../texts/inbox.ts';

/** What one may cost while somebody waits for it: less than a document that is learned. */
const LIMITS = { milliseconds: 20_000, memoryBytes: 512 * 1024 * 1024, outputBytes: 8 * 1024 * 1024 };
const KINDS = { '.pdf': 'pdf', '.docx': 'docx', '.xlsx': 'xlsx', '.pptx': 'pptx' } as const;
/** How many are read at a time in this process: of each reader one, as slots are shared out fairly. */
const AT_ONCE = 2;

/**
 * Makes readers, one for each mailbox or account: they read what is attached to mails as documents are read that are learned, in a
 * process of its own. Each reads one at a time, and one's slow documents don't hold up another's.
 */
export function createDocumentReaders(parse = createParseFile(LIMITS)): () => ReadDocument {
  const slots = new FairSlots(AT_ONCE);
  let readers = 0;
  return () => {
    readers += 1;
    const owner = String(readers);
    return async (end, content) => {
      const release = await slots.acquire({ owner });
      try {
        const read = await parse(content, KINDS[end]);
        if (!read.ok) return { problem: DOCUMENT_PROBLEMS[read.problem] };
        return { text: read.document.blocks.map(toText).join('\n\n') };
      } finally {
        release();
      }
    };
  };
}

function toText(block: Block): string {
  if (block.kind !== 'table') return block.text;
  return [block.header, ...block.rows].map((row) => row.join(' | ')).join('\n');
}

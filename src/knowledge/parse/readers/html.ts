import { readHtml } from '../../../lib/text/html.ts';
import type { ParsedDocument } from '../../ports.ts';

/** What a page shows, as a document. */
export function readHtmlText(html: string): ParsedDocument {
  const { title, blocks } = readHtml(html);
  return { title, pages: null, blocks: blocks.map((block) => ({ ...block, page: null })) };
}

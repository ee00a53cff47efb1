import { readHtml } from '../../../lib/text/html.ts';
import type { ParsedDocument } from '../../ports.ts';

/** What a page shows, as a document. It's read in a process whose time and memory are watched, however deep it is. */
export function readHtmlText(html: string): ParsedDocument {
  const { title, blocks } = readHtml(html, { deepest: Number.POSITIVE_INFINITY });
  return { title, pages: null, blocks: blocks.map((block) => ({ ...block, page: null })) };
}

import { getDocumentProxy, getResolvedPDFJS } from 'unpdf';
import type { Block } from '../../ports.ts';
import { type Line, readLines } from './pdf-lines.ts';
import { findTables } from './pdf-tables.ts';
import { type Reader, Unreadable } from './reader.ts';

/** How much larger than the rest a heading is written. */
const HEADING_SCALE = 1.15;
const LONGEST_HEADING = 200;
const DEEPEST_HEADING = 6;
/** How much more than the usual there is between lines of two paragraphs, and between those of two headings. */
const PARAGRAPH_SCALE = 1.3;
const HEADINGS_SCALE = 2;
/** Where its end is named, as it must be, with what mail and web servers may have put after it. */
const TAIL_BYTES = 64 * 1024;

/** PDF: paragraphs by the gaps between lines, headings by the size of their letters, tables by what stands in columns. */
export const readPdf: Reader = async (content, { maxPages, onProgress }) => {
  if (!content.includes('startxref', Math.max(0, content.length - TAIL_BYTES)))
    throw new Unreadable('broken');
  const pdf = await openPdf(content);
  const pages = pdf.numPages;
  if (pages > maxPages) throw new Unreadable('too_many_pages');
  const lines: Line[] = [];
  for (let number = 1; number <= pages; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    for (const line of readLines(
      items.flatMap((item) => ('str' in item ? item : [])),
      number,
    ))
      lines.push(line);
    page.cleanup();
    onProgress(number, pages);
  }
  const { info } = await pdf.getMetadata();
  const title = 'Title' in info && typeof info.Title === 'string' ? info.Title.trim() : '';
  return { title: title || null, pages, blocks: joinLines(lines) };
};

async function openPdf(content: Buffer) {
  const { PasswordException } = await getResolvedPDFJS();
  try {
    return await getDocumentProxy(new Uint8Array(content), {
      // Nothing is drawn, so no font is loaded.
      disableFontFace: true,
      useSystemFonts: false,
      verbosity: 0,
    });
  } catch (error) {
    throw error instanceof PasswordException ? new Unreadable('encrypted') : error;
  }
}

function joinLines(lines: readonly Line[]): Block[] {
  const body = mostFrequent(lines.map(({ size, text }) => [size, text.length]));
  const isHeading = ({ size, text }: Line) =>
    size >= body * HEADING_SCALE && text.length <= LONGEST_HEADING && /[\p{L}\p{N}]/u.test(text);
  const sizes = [...new Set(lines.filter(isHeading).map(({ size }) => size))].sort(
    (one, other) => other - one,
  );
  const gapBefore = (index: number) => (lines[index - 1]?.y ?? 0) - (lines[index]?.y ?? 0);
  // Lines that go on are long.
  const gap = mostFrequent(
    lines.map(({ size }, at) => [
      Math.round(gapBefore(at)),
      size === body ? (lines[at - 1]?.text.length ?? 0) : 0,
    ]),
  );
  const tables = findTables(lines);
  const blocks: Block[] = [];
  let text = '';
  let tableEnd = 0;
  for (const [index, line] of lines.entries()) {
    const found = tables.get(index);
    if (found) {
      blocks.push(found.table);
      tableEnd = index + found.length;
    }
    if (index < tableEnd) continue;
    const next = tables.has(index + 1) ? undefined : lines[index + 1];
    text += line.text;
    const level = isHeading(line) ? Math.min(sizes.indexOf(line.size) + 1, DEEPEST_HEADING) : null;
    const most = level === null ? Math.max(gap, line.size) * PARAGRAPH_SCALE : line.size * HEADINGS_SCALE;
    const below = gapBefore(index + 1);
    const isSame = next?.page === line.page && (level === null ? !isHeading(next) : next.size === line.size);
    // Above it is another column.
    if (next && isSame && below > 0 && below <= most) {
      // A word that was divided at the end of the line.
      const isDivided = /\p{L}-$/u.test(line.text) && /^\p{Ll}/u.test(next.text);
      text = isDivided ? text.slice(0, -1) : `${text} `;
      continue;
    }
    const { page } = line;
    blocks.push(level === null ? { kind: 'text', text, page } : { kind: 'heading', level, text, page });
    text = '';
  }
  return blocks;
}

/** The number that weighs most. */
function mostFrequent(numbers: readonly (readonly [number: number, weight: number])[]): number {
  const weights = new Map<number, number>();
  for (const [number, weight] of numbers) weights.set(number, (weights.get(number) ?? 0) + weight);
  const [best] = [...weights].sort(([, one], [, other]) => other - one);
  return best?.[0] ?? 0;
}

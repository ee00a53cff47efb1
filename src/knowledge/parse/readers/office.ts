import mammoth from 'mammoth';
import readWorkbook from 'read-excel-file/universal';
import type { Block } from '../../ports.ts';
import { readHtmlText } from './html.ts';
import type { Reader } from './reader.ts';
import { readRows } from './text.ts';
import { unpack } from './zip.ts';

/** Where a workbook's days begin to be counted: what is there is a time, or a number of hours. */
const FIRST_DAY = Date.UTC(1899, 11, 30);
const MINUTE_MS = 60_000;
/** What leads from a note back to its place, which says nothing. */
const BACK_LINK = /<a href="#(?:footnote|endnote)-ref-[^"]*">↑<\/a>/g;

/** Word documents. */
export const readDocx: Reader = async (content) => {
  await unpack(content);
  const { value } = await mammoth.convertToHtml(
    { buffer: content },
    {
      styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"],
      // Pictures aren't read, let alone those that are elsewhere.
      convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
      externalFileAccess: false,
    },
  );
  return readHtmlText(value.replace(BACK_LINK, ''));
};

/** Excel's workbooks: a heading and a table for each sheet that has anything in it. */
export const readXlsx: Reader = async (content) => {
  await unpack(content);
  const sheets = await readWorkbook(new Blob([new Uint8Array(content)]));
  const blocks = sheets.flatMap(({ sheet, data }, index): Block[] => {
    const page = index + 1;
    const table = readRows(
      data.map((row) => row.map(formatCell)),
      page,
    );
    return table.length > 0 ? [{ kind: 'heading', level: 1, text: sheet, page }, ...table] : [];
  });
  return { title: null, pages: sheets.length, blocks };
};

function formatCell(cell: unknown): string {
  if (cell === null) return '';
  if (!(cell instanceof Date)) return String(cell);
  const minutes = Math.round((cell.getTime() - FIRST_DAY) / MINUTE_MS);
  if (cell.getTime() < Date.UTC(1900, 0, 1) && minutes >= 0)
    return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
  // A workbook doesn't know time zones: the library gives its times as if they were in UTC.
  return cell
    .toISOString()
    .replace('T00:00:00.000Z', '')
    .replace(/\.000Z$/, '');
}

import { constants, crc32, deflateRawSync } from 'node:zlib';

/** A file of an archive, with what its headers say of it. */
interface ZipEntry {
  /** As it's stored: deflated. */
  readonly data: Buffer;
  readonly size: number;
  readonly crc: number;
  readonly flags: number;
}

/** A zip archive, written by hand, so that its headers may say what isn't so. */
export function makeZip(files: Readonly<Record<string, string | Buffer | ZipEntry>>): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [name, file] of Object.entries(files)) {
    const { data, size, crc, flags } =
      typeof file === 'string' || Buffer.isBuffer(file) ? zipEntry(Buffer.from(file)) : file;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc, 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(size, 18);
    common.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), data]);
    central.push(
      Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, place, Buffer.from(name)]),
    );
    locals.push(local);
    offset += local.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(central.length, 8);
  end.writeUInt16LE(central.length, 10);
  end.writeUInt32LE(Buffer.concat(central).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, ...central, end]);
}

export function zipEntry(content: Buffer): ZipEntry {
  return { data: deflateRawSync(content), size: content.length, crc: crc32(content), flags: 0 };
}

/** So many times 10 MB of zeros. */
export function zeros(times: number): ZipEntry {
  const piece = deflateRawSync(Buffer.alloc(10_000_000), { finishFlush: constants.Z_FULL_FLUSH });
  const data = Buffer.concat([...Array<Buffer>(times).fill(piece), deflateRawSync(Buffer.alloc(0))]);
  return { data, size: times * 10_000_000, crc: 0, flags: 0 };
}

/** A line of a page: what it says, and the size of its letters. Null leaves a line empty. */
type PdfLine = string | { readonly text: string; readonly size: number } | null;

/** A PDF of such pages; with a password that nobody knows, if it's asked for. */
export function makePdf(
  pages: readonly (readonly PdfLine[])[],
  { title, isEncrypted = false }: { readonly title?: string; readonly isEncrypted?: boolean } = {},
): Buffer {
  const first = 5;
  const kids = pages.map((_, index) => `${first + index * 2} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] /MediaBox [0 0 612 792] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    isEncrypted
      ? `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${'5a'.repeat(32)}> /U <${'a5'.repeat(32)}> >>`
      : `<< /Title (${title ?? ''}) >>`,
    ...pages.flatMap((lines, index) => {
      const content = drawLines(lines);
      return [
        `<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 3 0 R >> >> /Contents ${first + index * 2 + 1} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const use = isEncrypted ? `/Encrypt 4 0 R /ID [<00> <00>]` : '/Info 4 0 R';
  return Buffer.from(
    `${text}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}` +
      `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${use} >>\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  );
}

function drawLines(lines: readonly PdfLine[]): string {
  let y = 740;
  return lines
    .map((line) => {
      const { text, size } =
        typeof line === 'string' ? { text: line, size: 11 } : (line ?? { text: '', size: 8 });
      y -= size * 1.25;
      return text === '' ? '' : `BT /F1 ${size} Tf 72 ${y} Td (${text.replace(/[()\\]/g, '\\$&')}) Tj ET`;
    })
    .join('\n');
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

function relations(targets: Readonly<Record<string, readonly [type: string, target: string]>>): string {
  const items = Object.entries(targets).map(
    ([id, [type, target]]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `${XML}<Relationships xmlns="${RELATIONSHIPS}">${items.join('')}</Relationships>`;
}

const CONTENT_TYPES = `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>`;
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

/** A Word document of this body, in which `Title` and `Heading1` are styles; and what else is in its archive. */
export function makeDocx(body: string, others: Readonly<Record<string, Buffer | ZipEntry>> = {}): Buffer {
  const styles = ['Title', 'Heading1'].map(
    (id) =>
      `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${id.replace('1', ' 1')}"/></w:style>`,
  );
  return makeZip({
    '[Content_Types].xml': CONTENT_TYPES,
    '_rels/.rels': relations({ r1: ['officeDocument', 'word/document.xml'] }),
    'word/_rels/document.xml.rels': relations({ r1: ['styles', 'styles.xml'] }),
    'word/document.xml': `${XML}<w:document xmlns:w="${WORD}"><w:body>${body}</w:body></w:document>`,
    'word/styles.xml': `${XML}<w:styles xmlns:w="${WORD}">${styles.join('')}</w:styles>`,
    ...others,
  });
}

/** A paragraph of a Word document. */
export function wordParagraph(text: string, style?: string): string {
  const properties = style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${properties}<w:r><w:t>${text}</w:t></w:r></w:p>`;
}

/** A workbook. Numbers in an object are days since 1900, shown as dates. */
export function makeXlsx(
  sheets: Readonly<Record<string, readonly (readonly (string | number | { date: number } | null)[])[]>>,
): Buffer {
  const names = Object.keys(sheets);
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const cell = (value: string | number | { date: number } | null, at: string) => {
    if (value === null) return '';
    if (typeof value === 'string') return `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`;
    return typeof value === 'number'
      ? `<c r="${at}"><v>${value}</v></c>`
      : `<c r="${at}" s="1"><v>${value.date}</v></c>`;
  };
  const files = Object.entries(sheets).map(([, rows], sheet) => {
    const xml = rows.map((row, y) => {
      const cells = row.map((value, x) => cell(value, `${String.fromCharCode(65 + x)}${y + 1}`));
      return `<row r="${y + 1}">${cells.join('')}</row>`;
    });
    return [
      `xl/worksheets/sheet${sheet + 1}.xml`,
      `${XML}<worksheet xmlns="${main}"><sheetData>${xml.join('')}</sheetData></worksheet>`,
    ];
  });
  const listed = names.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="s${at + 1}"/>`);
  return makeZip({
    '[Content_Types].xml': CONTENT_TYPES,
    '_rels/.rels': relations({ r1: ['officeDocument', 'xl/workbook.xml'] }),
    'xl/_rels/workbook.xml.rels': relations({
      ...Object.fromEntries(
        names.map((_, at) => [`s${at + 1}`, ['worksheet', `worksheets/sheet${at + 1}.xml`]]),
      ),
      styles: ['styles', 'styles.xml'],
    }),
    'xl/workbook.xml': `${XML}<workbook xmlns="${main}" xmlns:r="${OFFICE}"><sheets>${listed.join('')}</sheets></workbook>`,
    'xl/styles.xml': `${XML}<styleSheet xmlns="${main}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    ...Object.fromEntries(files),
  });
}

/** A slide, by the XML of its shapes; its file's number need not be its place. */
interface MadeSlide {
  readonly number: number;
  readonly shapes: string;
  readonly notes?: string;
}

const SLIDE_NAMES = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="${OFFICE}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"`;

/** A presentation of such slides, in this order. */
export function makePptx(slides: readonly MadeSlide[]): Buffer {
  const tree = (root: string, shapes: string) =>
    `${XML}<p:${root} ${SLIDE_NAMES}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:${root}>`;
  const ids = slides.map(({ number }) => `<p:sldId id="${255 + number}" r:id="r${number}"/>`);
  return makeZip({
    '[Content_Types].xml': CONTENT_TYPES,
    '_rels/.rels': relations({ r1: ['officeDocument', 'ppt/presentation.xml'] }),
    'ppt/presentation.xml': `${XML}<p:presentation ${SLIDE_NAMES}><p:sldIdLst>${ids.join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      Object.fromEntries(
        slides.map(({ number }) => [`r${number}`, ['slide', `slides/slide${number}.xml`] as const]),
      ),
    ),
    ...Object.fromEntries(
      slides.flatMap(({ number, shapes, notes }) => [
        [`ppt/slides/slide${number}.xml`, tree('sld', shapes)],
        ...(notes === undefined
          ? []
          : [
              [`ppt/notesSlides/notesSlide${number}.xml`, tree('notes', notes)],
              [
                `ppt/slides/_rels/slide${number}.xml.rels`,
                relations({ r1: ['notesSlide', `../notesSlides/notesSlide${number}.xml`] }),
              ],
            ]),
      ]),
    ),
  });
}

/** A shape of a slide, with its place on it (`title`, `body`, `sldNum`, …). */
export function slideShape(type: string, ...paragraphs: readonly string[]): string {
  const texts = paragraphs.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`);
  return `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:txBody>${texts.join('')}</p:txBody></p:sp>`;
}

/** A table of a slide, whose first row is marked as its header. */
export function slideTable(rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[]) =>
    row.map((text) => `<a:tc><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`).join('');
  const lines = rows.map((row) => `<a:tr>${cells(row)}</a:tr>`).join('');
  return `<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tblPr firstRow="1"/>${lines}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`;
}

/** Microsoft's compound file, in which documents with a password are kept: enough of it to be known as one. */
export function makeCompoundFile(stream: string): Buffer {
  return Buffer.concat([
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    Buffer.alloc(1016),
    Buffer.from(stream, 'utf16le'),
    Buffer.alloc(512),
  ]);
}

/** One document, as text. */
export interface Document {
  /** Its path within the folder, by which it's asked for. */
  readonly name: string;
  readonly kind: 'markdown' | 'text' | 'csv' | 'html';
  readonly title: string | null;
  readonly lines: readonly string[];
  readonly passages: readonly Passage[];
}

/** A part of a document that is found as one. */
export interface Passage {
  readonly id: string;
  readonly name: string;
  /** The headings that it stands under, from the outermost on; empty where there are none. */
  readonly heading: string;
  /** Its first line, counted from 1. */
  readonly line: number;
  readonly text: string;
}

/** Rows of a table in one passage. */
const ROWS = 20;
/** The longest passage, in lines. */
const LINES = 30;

/** The lines of a document and its title, if it has one. */
export function readText(kind: Document['kind'], content: string): Pick<Document, 'lines' | 'title'> {
  const title = kind === 'html' ? htmlTitle(content) : null;
  const lines = (kind === 'html' ? htmlToText(content) : content).replace(/^\ufeff/, '').split(/\r?\n/);
  const first = lines.find((line) => line.trim() !== '');
  const heading = kind === 'csv' ? null : (first?.replace(/^#+\s*/, '').trim() ?? null);
  return { lines, title: title ?? heading };
}

/** The passages of a document: what stands between headings and empty lines, or some rows of a table with its header. */
export function readPassages(
  name: string,
  kind: Document['kind'],
  { lines }: Pick<Document, 'lines'>,
): Passage[] {
  const passage = (line: number, heading: string, text: readonly string[]): Passage => {
    return { id: `${name}:${line}`, name, heading, line, text: text.join('\n').trim() };
  };
  if (kind === 'csv') {
    const [header = '', ...rows] = lines.filter((line) => line.trim() !== '');
    const starts = Array.from({ length: Math.ceil(rows.length / ROWS) }, (_, index) => index * ROWS);
    return starts.map((start) => passage(start + 2, '', [header, ...rows.slice(start, start + ROWS)]));
  }
  const passages: Passage[] = [];
  const headings: string[] = [];
  let begun: { line: number; text: string[] } | null = null;
  const end = () => {
    if (begun !== null) passages.push(passage(begun.line, headings.filter(Boolean).join(' › '), begun.text));
    begun = null;
  };
  for (const [index, line] of lines.entries()) {
    const heading = /^(#{1,6})\s+(.+)$/.exec(line);
    if (heading !== null || line.trim() === '' || (begun !== null && begun.text.length >= LINES)) end();
    if (heading !== null) {
      headings.length = heading[1]?.length ?? 1;
      headings[headings.length - 1] = heading[2]?.trim() ?? '';
    } else if (line.trim() !== '') {
      begun ??= { line: index + 1, text: [] };
      begun.text.push(line);
    }
  }
  end();
  return passages;
}

function htmlTitle(html: string): string | null {
  const title = /<title[^<>]*>([^<]*)<\/title>/i.exec(html)?.[1];
  return title === undefined ? null : decodeEntities(title).trim() || null;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  euro: '€',
  ldquo: '“',
  rdquo: '”',
  lsquo: '‘',
  rsquo: '’',
  ndash: '–',
  mdash: '—',
  hellip: '…',
};

/** A page's text, a line for each block; headings as in Markdown, so that passages know them. */
function htmlToText(html: string): string {
  const text = html
    .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
    .replace(/<(script|style|title|head|template|noscript)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, '')
    .replace(/\s+/g, ' ')
    .replace(/<h([1-6])\b[^<>]*>/gi, (_, level: string) => `\n\n${'#'.repeat(Number(level))} `)
    .replace(/<(?:\/h[1-6]|\/?p|\/?ul|\/?ol|\/?table|\/?section|\/?div)\b[^<>]*>/gi, '\n\n')
    .replace(/<(?:br|li|tr)\b[^<>]*>/gi, '\n')
    .replace(/<\/t[dh]\b[^<>]*>/gi, '\t')
    .replace(/<[^<>]*>/g, '');
  const lines = decodeEntities(text)
    .split('\n')
    .map((line) => line.trim());
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,8}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

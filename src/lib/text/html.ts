import { Parser } from 'htmlparser2';

type HtmlBlock =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  /** `header` is empty where the table has none. */
  | {
      readonly kind: 'table';
      readonly header: readonly string[];
      readonly rows: readonly (readonly string[])[];
    };

interface HtmlPage {
  readonly title: string | null;
  readonly blocks: readonly HtmlBlock[];
}

/** What decides which elements and texts are shown, besides those that never are; told of all that is opened and closed. */
export interface HtmlVisibility {
  /** Whether an element is shown that is opened. */
  open(name: string, attributes: Readonly<Record<string, string>>): boolean;
  /** Whether this text of the innermost element is shown; asked for hidden ones too, as for style sheets. */
  shows(text: string): boolean;
  close(): void;
}

const UNSEEN = new Set(['script', 'style', 'template', 'noscript', 'svg', 'iframe', 'object', 'datalist']);
const UNSEEN_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d]*[1-9])/i;
const BY_ATTRIBUTES: HtmlVisibility = {
  open: (_name, { style = '' }) => !UNSEEN_STYLE.test(style),
  shows: () => true,
  close: () => {},
};
/** Elements that begin a line of their own. */
const LINES = new Set(
  `address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form
  h1 h2 h3 h4 h5 h6 header hr html legend li main nav ol option p pre section summary table tbody td tfoot th thead tr ul`.split(
    /\s+/,
  ),
);
const LISTS = new Set(['ul', 'ol', 'dl']);
const DEEPEST_INDENT = 8;
const WIDEST_CELL = 100;
/** How many empty cells stand for those that others are as wide as, in a page. */
const MOST_FILLED = 20_000;
/** No page that people write is as deep. */
const DEEPEST = 1_000;
/** How much is parsed before that is looked at, in characters. */
const PIECE = 8_192;

/**
 * The headings, paragraphs, lists and tables of a page, as it's shown: without scripts, styles, and what its own attributes
 * hide. What a style sheet hides isn't known to be hidden. A list is one text, a line for each item; a table within a table
 * is text of its cell. It ends where more than `deepest` elements are in one another: the parser takes long for each that is opened
 * below many.
 */
export function readHtml(
  html: string,
  { deepest = DEEPEST, visibility = BY_ATTRIBUTES }: { deepest?: number; visibility?: HtmlVisibility } = {},
): HtmlPage {
  const reader = new HtmlReader(visibility);
  const parser = new Parser({
    onopentag: (name, attributes) => reader.open(name, attributes),
    ontext: (text) => reader.write(text),
    onclosetag: (name) => reader.close(name),
  });
  for (let at = 0; at < html.length && reader.depth <= deepest; at += PIECE)
    parser.write(html.slice(at, at + PIECE));
  parser.end();
  return reader.end();
}

/** What HTML shows, as plain text. */
export function htmlToText(html: string): string {
  return pageToText(readHtml(html));
}

/** A page as plain text: paragraphs with a blank line between them, tables as lines. */
export function pageToText({ blocks }: HtmlPage): string {
  const row = (cells: readonly string[]) => cells.join(' | ');
  const texts = blocks.map((block) =>
    block.kind === 'table'
      ? [block.header, ...block.rows]
          .filter((cells) => cells.length > 0)
          .map(row)
          .join('\n')
      : block.text,
  );
  return texts.join('\n\n');
}

interface Row {
  readonly cells: string[];
  isHeader: boolean;
}

class HtmlReader {
  readonly #blocks: HtmlBlock[] = [];
  readonly #text = new TextCollector();
  readonly #visibility: HtmlVisibility;
  #depth = 0;
  #filled = 0;
  /** Elements that are open within an unseen one, with itself. */
  #unseen = 0;
  #heading: number | null = null;
  #lists = 0;
  #pre = 0;
  #tables = 0;
  /** LibreOffice writes the cells of a header as it does all others, and says what they are around them. */
  #isHead = false;
  #rows: Row[] = [];
  #cell: { readonly span: number } | null = null;
  #title: string | null = null;

  constructor(visibility: HtmlVisibility) {
    this.#visibility = visibility;
  }

  get depth(): number {
    return this.#depth;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#depth += 1;
    const isShown = this.#visibility.open(name, attributes) && !isUnseen(name, attributes);
    if (this.#unseen > 0 || !isShown) this.#unseen += 1;
    else if (name === 'title') this.#flush();
    else if (name === 'br' && !this.#isOneLine) this.#text.breakLine();
    else if (name === 'br') this.#text.addCollapsed(' ');
    else if (this.#tables === 1 && (name === 'td' || name === 'th')) this.#openCell(name, attributes);
    else if (LINES.has(name)) this.#openLine(name);
  }

  write(text: string): void {
    if (!this.#visibility.shows(text) || this.#unseen > 0) return;
    if (this.#pre > 0) this.#text.add(text);
    else this.#text.addCollapsed(text);
  }

  close(name: string): void {
    this.#depth -= 1;
    this.#visibility.close();
    if (this.#unseen > 0) this.#unseen -= 1;
    else if (name === 'title') this.#title ??= this.#text.take() || null;
    else if (this.#tables === 1 && (name === 'td' || name === 'th')) this.#closeCell();
    else if (LINES.has(name)) this.#closeLine(name);
  }

  end(): HtmlPage {
    this.#flush();
    const first = this.#blocks.find((block) => block.kind === 'heading' && block.level === 1);
    const heading = first?.kind === 'heading' ? first.text : null;
    return { title: this.#title ?? heading, blocks: this.#blocks };
  }

  get #isOneLine(): boolean {
    return this.#cell !== null || this.#heading !== null;
  }

  #openLine(name: string): void {
    // A heading that nobody closed must not go on to the end.
    if (name !== 'div') this.#heading = this.#endHeading();
    this.#breakLine();
    if (LISTS.has(name)) this.#lists += 1;
    if (name === 'li' && this.#cell === null && this.#lists > 0) this.#text.addItem(this.#lists);
    if (name === 'pre') this.#pre += 1;
    if (/^h[1-6]$/.test(name) && this.#cell === null && this.#lists === 0) this.#heading = Number(name[1]);
    if (name === 'table') {
      this.#tables += 1;
      if (this.#tables === 1) this.#flush();
    }
    if (this.#tables !== 1) return;
    if (name === 'thead') this.#isHead = true;
    if (name === 'tr') this.#openRow();
  }

  #closeLine(name: string): void {
    if (/^h[1-6]$/.test(name)) this.#heading = this.#endHeading();
    this.#breakLine();
    if (name === 'pre') this.#pre = Math.max(0, this.#pre - 1);
    if (LISTS.has(name)) {
      this.#lists = Math.max(0, this.#lists - 1);
      if (this.#lists === 0) this.#breakLine();
    }
    if (name === 'thead' && this.#tables === 1) this.#isHead = false;
    if (name === 'table') {
      if (this.#tables === 1) this.#closeTable();
      this.#tables = Math.max(0, this.#tables - 1);
    }
  }

  #openCell(name: string, { colspan }: Readonly<Record<string, string>>): void {
    this.#flush();
    const row = this.#rows.at(-1) ?? this.#openRow();
    if (name === 'td' && !this.#isHead) row.isHeader = false;
    this.#cell = { span: Math.min(Number(colspan) || 1, WIDEST_CELL) };
  }

  #openRow(): Row {
    const row = { cells: [], isHeader: true };
    this.#rows.push(row);
    return row;
  }

  #closeCell(): void {
    const text = this.#text.take();
    const more = Math.min((this.#cell?.span ?? 1) - 1, MOST_FILLED - this.#filled);
    this.#filled += more;
    this.#rows.at(-1)?.cells.push(text, ...Array<string>(more).fill(''));
    this.#cell = null;
  }

  #closeTable(): void {
    this.#cell = null;
    this.#isHead = false;
    this.#flush();
    const rows = this.#rows.filter(({ cells }) => cells.some((cell) => cell !== ''));
    this.#rows = [];
    // One that has a single column only places what is in it.
    if (rows.every(({ cells }) => cells.length === 1)) {
      for (const { cells } of rows) this.#blocks.push({ kind: 'text', text: cells.join('') });
      return;
    }
    const header = rows[0]?.isHeader ? rows[0].cells : [];
    const body = rows.slice(header.length > 0 ? 1 : 0).map(({ cells }) => cells);
    this.#blocks.push({ kind: 'table', header, rows: body });
  }

  #breakLine(): void {
    if (this.#isOneLine) this.#text.addCollapsed(' ');
    else if (this.#lists > 0) this.#text.breakLine();
    else this.#flush();
  }

  #endHeading(): null {
    if (this.#heading !== null) this.#flush();
    return null;
  }

  #flush(): void {
    const text = this.#text.take();
    if (text === '') return;
    const level = this.#heading;
    this.#blocks.push(level === null ? { kind: 'text', text } : { kind: 'heading', level, text });
  }
}

/** Collects pieces of text, with one blank for any number of them. Never looks at what it has: there may be millions. */
class TextCollector {
  #pieces: string[] = [];
  #isLineStart = true;
  #isBlankDue = false;
  /** What begins the next line, if there is anything in it. */
  #mark = '';

  add(text: string): void {
    if (this.#isLineStart) this.#pieces.push(this.#mark);
    else if (this.#isBlankDue) this.#pieces.push(' ');
    this.#pieces.push(text);
    this.#isLineStart = false;
    this.#isBlankDue = false;
    this.#mark = '';
  }

  addCollapsed(text: string): void {
    const collapsed = text.replace(/\s+/g, ' ');
    if (collapsed.startsWith(' ')) this.#isBlankDue = true;
    if (collapsed.trim() === '') return;
    this.add(collapsed.trim());
    this.#isBlankDue = collapsed.endsWith(' ');
  }

  addItem(depth: number): void {
    this.#mark = `${'  '.repeat(Math.min(depth, DEEPEST_INDENT) - 1)}- `;
  }

  breakLine(): void {
    if (!this.#isLineStart) this.#pieces.push('\n');
    this.#isLineStart = true;
    this.#isBlankDue = false;
  }

  take(): string {
    const text = this.#pieces.join('').replace(/^\n+/, '').trimEnd();
    this.#pieces = [];
    this.#isLineStart = true;
    this.#isBlankDue = false;
    this.#mark = '';
    return text;
  }
}

function isUnseen(name: string, attributes: Readonly<Record<string, string>>): boolean {
  if (UNSEEN.has(name) || 'hidden' in attributes || attributes['aria-hidden'] === 'true') return true;
  return name === 'dialog' && !('open' in attributes);
}

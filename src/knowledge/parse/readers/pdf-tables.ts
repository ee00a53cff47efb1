import type { Block } from '../../ports.ts';
import type { Cell, Line } from './pdf-lines.ts';

/** A row and what is below it are within so many sizes of their letters. */
const MOST_BETWEEN = 3;
/** The fewest rows of a table, with its header: two lines may stand beside others by chance. */
const FEWEST_ROWS = 3;
/** In characters, on average: what is longer is the text of a page in columns. With more columns, it may be longer. */
const LONGEST_CELLS = { two: 30, more: 60 };

interface Column extends Omit<Cell, 'text'> {
  /** The rows that have something in it; more are added to it as it's widened. */
  readonly rows: Set<number>;
}

interface Found {
  readonly table: Block & { readonly kind: 'table' };
  /** How many lines it has. */
  readonly length: number;
}

/** The tables among lines, by the line that each begins with. */
export function findTables(lines: readonly Line[]): ReadonlyMap<number, Found> {
  const tables = new Map<number, Found>();
  for (let at = 0; at < lines.length; ) {
    const { table, length } = findTable(lines, at);
    if (table) tables.set(at, { table, length });
    at += length;
  }
  return tables;
}

/**
 * The table that begins with a line: rows below one another whose cells stand in the same columns; null where none begins, and how
 * many lines are done with. Its first row is its header. What goes on below its row, as nothing is in its first column, belongs to that row.
 */
function findTable(
  lines: readonly Line[],
  from: number,
): { readonly table: Found['table'] | null; readonly length: number } {
  let columns: readonly Column[] = [];
  const rows: Cell[][] = [];
  let above: Row | null = null;
  let at = from;
  for (let line = lines[at]; line; line = lines[at]) {
    const row = takeRow(lines, at, line);
    if (above && !isBelow(row, above)) break;
    const next = widen(columns, row, rows.length);
    if (next.length < 2) break;
    const texts = toTexts(row.parts, next);
    const last = rows.at(-1);
    const filled = texts.filter(Boolean).length;
    const isMore = last !== undefined && texts[0] === '' && filled === 1;
    if (!isMore && !(row.isApart && filled > 1)) break;
    columns = next;
    if (isMore) last.push(...row.parts);
    else rows.push([...row.parts]);
    above = row;
    at += row.length;
  }
  if (rows.length < FEWEST_ROWS) return { table: null, length: 1 };
  const [header = [], ...others] = rows.map((row) => toTexts(row, columns));
  // A page in columns would be looked at from each of its lines.
  const table = isProse([header, ...others])
    ? null
    : ({ kind: 'table', header, rows: others, page: lines[from]?.page ?? null } as const);
  return { table, length: at - from };
}

/** Lines that are drawn as one row: cell for cell, each with its lines below one another. */
interface Row extends Pick<Line, 'page' | 'size' | 'parts'> {
  readonly top: number;
  readonly bottom: number;
  readonly length: number;
  /** Whether what is in it stands apart, as cells do. */
  readonly isApart: boolean;
}

function takeRow(lines: readonly Line[], at: number, first: Line): Row {
  const { page, size } = first;
  const parts = [...first.parts];
  let [top, bottom] = [first.y, first.y];
  let last = first;
  let isApart = first.cells.length > 1;
  let length = 1;
  for (let line = lines[at + 1]; line?.page === page; line = lines[at + length]) {
    const start = line.parts[0]?.start ?? 0;
    const isNear = line.y < top + size * MOST_BETWEEN && line.y > bottom - size * MOST_BETWEEN;
    const isNextCell = isNear && line.y > last.y && parts.every(({ end }) => end <= start);
    // Below what came last, and beside all before it.
    const isMoreOfIt =
      last !== first &&
      isNear &&
      line.y < last.y &&
      first.parts.every(({ end }) => end <= start) &&
      line.cells.length < 2;
    if (!isNextCell && !isMoreOfIt) break;
    if (isNextCell) isApart = true;
    parts.push(...line.parts);
    top = Math.max(top, line.y);
    bottom = Math.min(bottom, line.y);
    last = line;
    length += 1;
  }
  return { page, size, parts, top, bottom, length, isApart };
}

function isBelow({ page, top, size }: Row, above: Row): boolean {
  const gap = above.bottom - top;
  return page === above.page && gap > 0 && gap <= Math.max(size, above.size) * MOST_BETWEEN;
}

/**
 * The columns with what is in a line, as wide as that, and with those that only begin there. Two are one where something is in both and
 * no row has both, as a header may stand beside all that is below it; what is over others belongs to the first. What goes on right behind
 * another belongs to its column.
 */
function widen(
  columns: readonly Column[],
  { parts, size }: Pick<Line, 'parts' | 'size'>,
  row: number,
): readonly Column[] {
  let next = columns;
  let before: Cell | null = null;
  for (const part of parts) {
    const over = next.filter((column) => isOver(column, part));
    const isBehind = (column: Column) =>
      before !== null && part.start - before.end < size && isOver(column, before);
    const own = over.length > 0 || row === 0 ? over : next.filter(isBehind);
    const [first, ...more] = own;
    if (more.length > 0 && haveARow(own)) continue;
    const rows = first?.rows ?? new Set<number>();
    for (const other of more) for (const one of other.rows) rows.add(one);
    rows.add(row);
    const start = Math.min(part.start, ...own.map((column) => column.start));
    const end = Math.max(part.end, ...own.map((column) => column.end));
    next = [...next.filter((column) => !own.includes(column)), { start, end, rows }];
    before = part;
  }
  return next.toSorted((one, other) => one.start - other.start);
}

/** Whether a row has something in two of these. */
function haveARow(columns: readonly Column[]): boolean {
  const rows = columns.flatMap((column) => [...column.rows]);
  return new Set(rows).size < rows.length;
}

function isOver(column: Column, cell: Cell): boolean {
  return column.start < cell.end && cell.start < column.end;
}

function toTexts(row: readonly Cell[], columns: readonly Column[]): readonly string[] {
  const places = row.map((cell) => columns.findIndex((column) => isOver(column, cell)));
  return columns.map((_, place) =>
    row
      .filter((_, at) => places[at] === place)
      .map(({ text }) => text)
      .join(' '),
  );
}

function isProse(rows: readonly (readonly string[])[]): boolean {
  const lengths = rows.flat().flatMap((text) => (text === '' ? [] : text.length));
  const longest = rows[0]?.length === 2 ? LONGEST_CELLS.two : LONGEST_CELLS.more;
  return lengths.reduce((sum, length) => sum + length, 0) / lengths.length > longest;
}

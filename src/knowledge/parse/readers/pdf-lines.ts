/** A line of a page. */
export interface Line {
  readonly page: number;
  readonly text: string;
  /** Of the letters. */
  readonly size: number;
  /** Of the line on its page, from below. */
  readonly y: number;
  /** What stands far apart in it, from left to right, as cells of a table do. */
  readonly cells: readonly Cell[];
  /** What stands a little apart in it: cells of narrow columns are no farther from one another than some words are. */
  readonly parts: readonly Cell[];
}

/** From where to where on its page. */
export interface Cell {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A run of letters, as it's placed by its matrix. */
interface TextItem {
  readonly str: string;
  readonly transform: readonly number[];
  readonly width: number;
  readonly hasEOL: boolean;
}

/** How far apart cells are at least, in sizes of their letters: words of a justified line are nearer; and parts, as words mostly aren't. */
const CELL_GAP = 0.8;
const PART_GAP = 0.2;

/** The lines of a page, of the runs of letters in the order in which they were drawn. */
export function readLines(items: readonly TextItem[], page: number): readonly Line[] {
  const lines: { page: number; text: string; size: number; y: number; runs: Cell[] }[] = [];
  for (const { str, transform, width, hasEOL } of items) {
    const [, , skew = 0, scale = 0, x = 0, y = 0] = transform;
    const size = Math.round(Math.hypot(skew, scale) * 2) / 2;
    const last = lines.at(-1);
    const text = hasEOL ? `${str} ` : str;
    const run = { start: x, end: x + width, text: str };
    // Raised and lowered letters belong to their line.
    if (last && (str.trim() === '' || Math.abs(last.y - y) < size / 2)) {
      last.text += text;
      last.runs.push(run);
    } else if (str.trim() !== '') lines.push({ page, text, size, y, runs: [run] });
  }
  return lines.map(({ runs, text, ...line }) => ({
    ...line,
    text: tidy(text),
    cells: joinNear(runs, line.size * CELL_GAP),
    parts: joinNear(runs, line.size * PART_GAP),
  }));
}

function joinNear(runs: readonly Cell[], gap: number): readonly Cell[] {
  const cells: { start: number; end: number; text: string }[] = [];
  let isApart = false;
  for (const { start, end, text } of runs.toSorted((one, other) => one.start - other.start)) {
    const last = cells.at(-1);
    if (text.trim() === '') isApart = true;
    else if (last && start - last.end < gap) {
      last.text += isApart ? ` ${text}` : text;
      last.end = Math.max(last.end, end);
    } else cells.push({ start, end, text });
    if (text.trim() !== '') isApart = false;
  }
  return cells.map((cell) => ({ ...cell, text: tidy(cell.text) }));
}

function tidy(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

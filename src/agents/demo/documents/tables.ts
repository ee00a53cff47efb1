/** A row of a table: what it is of, and its amount. */
export type Amount = readonly [string, number];

const NUMBER = /^-?\d[\d,]*(?:\.\d+)?$/;
const AMOUNTS = /revenue|amount|price|cost|eur/i;
/** Such a row would be counted twice. */
const TOTAL = /^(?:total|sum|all)\b/i;

/**
 * The amounts of a table in Markdown or CSV: those of the column that is named in what is asked for, else of one that is
 * named like money, else of the last that has numbers. Other columns say what they are of.
 */
export function readAmounts(text: string, wanted: string): readonly Amount[] {
  const [header, ...rows] = text
    .split('\n')
    .map(readCells)
    .filter((cells) => cells.length > 1 && !cells.every((cell) => /^:?-*:?$/.test(cell)));
  const [first] = rows;
  if (!header || !first) return [];
  const numeric = header.map((_, column) => column).filter((column) => NUMBER.test(first[column] ?? ''));
  const named = (name: string) =>
    wanted
      .toLowerCase()
      .split(/\W+/)
      .some((word) => word.length > 3 && name.toLowerCase().includes(word));
  const column =
    numeric.find((it) => named(header[it] ?? '')) ??
    numeric.find((it) => AMOUNTS.test(header[it] ?? '')) ??
    numeric.at(-1);
  if (column === undefined) return [];
  return rows.flatMap((cells): Amount[] => {
    const label = cells.filter((_, index) => !numeric.includes(index)).join(' ');
    const amount = Number((cells[column] ?? '').replaceAll(',', ''));
    return TOTAL.test(label) || Number.isNaN(amount) || cells[column] === '' ? [] : [[label, amount]];
  });
}

function readCells(quoted: string): readonly string[] {
  const line = quoted.replace(/^> /, '');
  const isRow = /^\s*\|.*\|\s*$/.test(line);
  // No sentence: a table in CSV has no spaces after its commas.
  if (!isRow && (!/,\S/.test(line) || /,\s/.test(line))) return [];
  const cells = isRow ? line.trim().slice(1, -1).split('|') : line.split(',');
  return cells.map((cell) => cell.trim());
}

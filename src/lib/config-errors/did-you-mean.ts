/**
 * The name that was probably meant: the one with the fewest letters to change, add, leave out or swap, if those are
 * few for its length, and no more than `atMost`. Capitals, `-` and `_` make no difference. Null where none is near.
 */
export function nearName(
  written: string,
  names: Iterable<string>,
  atMost = Number.POSITIVE_INFINITY,
): string | null {
  const plain = bare(written);
  if (plain.length > LONGEST) return null;
  let nearest: { readonly name: string; readonly steps: number } | null = null;
  for (const name of names) {
    const other = bare(name);
    if (other.length > LONGEST) continue;
    const most = Math.min(atMost, Math.floor(Math.max(plain.length, other.length) / LETTERS_A_STEP));
    const steps = stepsBetween(plain, other);
    if (steps <= most && steps < (nearest?.steps ?? Number.POSITIVE_INFINITY)) nearest = { name, steps };
  }
  return nearest?.name ?? null;
}

/** One wrong letter in so many is taken for a slip. */
const LETTERS_A_STEP = 3;
/** Comparing takes time by the square of the length; no name that people type is longer. */
const LONGEST = 200;

function bare(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}

/** Letters to change, add, leave out or swap with the next (optimal string alignment). */
function stepsBetween(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return at(last, other.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

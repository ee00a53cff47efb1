import { distance } from 'fastest-levenshtein';

/** One typo per so many letters. */
const LETTERS_PER_TYPO = 3;
/** Comparing takes quadratic time; no name that people type is longer. */
const MAX_LENGTH = 200;

/**
 * The name that was probably meant: the one with the fewest typos (letters added, left out, changed, or two
 * neighbours swapped), at most one per three letters. Ignores capitals, `-` and `_`.
 *
 * @param maxTypos for names where fewer are allowed. @default no other limit
 * @returns null where no name is near.
 */
export function suggestName(
  written: string,
  names: Iterable<string>,
  maxTypos = Number.POSITIVE_INFINITY,
): string | null {
  const plain = normalize(written);
  if (plain.length > MAX_LENGTH) return null;
  let nearest: { readonly name: string; readonly typos: number } | null = null;
  for (const name of names) {
    const other = normalize(name);
    if (other.length > MAX_LENGTH) continue;
    const most = Math.min(maxTypos, Math.floor(Math.max(plain.length, other.length) / LETTERS_PER_TYPO));
    const typos = isSwap(plain, other) ? 1 : distance(plain, other);
    if (typos <= most && typos < (nearest?.typos ?? Number.POSITIVE_INFINITY)) nearest = { name, typos };
  }
  return nearest?.name ?? null;
}

function normalize(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '');
}

/** Whether two neighbouring letters are swapped: one typo, which Levenshtein counts as two. */
function isSwap(one: string, other: string): boolean {
  const at = one.split('').findIndex((letter, index) => letter !== other[index]);
  return at >= 0 && `${one.slice(0, at)}${one[at + 1]}${one[at]}${one.slice(at + 2)}` === other;
}

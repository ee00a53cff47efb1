import { distance } from 'fastest-levenshtein';

/** How many names are listed to a model that used an unknown one. */
const LISTED = 3;
/** Longer names aren't compared: it takes quadratic time. */
const MAX_LENGTH = 200;

/**
 * The offered name that a model means: models write names with dots or dashes, in another case, or with OpenAI's
 * prefix `functions.`. The name as it is where none or several fit.
 */
export function resolveToolName(written: string, names: readonly string[]): string {
  if (names.includes(written)) return written;
  const plain = normalize(written);
  const [match, ...others] = names.filter((name) => normalize(name) === plain);
  return match !== undefined && others.length === 0 ? match : written;
}

/** The names that are nearest to an unknown one, the nearest first. */
export function nearestNames(written: string, names: readonly string[]): readonly string[] {
  const plain = normalize(written).slice(0, MAX_LENGTH);
  return names
    .map((name) => ({ name, typos: distance(plain, normalize(name).slice(0, MAX_LENGTH)) }))
    .toSorted((one, other) => one.typos - other.typos)
    .slice(0, LISTED)
    .map(({ name }) => name);
}

function normalize(name: string): string {
  return name
    .replace(/^functions\./, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

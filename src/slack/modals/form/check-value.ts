import type { Json } from '../../../lib/json.ts';
import type { Property } from '../../../presentation/schema-labels.ts';
import { clip, oneLine } from '../../../presentation/text/clip.ts';
import { visible } from '../../../presentation/text/visible.ts';

/** How much of an item is quoted, in characters. */
const QUOTED = 60;

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/**
 * The problem with a value that a person entered, as a sentence to show beside its field; null if there is
 * none.
 */
export function findProblem({ bounds, format, items }: Property, value: Json): string | null {
  if (typeof value === 'string') return lengthProblem(bounds, value) ?? formatProblem(format, value);
  if (typeof value === 'number') return rangeProblem(bounds, value);
  if (!Array.isArray(value)) return null;
  return countProblem(bounds, value.length) ?? itemProblem(items?.format ?? null, value);
}

/** The problem with the first invalid item of a list. The item is quoted, since it is one of several. */
function itemProblem(format: string | null, items: readonly Json[]): string | null {
  for (const item of items) {
    const problem = typeof item === 'string' ? formatProblem(format, item) : null;
    if (problem !== null) return `“${clip(oneLine(visible(String(item))), QUOTED)}”: ${problem}`;
  }
  return null;
}

type Bounds = Property['bounds'];

function lengthProblem(
  { minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Bounds,
  value: string,
): string | null {
  // JSON Schema counts code points.
  const { length } = [...value];
  if (length < minLength) return `At least ${minLength} characters, please; this has ${length}.`;
  return length > maxLength ? `At most ${maxLength} characters, please; this has ${length}.` : null;
}

function formatProblem(format: string | null, value: string): string | null {
  if (format === 'email' && !EMAIL.test(value)) return 'This is not an email address.';
  return format === 'uri' && !URL.canParse(value)
    ? 'This is not a link: it must begin with https:// or the like.'
    : null;
}

function rangeProblem({ minimum, maximum }: Bounds, value: number): string | null {
  if (minimum !== undefined && value < minimum) return `This must be ${minimum} or more.`;
  return maximum !== undefined && value > maximum ? `This must be ${maximum} or less.` : null;
}

function countProblem({ minItems, maxItems }: Bounds, count: number): string | null {
  if (minItems !== undefined && count < minItems) return `Choose at least ${minItems}.`;
  return maxItems !== undefined && count > maxItems ? `Choose at most ${maxItems}.` : null;
}

import type { Json } from '../../json.ts';
import type { Property } from '../cards/schema.ts';

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** What is wrong with a value that a person gave, as a sentence for beside its field; null when nothing is. */
export function problemOf({ bounds, format }: Property, value: Json): string | null {
  if (typeof value === 'string') return lengthProblem(bounds, value) ?? formatProblem(format, value);
  if (typeof value === 'number') return rangeProblem(bounds, value);
  return Array.isArray(value) ? countProblem(bounds, value.length) : null;
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

import type { Json } from '../../../lib/json.ts';
import type { Property } from '../../../presentation/schema-labels.ts';
import { clip, oneLine } from '../../../presentation/text/clip.ts';
import { visible } from '../../../presentation/text/visible.ts';
import { FIELD_ERROR } from '../../texts/forms.ts';

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

/** What is wrong with the items of a list. Each is quoted, since it is one of several. */
function itemProblem(format: string | null, items: readonly Json[]): string | null {
  const problems = items.flatMap((item) => {
    const problem = typeof item === 'string' ? formatProblem(format, item) : null;
    return problem === null
      ? []
      : [FIELD_ERROR.ofItem(clip(oneLine(visible(String(item))), QUOTED), problem)];
  });
  return problems.length === 0 ? null : FIELD_ERROR.all(problems);
}

type Bounds = Property['bounds'];

function lengthProblem(
  { minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Bounds,
  value: string,
): string | null {
  // JSON Schema counts code points.
  const { length } = [...value];
  if (length < minLength) return FIELD_ERROR.tooShort(minLength, length);
  return length > maxLength ? FIELD_ERROR.tooLong(maxLength, length) : null;
}

function formatProblem(format: string | null, value: string): string | null {
  if (format === 'email' && !EMAIL.test(value)) return FIELD_ERROR.email;
  return format === 'uri' && !URL.canParse(value) ? FIELD_ERROR.link : null;
}

function rangeProblem({ minimum, maximum }: Bounds, value: number): string | null {
  if (minimum !== undefined && value < minimum) return FIELD_ERROR.tooSmall(minimum);
  return maximum !== undefined && value > maximum ? FIELD_ERROR.tooLarge(maximum) : null;
}

function countProblem({ minItems, maxItems }: Bounds, count: number): string | null {
  if (minItems !== undefined && count < minItems) return FIELD_ERROR.tooFew(minItems);
  return maxItems !== undefined && count > maxItems ? FIELD_ERROR.tooMany(maxItems) : null;
}

import type { Json } from '../../../lib/json.ts';
import { compileEqual } from './match-text.ts';
import { foldText } from './readings.ts';
import { anyOf, type Truth, toTruth } from './tristate.ts';

/** A value that conditions compare with. */
type Scalar = string | number | boolean | null;

/** A double holds fifteen digits exactly. */
const MAX_DIGITS = 15;
const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
/** `1.000` is one, or a thousand where the point separates thousands. */
const TWO_READINGS = /^-?[1-9]\d{0,2}\.\d{3}$/;

/**
 * The number that the value certainly is, else null: a JSON number, or a text such as `1200` or `-3.50` with
 * only one reading. `1,000.00`, `1.000`, `1e309`, `0x10` and ` 5` are none.
 */
export function readNumber(value: Json): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || !PLAIN_NUMBER.test(value) || TWO_READINGS.test(value)) return null;
  return value.replace(/\D/g, '').length > MAX_DIGITS ? null : Number(value);
}

/**
 * Compiles the comparison with a value. Numbers, texts and booleans never equal one another, but are unclear; so
 * are texts that some tools read as `null`.
 */
export function compileScalar(wanted: Scalar): (value: Json) => Truth {
  if (wanted === null) return (value) => (isNullText(value) ? 'unclear' : toTruth(value === null));
  switch (typeof wanted) {
    case 'number':
      return (value) => matchNumber((number) => number === wanted, value);
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? toTruth(value === wanted) : 'unclear');
    case 'string': {
      const equals = compileEqual(wanted);
      return (value) => (typeof value === 'string' ? equals(value) : 'unclear');
    }
  }
}

function isNullText(value: Json): boolean {
  return typeof value === 'string' && ['', 'null', 'none', 'nil'].includes(foldText(value));
}

/** Compiles the comparison with several values; see {@link compileScalar}. */
export function compileOneOf(wanted: readonly Scalar[]): (value: Json) => Truth {
  const tests = wanted.map(compileScalar);
  return (value) => anyOf(tests.map((equals) => equals(value)));
}

/** Whether a number meets the test; unclear if {@link readNumber} reads none. */
export function matchNumber(holds: (number: number) => boolean, value: Json): Truth {
  const number = readNumber(value);
  return number === null ? 'unclear' : toTruth(holds(number));
}

/** Whether the value is longer than `limit`, in items of a list or characters (code points) of a text. */
export function matchLongerThan(limit: number, value: Json): Truth {
  if (Array.isArray(value)) return toTruth(value.length > limit);
  return typeof value === 'string' ? toTruth([...value].length > limit) : 'unclear';
}

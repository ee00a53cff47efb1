import { createHash } from 'node:crypto';
import type { Json } from './json.ts';

/**
 * Canonical JSON as RFC 8785 has it: no white space, keys sorted by UTF-16 code units, numbers and
 * strings as ECMAScript writes them. Throws on values that JSON can't hold (NaN, lone surrogates).
 */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.keys(value)
      .sort()
      .map((key) => `${canonicalJson(key)}:${canonicalJson(value[key] ?? null)}`);
    return `{${members.join(',')}}`;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('not a JSON number');
  if (typeof value === 'string' && !value.isWellFormed()) throw new TypeError('a lone surrogate is not text');
  return JSON.stringify(value);
}

/** SHA-256 of the text's UTF-8 bytes, 64 lower-case hex digits. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

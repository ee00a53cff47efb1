import { z } from 'zod';
import type { Json } from '../../../lib/json.ts';
import { FIELD_ERROR } from '../../texts/forms.ts';

/** What a text that somebody wrote says, or why it can't be sent as it stands. */
export type JsonReading = { readonly value: Json } | { readonly problem: string };

/** Reads JSON as it was written; a problem where a part of it would get lost without a word. */
export function readJsonText(words: string): JsonReading {
  let read: unknown;
  try {
    read = JSON.parse(words);
  } catch {
    return { problem: FIELD_ERROR.json };
  }
  const problem = lossIn(words, read);
  return problem === null ? { value: z.json().parse(read) } : { problem };
}

/** What of the JSON that somebody wrote would get lost without a word, as a sentence; null if nothing would. */
function lossIn(words: string, read: unknown): string | null {
  const keys = [...words.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/gs)].filter(([, colon]) => colon !== undefined);
  if (holdsProto(read)) return FIELD_ERROR.proto;
  if (keys.length !== countKeys(read)) return FIELD_ERROR.twice;
  const outside = words.replace(/"(?:[^"\\]|\\.)*"/gs, '""');
  return (outside.match(/-?\d[\d.eE+-]*/g) ?? []).every(isExact) ? null : FIELD_ERROR.digits;
}

/** Most of what reads objects later would take such a member for what the object is made of, or drop it. */
function holdsProto(read: unknown): boolean {
  if (typeof read !== 'object' || read === null) return false;
  return Object.keys(read).includes('__proto__') || Object.values(read).some(holdsProto);
}

function countKeys(read: unknown): number {
  if (typeof read !== 'object' || read === null) return 0;
  const own = Array.isArray(read) ? 0 : Object.keys(read).length;
  return Object.values(read).reduce((sum, one) => sum + countKeys(one), own);
}

/** Whether a double keeps a number: within its range, with some 15 digits, or with more where they come back alike. */
export function isExact(words: string): boolean {
  const [mantissa = ''] = words.toLowerCase().split('e');
  const digits = mantissa.replace(/[-+.]/g, '').replace(/^0+/, '');
  const number = Number(words);
  if (!Number.isFinite(number) || (number === 0 && digits !== '')) return false;
  if (digits.length <= 15) return true;
  const back = String(number);
  return back === words.replace(/^\+/, '') || back === words.replace(/^\+/, '').replace(/\.?0+$/, '');
}

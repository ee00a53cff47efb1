import { z } from 'zod';

/** Bits that a key must have at least: no number of guesses over a network gets through these. */
const LEAST_BITS = 128;
/** Different characters that a random key of 128 bits has all but surely. */
const LEAST_DISTINCT = 8;

/** What a key's characters are drawn from, the narrowest first, with how many there are. */
const ALPHABETS: readonly (readonly [RegExp, number])[] = [
  [/^\d+$/, 10],
  [/^[\da-f]+$/i, 16],
  [/^(?:[a-z]+|[A-Z]+)$/, 26],
];
/** Base64, and the most that any character counts. */
const LARGEST_ALPHABET = 64;

/**
 * The bits that a key has at most if its characters were chosen at random; 0 if they clearly weren't: a text
 * that repeats, has hardly any different characters, or counts up or down. Words can't be told from chance.
 *
 * @example keyBits('0123456789abcdef') // 0
 */
export function keyBits(key: string): number {
  if (isOrderly(key)) return 0;
  const [, size] = ALPHABETS.find(([alphabet]) => alphabet.test(key)) ?? [null, LARGEST_ALPHABET];
  return key.length * Math.log2(size);
}

/** Whether a key repeats, has hardly any different characters, or counts up or down. */
function isOrderly(key: string): boolean {
  return new Set(key).size < LEAST_DISTINCT || isRepetition(key) || isSequence(key);
}

function isRepetition(key: string): boolean {
  return `${key}${key}`.indexOf(key, 1) < key.length;
}

/**
 * Whether most characters are the one before them, or its neighbour in the alphabet. Of random keys in hex, one in 100,000
 * has that for half of them, and none for two thirds.
 */
function isSequence(key: string): boolean {
  const steps = [...key].slice(1).map((character, index) => character.charCodeAt(0) - key.charCodeAt(index));
  return steps.filter((step) => Math.abs(step) <= 1).length > (steps.length * 2) / 3;
}

/** `COUNTERSIGN_API_KEY`. The error never holds the value. */
export const apiKeySchema = z
  .string()
  .refine(
    (key) => !isOrderly(key),
    'must be a random key of at least 128 bits, and this one repeats or counts. Make one: openssl rand -base64 32',
  )
  .refine(
    (key) => isOrderly(key) || keyBits(key) >= LEAST_BITS,
    'must be a random key of at least 128 bits: 22 characters of base64, or 32 of hex. Make one: openssl rand -base64 32',
  );

import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { apiKeySchema, keyBits } from '../../../src/config/api-key.ts';

const accepts = (key: string): boolean => apiKeySchema.safeParse(key).success;

describe('a key from the environment', () => {
  it.each([
    ['16 characters', 'Zx8-qLm4Tr0_Vb3N'],
    ['21 characters of base64', 'Zx8-qLm4Tr0_Vb3NyK7pW'],
    ['31 characters of hex', '8f2b11c07d3ae6954b0cd7f1a92e6d3'],
    ['38 digits', '83920174650283746501928374650192837465'],
    ['one character', 'a'.repeat(64)],
    ['a few characters', 'abacadabcabdacb'.repeat(3).concat('bad')],
    ['a text that repeats', 'Zx8-qLm4Tr0_Vb3'.repeat(3)],
    ['the alphabet and the digits', 'abcdefghijklmnopqrstuvwxyz0123456789'],
    ['blanks', ' '.repeat(40)],
  ])('is refused if it is %s', (_, key) => {
    expect(accepts(key)).toBe(false);
  });

  it('may be anything of 128 random bits, in the ways people make keys', () => {
    for (let round = 0; round < 2_000; round += 1) {
      expect(accepts(randomBytes(16).toString('hex'))).toBe(true);
      expect(accepts(randomBytes(17).toString('base64url').slice(0, 22))).toBe(true);
      expect(accepts(randomBytes(32).toString('base64'))).toBe(true);
    }
  });

  it('says how to make one, and not what it was', () => {
    const refused = apiKeySchema.safeParse('hunter2-hunter2').error?.message ?? '';
    expect(refused).toContain('openssl rand -base64 32');
    expect(refused).not.toContain('hunter2');
  });

  it.each(['Zx8-qLm4Tr0_Vb3'.repeat(3), 'abcdefghijklmnopqrstuvwxyz0123456789'])(
    'says of one that is long enough that it repeats or counts: %s',
    (key) => {
      const refused = apiKeySchema.safeParse(key).error?.issues.map(({ message }) => message);
      expect(refused).toEqual([expect.stringContaining('repeats or counts')]);
    },
  );

  it('counts the bits of the narrowest alphabet that fits', () => {
    expect(keyBits('8f2b11c07d3ae6954b0cd7f1a92e6d38')).toBe(128);
    expect(keyBits('Zx8-qLm4Tr0_Vb3NyK7pWh')).toBe(132);
  });
});

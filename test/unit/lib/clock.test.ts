import { expect, it } from 'vitest';
import { randomId, randomSecret } from '../../../src/lib/clock.ts';

it.each([
  ['an id', randomId, 128],
  ['a secret', randomSecret, 256],
] as const)('%s is of as many random bits as it says, and safe in an address', (_what, make, bits) => {
  const made = Array.from({ length: 100 }, make);
  expect(new Set(made).size).toBe(100);
  for (const one of made) {
    expect(one).toMatch(/^[\w-]+$/);
    expect(Buffer.from(one, 'base64url')).toHaveLength(bits / 8);
  }
});

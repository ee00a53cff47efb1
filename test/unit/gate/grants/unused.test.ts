import { describe, expect, it } from 'vitest';
import { isUnusedGrant } from '../../../../src/gate/grants/unused.ts';

const DAY_MS = 24 * 3_600_000;
const NOW = Date.UTC(2026, 10, 23);

describe('whether a grant is one too many', () => {
  it.each([
    ['never used', { at: NOW - 60 * DAY_MS }, true],
    ['never used, but not for long', { at: NOW - 60 * DAY_MS + 1 }, false],
    ['used since', { usedAt: NOW - 59 * DAY_MS }, false],
    ['used long ago', { usedAt: NOW - 61 * DAY_MS }, true],
    ['used up', { used: 5 }, false],
    ['run out', { until: NOW }, false],
    ['revoked', { ended: { at: NOW, why: 'revoked' as const } }, false],
  ])('a grant that is %s', (_, changes, isUnused) => {
    const grant = {
      at: NOW - 80 * DAY_MS,
      usedAt: null,
      until: NOW + DAY_MS,
      used: 0,
      limit: 5,
      ended: null,
    };
    expect(isUnusedGrant({ ...grant, ...changes }, NOW)).toBe(isUnused);
  });
});

import { describe, expect, it } from 'vitest';
import { goal } from '../../../bench/goals.ts';

describe('a goal', () => {
  it.each([
    [100, { most: 100 }, true],
    [101, { most: 100 }, false],
    [100, { least: 100 }, true],
    [99, { least: 100 }, false],
  ])('of %d with the limit %j is met: %s', (value, limit, isMet) => {
    expect(goal('Pieces', value, limit)).toMatchObject({ isMet, got: String(value) });
  });

  it.each([Number.NaN, -Infinity, Infinity])('is missed where its figure is %d', (value) => {
    for (const limit of [{ most: 100 }, { least: 100 }]) {
      expect(goal('Pieces', value, limit)).toMatchObject({ isMet: false, got: 'not measured' });
    }
  });
});

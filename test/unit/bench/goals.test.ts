import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { firstMinuteGoals, goal, listGoals, memoryGoals } from '../../../bench/goals.ts';
import type { Results } from '../../../bench/report.ts';

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

describe('memory', () => {
  const turns = (...took: readonly number[]) => took.map((card) => ({ card, answer: 0, cpu: 0 }));
  it.each([
    ['as long', [100, 101, 99], [100, 101, 99], [104, 105, 103], true],
    ['longer', [100, 101, 99], [100, 101, 99], [110, 111, 109], false],
    ['as long, where two without it differ by more', [100, 101, 99], [125, 126, 124], [104, 105, 103], false],
    ['shorter', [100, 101, 99], [100, 101, 99], [80, 81, 79], true],
  ])('that has a turn take %s', (_what, without, again, remembering, isMet) => {
    const figures = { without: [turns(...without), turns(...again)], with: [turns(...remembering)] };
    expect(memoryGoals(figures)).toMatchObject([{ isMet }]);
  });
});

describe('the first minutes', () => {
  it.each([
    [2_000, 60_000, [true, true]],
    [2_001, 60_001, [false, false]],
  ])('with the address after %d ms and the first approval after %d ms', (address, approval, met) => {
    expect(firstMinuteGoals({ address, approval }).map(({ isMet }) => isMet)).toEqual(met);
  });

  it('that were not measured in a whole run are missed, and say so', () => {
    const results: Results = JSON.parse(
      readFileSync(new URL('../../../bench/results.json', import.meta.url), 'utf8'),
    );
    const goals = listGoals({ ...results, firstMinutes: null });
    expect(goals.filter(({ what }) => /npm/.test(what)).map(({ got }) => got)).toEqual([
      'not measured',
      'not measured',
    ]);
  });
});

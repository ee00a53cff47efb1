import { expect, test } from 'vitest';
import { createAxis, createHourAxis } from '../../../../../../src/app/demo-servers/simulation/plot/axis.ts';

test.each([
  [9.4, [0, 2, 4, 6, 8, 10]],
  [10, [0, 2, 4, 6, 8, 10]],
  [10.1, [0, 5, 10, 15]],
  [0.34, [0, 0.1, 0.2, 0.3, 0.4]],
  [21_400, [0, 5000, 10_000, 15_000, 20_000, 25_000]],
  [0, [0, 0.2, 0.4, 0.6, 0.8, 1]],
])('an axis up to %f has the labels %j', (most, ticks) => {
  expect(createAxis(most, 5)).toEqual({ end: ticks.at(-1), ticks });
});

test.each([
  [0.5, [0, 0.1, 0.2, 0.3, 0.4, 0.5]],
  [24, [0, 4, 8, 12, 16, 20, 24]],
  [40, [0, 6, 12, 18, 24, 30, 36]],
  [168, [0, 24, 48, 72, 96, 120, 144, 168]],
  [2160, [0, 336, 672, 1008, 1344, 1680, 2016]],
])('%f hours have the labels %j', (end, ticks) => {
  expect(createHourAxis(end, 8)).toEqual({ end, ticks });
});

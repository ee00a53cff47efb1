import { expect, test } from 'vitest';
import { growthExponent, quantile, ratios, round, spreadOf } from '../../../bench/statistics.ts';

test('the median is the middle one, whatever the order', () => {
  expect(quantile([9, 1, 5], 0.5)).toBe(5);
});

test('the last percent of a hundred values begins with the hundredth', () => {
  const values = Array.from({ length: 100 }, (_, index) => index + 1);
  expect(quantile(values, 0.99)).toBe(100);
});

test('of nothing there is no median', () => {
  expect(quantile([], 0.5)).toBeNaN();
});

test('figures have three digits', () => {
  expect(round(1234.5)).toBe(1230);
});

test('a spread tells how many values it is of', () => {
  expect(spreadOf([2, 4, 3])).toEqual({ median: 3, min: 2, max: 4, count: 3 });
});

test('a ratio is of two values that were measured at the same time', () => {
  expect(ratios([2, 30], [1, 10])).toEqual([2, 3]);
});

test.each([
  ['does not grow', (): number => 7, 0],
  ['grows as the size does', (size: number) => 3 * size, 1],
  ['grows with its square', (size: number) => size ** 2, 2],
])('the exponent of a cost that %s', (_, costOf, exponent) => {
  const points = [10, 100, 1_000, 5_000].map((size) => ({ size, cost: costOf(size) }));
  expect(growthExponent(points)).toBe(exponent);
});

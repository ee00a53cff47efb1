import { expect, test } from 'vitest';
import { quantile, round, spreadOf } from '../../../bench/statistics.ts';

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

import { describe, expect, it } from 'vitest';
import { fuse } from '../../../../src/knowledge/search/fuse.ts';

const order = (items: string, weight = 1) => ({ items: items.split(' '), weight });
const scores = (...orders: ReturnType<typeof order>[]) =>
  fuse(orders, String).map(({ item, score }) => [item, score.toFixed(6)]);

describe('reciprocal rank fusion', () => {
  it('merges two orders by the ranks in each, with k = 60', () => {
    expect(scores(order('A B C'), order('B D A'))).toEqual([
      ['B', '0.032522'],
      ['A', '0.032266'],
      ['D', '0.016129'],
      ['C', '0.015873'],
    ]);
  });

  it('weighs orders: what only one that weighs little has stays behind', () => {
    expect(scores(order('A B C'), order('X C', 0.1)).map(([item]) => item)).toEqual(['C', 'A', 'B', 'X']);
    expect(scores(order('A B C'), order('C X', 0.5)).map(([item]) => item)).toEqual(['C', 'A', 'B', 'X']);
    expect(scores(order('A'), order('B', 0))).toEqual([['A', '0.016393']]);
  });

  it('puts what the first order has first where things are equally good', () => {
    expect(scores(order('A'), order('B')).map(([item]) => item)).toEqual(['A', 'B']);
    expect(scores(order('B'), order('A')).map(([item]) => item)).toEqual(['B', 'A']);
  });
});

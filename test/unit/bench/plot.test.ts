import { expect, test } from 'vitest';
import { plot } from '../../../bench/plot.ts';

const drawn = (points: readonly (readonly [number, number])[]) =>
  plot({ title: 'Turns', x: 'threads', y: 'ms', series: [{ name: 'ours', color: 'blue', points }] });

function circles(svg: string): { x: number; y: number }[] {
  return [...svg.matchAll(/<circle cx="(\d+)" cy="(\d+)"/g)].map(([, x, y]) => ({
    x: Number(x),
    y: Number(y),
  }));
}

test('every tenfold is as far as the one before, on both axes', () => {
  const [first, second, third] = circles(
    drawn([
      [1, 1],
      [10, 10],
      [100, 100],
    ]),
  );
  expect((second?.x ?? 0) - (first?.x ?? 0)).toBe((third?.x ?? 0) - (second?.x ?? 0));
  expect((first?.y ?? 0) - (second?.y ?? 0)).toBe((second?.y ?? 0) - (third?.y ?? 0));
});

test('what is more lies higher', () => {
  const [less, more] = circles(
    drawn([
      [1, 2],
      [10, 20],
    ]),
  );
  expect(more?.y).toBeLessThan(less?.y ?? 0);
});

import { expect, it } from 'vitest';
import { createMadeText } from '../../../bench/search/made-text.ts';

it('makes the same text for the same seed, with words as frequent as those of a language', () => {
  const words = createMadeText(1).passage(100_000).split(' ');
  expect(createMadeText(1).passage(3)).toBe(words.slice(0, 3).join(' '));
  expect(createMadeText(2).passage(3)).not.toBe(words.slice(0, 3).join(' '));
  const counts = [...Map.groupBy(words, (word) => word).values()].map(({ length }) => length);
  const [first = 0, , , , , , , , , tenth = 0] = counts.toSorted((one, other) => other - one);
  // By Zipf and Mandelbrot (9 + 2.7) / 2.7 times as often, a bit more or less as it is drawn.
  expect(first / tenth).toBeGreaterThan(3.5);
  expect(first / tenth).toBeLessThan(5.5);
  expect(counts.length).toBeGreaterThan(10_000);
});

it('asks for different words that are not among the most frequent', () => {
  const text = createMadeText(3);
  const words = text.question(7).split(' ');
  expect(new Set(words).size).toBe(7);
  const frequent = [...Map.groupBy(text.passage(50_000).split(' '), (word) => word)]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .slice(0, 100)
    .map(([word]) => word);
  expect(words.filter((word) => frequent.includes(word))).toEqual([]);
});

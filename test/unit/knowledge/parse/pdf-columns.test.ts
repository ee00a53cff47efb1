import { expect, it } from 'vitest';
import { readLines } from '../../../../src/knowledge/parse/readers/pdf-lines.ts';
import { findTables } from '../../../../src/knowledge/parse/readers/pdf-tables.ts';

/** A page whose lines go over two columns of text, as some programs write them: line by line, and not column by column. */
function twoColumns(count: number) {
  const words = 'some words of a text that goes on';
  const items = Array.from({ length: count }, (_, line) =>
    [72, 330].map((x, column) => ({
      str: `${words} ${line}${column}`,
      transform: [11, 0, 0, 11, x + (line % 3), 20_000 - line * 13],
      width: 220,
      hasEOL: column === 1,
    })),
  ).flat();
  return readLines(items, 1);
}

it('a page in columns is looked through once, however long it is, and is no table', () => {
  const before = performance.now();
  expect([...findTables(twoColumns(1_500))]).toEqual([]);
  // Looked at from each of its lines, it took more than a minute.
  expect(performance.now() - before).toBeLessThan(10_000);
});

import { expect, it } from 'vitest';
import { htmlToText, readHtml } from '../../../src/lib/text/html.ts';

it('a page that nests without end, and cells that are wide without end, hold nobody up', () => {
  const before = performance.now();
  expect(htmlToText(`first<p>${'<div>'.repeat(400_000)}deep`)).toBe('first');
  expect(htmlToText(`<p>${'<b>'.repeat(500)}not so deep`)).toBe('not so deep');
  const { blocks } = readHtml(`<table><tr>${'<td colspan=100>a'.repeat(20_000)}</tr></table>`);
  const cells = blocks.flatMap((block) =>
    block.kind === 'table' ? [block.header, ...block.rows].flat() : [],
  );
  expect(cells.length).toBeLessThan(50_000);
  expect(cells.filter((cell) => cell === 'a')).toHaveLength(20_000);
  // The first alone took minutes.
  expect(performance.now() - before).toBeLessThan(20_000);
});

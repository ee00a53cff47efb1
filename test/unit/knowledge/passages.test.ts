import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makePassages, toPassages } from '../../../src/knowledge/passages.ts';
import type { Block } from '../../../src/knowledge/ports.ts';
import { estimateTokens } from '../../../src/lib/text/estimate-tokens.ts';

const heading = (level: number, text: string, page: number | null = null): Block => ({
  kind: 'heading',
  level,
  text,
  page,
});
const text = (words: string, page: number | null = null): Block => ({ kind: 'text', text: words, page });
const table = (header: string[], rows: string[][]): Block => ({ kind: 'table', header, rows, page: null });
const shown = (blocks: readonly Block[]) =>
  toPassages({ blocks }).map(({ section, text: said, page }) => [section, said, page]);

describe('the passages of a document', () => {
  it('stand under their headings, and keep their pages', () => {
    expect(
      shown([
        text('Before.'),
        heading(1, 'Travel', 1),
        text('All of it.', 1),
        heading(2, 'Hotels', 2),
        text('Up to 140 euros.', 2),
        text('Breakfast counts.', 2),
        heading(2, 'Trains', 3),
        text('Second class.', 3),
        heading(1, 'Others', 4),
        text('See there.', 4),
      ]),
    ).toEqual([
      ['', 'Before.', null],
      ['Travel', 'All of it.', 1],
      ['Travel › Hotels', 'Up to 140 euros.\n\nBreakfast counts.', 2],
      ['Travel › Trains', 'Second class.', 3],
      ['Others', 'See there.', 4],
    ]);
  });

  it('keep a heading with nothing below it, and skip levels that are left out', () => {
    expect(shown([heading(1, 'Alone'), heading(1, 'Next'), heading(3, 'Deep'), text('Here.')])).toEqual([
      ['Alone', 'Alone', null],
      ['Next › Deep', 'Here.', null],
    ]);
    expect(shown([heading(2, 'Last')])).toEqual([['Last', 'Last', null]]);
  });

  it('keep a table whole, and repeat its header where it is too long', () => {
    const small = table(['Month', 'Sum'], [['May', '3']]);
    expect(shown([text('Below:'), small, text('Above.')])).toEqual([
      ['', 'Below:', null],
      ['', '| Month | Sum |\n| May | 3 |', null],
      ['', 'Above.', null],
    ]);
    const rows = Array.from({ length: 400 }, (_, row) => [`Row number ${row}`, `${row * 7}`]);
    const parts = toPassages({ blocks: [table(['Name', 'Value'], rows)] });
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect(part.text.startsWith('| Name | Value |\n| Row number ')).toBe(true);
    expect(parts.flatMap((part) => part.text.split('\n').slice(1))).toHaveLength(400);
  });

  it('of any blocks have every word of them once and in order, and at most 1,024 tokens', () => {
    const words = fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 400 });
    const block = fc.oneof(
      fc.record({ level: fc.integer({ min: 1, max: 6 }), said: fc.string({ minLength: 1, maxLength: 60 }) }),
      words.map((parts) => parts.join(' ')),
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 8 }), (given) => {
        const blocks = given.map((one) =>
          typeof one === 'string' ? text(one) : heading(one.level, one.said),
        );
        const passages = toPassages({ blocks });
        for (const passage of passages) expect(estimateTokens(passage.text)).toBeLessThanOrEqual(1_024);
        const isAlone = (index: number, level: number) => {
          const next = blocks[index + 1];
          return next === undefined || (next.kind === 'heading' && next.level <= level);
        };
        const written = blocks.flatMap((one, index) => {
          if (one.kind === 'table') return [];
          return one.kind === 'text' || isAlone(index, one.level) ? one.text : [];
        });
        const letters = (parts: readonly string[]) => parts.join('').replace(/\s+/g, '');
        expect(letters(passages.map((passage) => passage.text))).toBe(letters(written));
      }),
      { numRuns: 100 },
    );
  });
});

it('headings and passages without end are bounded, and others have room while they’re made', async () => {
  const heading = (text: string, level = 1): Block => ({ kind: 'heading', level, text, page: null });
  const text = (words: string): Block => ({ kind: 'text', text: words, page: null });
  const [passage] = toPassages({ blocks: [heading('a'.repeat(200_000)), heading('b', 2), text('c')] });
  expect(passage?.section).toBe(`${'a'.repeat(300)}… › b`);
  const many = Array.from({ length: 110_000 }, (_, index) => [heading(`${index}`, 2), text('d')]).flat();
  let turns = 0;
  const turning = setInterval(() => {
    turns += 1;
  }, 1);
  const rows = Array.from({ length: 200_000 }, () => ['a', 'b']);
  const table = await makePassages({ blocks: [{ kind: 'table', header: ['x', 'y'], rows, page: null }] });
  clearInterval(turning);
  expect(await makePassages({ blocks: many })).toBeNull();
  expect(turns).toBeGreaterThan(0);
  expect(table).toEqual(toPassages({ blocks: [{ kind: 'table', header: ['x', 'y'], rows, page: null }] }));
});

import { expect, it } from 'vitest';
import { toPassages } from '../../../../src/knowledge/passages.ts';
import type { Block } from '../../../../src/knowledge/ports.ts';
import { findSection } from '../../../../src/knowledge/search/sections.ts';

const heading = (level: number, text: string): Block => ({ kind: 'heading', level, text, page: null });
const text = (words: string): Block => ({ kind: 'text', text: words.padEnd(1_000, ' x'), page: null });

function indexOf(blocks: readonly Block[]) {
  const passages = toPassages({ blocks }).map((passage, index) => ({ ...passage, place: index + 1 }));
  return {
    passages,
    index: {
      read: async (_id: string, from: number, count: number) => passages.slice(from - 1, from - 1 + count),
    },
  };
}

it('a passage’s section goes as far as its heading, with what is below that, and without its neighbours', async () => {
  const { index, passages } = indexOf([
    heading(1, 'Travel'),
    text('a'),
    heading(2, 'Hotels'),
    text('b'),
    text('c'),
    heading(3, 'Abroad'),
    text('d'),
    heading(2, 'Food'),
    text('e'),
    heading(1, 'Leave'),
    text('f'),
    text('g'),
  ]);
  const spans = await Promise.all(
    passages.map(async (passage) => {
      const { from, to } = await findSection(index, { ...passage, documentId: 'd' });
      return `${passage.section}: ${passage.place} in ${from} to ${to}`;
    }),
  );
  expect(spans).toEqual([
    'Travel: 1 in 1 to 5',
    'Travel › Hotels: 2 in 2 to 4',
    'Travel › Hotels: 3 in 2 to 4',
    'Travel › Hotels › Abroad: 4 in 4 to 4',
    'Travel › Food: 5 in 5 to 5',
    'Leave: 6 in 6 to 7',
    'Leave: 7 in 6 to 7',
  ]);
});

it('of a long section, what is near is named, and of a text without headings the passage alone', async () => {
  const long = indexOf([heading(1, 'Log'), ...Array.from({ length: 40 }, () => text('entry'))]);
  expect(await findSection(long.index, { documentId: 'd', place: 20, section: 'Log' })).toEqual({
    from: 8,
    to: 32,
  });
  const bare = indexOf([text('a'), text('b')]);
  expect(await findSection(bare.index, { documentId: 'd', place: 1, section: '' })).toEqual({
    from: 1,
    to: 1,
  });
});

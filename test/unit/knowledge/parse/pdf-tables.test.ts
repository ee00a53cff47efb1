import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createParseFile } from '../../../../src/knowledge/parse/parse-file.ts';
import { toPassages } from '../../../../src/knowledge/passages.ts';

const FILES = join(import.meta.dirname, '../../../fixtures/pdf-tables');
const PROSE = [
  'Whoever travels writes down where they went, when they left, when they came back, and what was paid on the way, as well as by whom. What was paid is given back within a month.',
  'Whoever is ill on the way calls their manager, and the insurance, whose number is on the card that everybody gets. What that costs is paid by the company in every case.',
];

async function readTables(file: string) {
  const result = await createParseFile()(await readFile(join(FILES, file)), 'pdf');
  if (!result.ok) throw new Error(result.problem);
  const { blocks } = result.document;
  const tables = blocks.flatMap((block) => (block.kind === 'table' ? [[block.header, ...block.rows]] : []));
  return { tables, texts: blocks.flatMap((block) => (block.kind === 'text' ? block.text : [])), blocks };
}

it('finds tables in what Chromium printed, and none in a text of two columns', async () => {
  const { tables, texts, blocks } = await readTables('chromium.pdf');
  const note =
    'Without breakfast, which is paid apart from it when somebody stays longer than three nights there';
  expect(tables).toEqual([
    [
      ['City', 'Hotel (EUR)', 'Food (EUR)', 'Note'],
      ['Paris', '1,180', '45', note],
      ['Vienna', '150', '40', ''],
      ['Oslo', '210', '60', 'In winter'],
    ],
    [
      ['Plan', 'Seats', 'Price'],
      ['Small', '5', '€ 40'],
      ['Large team with support', '500', '€ 4,000'],
      ['All of it together', '', '€ 4,040'],
    ],
  ]);
  expect(texts).toEqual([
    expect.stringMatching(/^Employees may stay/),
    'After the table there is more of the text, which goes on as a paragraph does.',
    'Contact: Ana Phone: 12345',
    ...PROSE,
  ]);
  const whole = toPassages({ blocks }).find(({ text }) => text.includes('1,180'));
  expect(whole).toMatchObject({ page: 1, section: 'Travel rules' });
  expect(whole?.text).toBe(
    [
      '| City | Hotel (EUR) | Food (EUR) | Note |',
      `| Paris | 1,180 | 45 | ${note} |`,
      '| Vienna | 150 | 40 |  |',
      '| Oslo | 210 | 60 | In winter |',
    ].join('\n'),
  );
});

it('finds those of LibreOffice, whose rows aren’t lines, though words that it wrote as one stay together', async () => {
  const { tables, texts } = await readTables('libreoffice.pdf');
  expect(tables[0]?.map((row) => row.slice(0, 2))).toEqual([
    ['City', 'Hotel (EUR)'],
    ['Paris', '1,180'],
    ['Vienna', '150'],
    ['Oslo', '210'],
  ]);
  expect(tables[0]?.[3]).toEqual(['Oslo', '210', '60 In winter', '']);
  expect(tables[1]?.slice(0, 4).map((row) => [row[0], row[2]])).toEqual([
    ['Plan', 'Price'],
    ['Small', '€ 40'],
    ['Large team with support 500', '€ 4,000'],
    ['All of it together', '€ 4,040'],
  ]);
  expect(texts.slice(-2)).toEqual(PROSE);
});

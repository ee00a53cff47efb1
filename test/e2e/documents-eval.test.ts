import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { countersign } from '../helpers/command.ts';
import { makePdf } from '../helpers/made-documents.ts';
import { temporaryFolder } from '../helpers/process.ts';
import { startVectorServer } from '../helpers/topic-vectors.ts';

const SLOW = 180_000;
const QUESTIONS = `questions:
  - ask: How many days off do I have?
    finds: [{ document: handbook.md, section: days off }]
  - ask: What may a hotel cost?
    finds: [{ document: travel.pdf, page: 2 }]
  - { ask: Who pays for the gym?, finds: [{ document: handbook.md }] }
`;

/** A folder with documents, a configuration that names them, and a file of questions. */
function companyFolder(questions: string): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'docs'));
  const files = {
    'docs/handbook.md': '# Handbook\n\n## Days off\n\nEverybody has thirty days a year.\n',
    'docs/travel.pdf': makePdf([['Trains come first.'], ['A hotel costs up to 140 euros.']]),
    'docs/broken.xlsx': 'not a workbook',
    'countersign.yaml': 'knowledge: { folders: [docs] }\n',
    'questions.yaml': questions,
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

it(
  'learns the configured documents, asks the questions of a file, and prints how well they find',
  async () => {
    const folder = companyFolder(QUESTIONS);
    const run = (...args: readonly string[]) =>
      countersign(folder, ['documents', 'eval', 'questions.yaml', ...args]);
    const { code, stdout, stderr } = await run('--misses', '--chart', 'chart.svg');
    expect([code, stderr]).toEqual([
      0,
      "broken.xlsx can't be searched: it is broken, or not what its name says\n",
    ]);
    expect(stdout.replace(/ +[\d.]+ ms/, '   so long')).toBe(`3 questions about 2 documents in 3 passages

        hit@1   hit@8   nDCG@10     MRR   median
words   0.667   0.667     0.667   0.667   so long

words: 1 of 3 questions found nothing of what they should among the first 8.
  Who pays for the gym?
      should find handbook.md
      nothing was found
`);
    expect(readFileSync(join(folder, 'chart.svg'), 'utf8')).toContain('words: 0.667</title>');

    writeFileSync(join(folder, 'kept.json'), (await run('--json')).stdout);
    writeFileSync(join(folder, 'docs/gym.md'), 'Gym: the company pays.');
    writeFileSync(join(folder, 'questions.yaml'), QUESTIONS.replace(/handbook.md }\] }\n$/, 'gym.md }] }\n'));
    const again = await run('--against', 'kept.json');
    expect(again.stdout).toContain('1.000 (+0.333)');
    expect(again.stdout).toContain('+ words: Who pays for the gym?');
  },
  SLOW,
);

it('compares words, vectors and both where a model makes vectors', { timeout: SLOW }, async () => {
  const folder = companyFolder(QUESTIONS);
  const { url } = await startVectorServer();
  const knowledge = { folders: ['docs'], embeddings: { url, model: 'small' } };
  writeFileSync(join(folder, 'countersign.yaml'), JSON.stringify({ knowledge }));
  const { code, stdout } = await countersign(folder, ['documents', 'eval', 'questions.yaml']);
  expect(code).toBe(0);
  expect(stdout.match(/^(words|vectors|both) +[\d.]+/gm)).toHaveLength(3);
});

it('says at which line what a file of questions names is not in the documents', async () => {
  const folder = companyFolder(`folders: [docs]
questions:
  - ask: How many days off do I have?
    finds:
      - { document: handbok.md }
      - { document: handbook.md, section: Holidays }
  - { ask: What may a hotel cost?, finds: [{ document: travel.pdf, page: 3 }] }
  - { ask: What is broken?, finds: [{ document: broken.xlsx }] }
`);
  const { code, stdout, stderr } = await countersign(folder, ['documents', 'eval', 'questions.yaml']);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr.split('\n').slice(1, -1)).toEqual([
    'questions.yaml:5: questions, 1st: finds, 1st: document: there is no document handbok.md that can be searched; did you mean handbook.md?',
    'questions.yaml:6: questions, 1st: finds, 2nd: section: no passage of handbook.md is there under such a heading; it has Handbook › Days off',
    'questions.yaml:7: questions, 2nd: finds, 1st: page: no passage of travel.pdf is on page 3',
    'questions.yaml:8: questions, 3rd: finds, 1st: document: there is no document broken.xlsx that can be searched; there are handbook.md, travel.pdf',
  ]);
});

it.each([
  ['questions: [{ asks: a }]', /questions\.yaml:1: questions, 1st: asks: .*did you mean ask\?/],
  ['folders: [docs]', /questions\.yaml:1: questions: must list questions/],
  ['questions: []', /questions\.yaml:1: questions: must list questions/],
  [
    'folders: [nowhere]\nquestions: [{ ask: a, finds: [{ document: a.md }] }]',
    /There is no folder .*nowhere\. No question was asked\./,
  ],
])('refuses a file of questions such as %s', async (questions, problem) => {
  const { code, stdout, stderr } = await countersign(companyFolder(questions), [
    'documents',
    'eval',
    'questions.yaml',
  ]);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(problem);
});

it('says what to do where there is nothing to compare with', async () => {
  const folder = companyFolder(QUESTIONS);
  const run = (file: string) =>
    countersign(folder, ['documents', 'eval', 'questions.yaml', '--against', file]);
  expect((await run('none.json')).stderr).toBe(
    'There is no file none.json: write one with --json > none.json before you change something. No question was asked.\n',
  );
  expect((await run('questions.yaml')).stderr).toBe(
    "questions.yaml isn't what an earlier --json printed. No question was asked.\n",
  );
});

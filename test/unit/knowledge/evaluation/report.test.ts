import { expect, it } from 'vitest';
import { evaluate } from '../../../../src/knowledge/evaluation/evaluate.ts';
import {
  describeEvaluation,
  drawChart,
  keptEvaluationSchema,
} from '../../../../src/knowledge/evaluation/index.ts';

const QUESTIONS = [
  { ask: 'How many days off?', finds: [{ document: 'leave.md', section: 'Days off' }] },
  { ask: 'What is a badge?', finds: [{ document: 'badges.pdf', page: 3 }, { document: 'faq.md' }] },
];

/** Finds these documents, whatever the question is. */
function evaluateFinding(name: string, documents: readonly string[]) {
  const found = documents.map((document) => ({ document, place: 1, page: 3, section: 'Days off' }));
  return evaluate(QUESTIONS, [{ name, search: async () => found }], () => 0);
}

it('shows the figures in a table, and the changes since an earlier evaluation as it was kept', async () => {
  const before = await evaluateFinding('words', ['leave.md']);
  const kept = keptEvaluationSchema.parse(JSON.parse(JSON.stringify({ contenders: before })));
  const now = await evaluateFinding('words', ['other.md', 'badges.pdf']);
  expect(describeEvaluation(now, { questions: QUESTIONS, before: kept, misses: false })).toEqual([
    '                 hit@1            hit@8          nDCG@10              MRR   median',
    'words   0.000 (−0.500)   0.500 (±0.000)   0.193 (−0.307)   0.250 (−0.250)   0.0 ms',
    '',
    '− words: How many days off? (no longer found)',
    '+ words: What is a badge?',
  ]);
});

it('lists what each contender missed, what it should have found, and what came first', async () => {
  const [one] = await evaluateFinding('words', ['other.md']);
  const [two] = await evaluateFinding('vectors', []);
  if (!one || !two) throw new Error('nothing was evaluated');
  const lines = describeEvaluation([one, two], { questions: QUESTIONS, before: null, misses: true });
  expect(
    lines.slice(4).join('\n'),
  ).toBe(`words: 2 of 2 questions found nothing of what they should among the first 8.
  How many days off?
      should find leave.md, Days off
      first is other.md, page 3, Days off
  What is a badge?
      should find badges.pdf, page 3; faq.md
      first is other.md, page 3, Days off

vectors: 2 of 2 questions found nothing of what they should among the first 8.
  How many days off?
      should find leave.md, Days off
      nothing was found
  What is a badge?
      should find badges.pdf, page 3; faq.md
      nothing was found`);
});

it('draws a bar for each figure of each contender, escaped and for light and dark', async () => {
  const picture = drawChart(
    [...(await evaluateFinding('words', ['leave.md'])), ...(await evaluateFinding('a & b', ['faq.md']))],
    '2 <questions>',
  );
  expect(picture.match(/<rect class="c[01]" x="96"[^>]* height="18"/g)).toHaveLength(8);
  expect(picture).toContain('words: 0.500</title>');
  expect(picture).toContain('a &#38; b');
  expect(picture).toContain('2 &#60;questions&#62;');
  expect(picture).toContain('prefers-color-scheme: dark');
});

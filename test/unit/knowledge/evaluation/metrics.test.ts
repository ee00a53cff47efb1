import { describe, expect, it } from 'vitest';
import { evaluate, isMissed } from '../../../../src/knowledge/evaluation/evaluate.ts';
import {
  type FoundPlace,
  findRanks,
  meanMetrics,
  measureRanks,
} from '../../../../src/knowledge/evaluation/metrics.ts';

function found(document: string, more: Partial<FoundPlace> = {}): FoundPlace {
  return { document, place: 1, page: null, section: '', ...more };
}

describe('the ranks at which targets are found', () => {
  it('are those of the first passage that fits each', () => {
    const places = [found('other.md'), found('a.pdf', { page: 2 }), found('a.pdf', { page: 3 })];
    expect(findRanks([{ document: 'a.pdf', page: 3 }], places)).toEqual([3]);
    expect(findRanks([{ document: 'a.pdf' }, { document: 'b.md' }], places)).toEqual([2, null]);
  });

  it('count a passage for one target', () => {
    const places = [found('a.md', { section: 'Leave' }), found('a.md', { section: 'Pay', place: 2 })];
    expect(findRanks([{ document: 'a.md' }, { document: 'a.md' }], places)).toEqual([1, 2]);
    expect(findRanks([{ document: 'a.md' }, { document: 'a.md' }], places.slice(1))).toEqual([1, null]);
  });

  it('look at headings by their words, and at places', () => {
    const places = [
      found('a.md', { section: 'Rules › Days off' }),
      found('a.md', { section: 'Pay', place: 7 }),
    ];
    expect(findRanks([{ document: 'a.md', section: 'days OFF' }], places)).toEqual([1]);
    expect(findRanks([{ document: 'a.md', places: [6, 7] }], places)).toEqual([2]);
    expect(findRanks([{ document: 'a.md', places: [8] }], places)).toEqual([null]);
  });

  it('end at the tenth', () => {
    const places = [...Array.from({ length: 10 }, () => found('b.md')), found('a.md')];
    expect(findRanks([{ document: 'a.md' }], places)).toEqual([null]);
  });
});

describe('the metrics', () => {
  it.each([
    { ranks: [1], metrics: { hit1: 1, hit8: 1, ndcg10: 1, mrr: 1 } },
    // 1 / log2(1 + 3)
    { ranks: [3], metrics: { hit1: 0, hit8: 1, ndcg10: 0.5, mrr: 1 / 3 } },
    { ranks: [8], metrics: { hit1: 0, hit8: 1, ndcg10: 0.3155, mrr: 1 / 8 } },
    { ranks: [9], metrics: { hit1: 0, hit8: 0, ndcg10: 0.301, mrr: 1 / 9 } },
    { ranks: [null], metrics: { hit1: 0, hit8: 0, ndcg10: 0, mrr: 0 } },
    // (1 / log2(2) + 1 / log2(4)) of (1 / log2(2) + 1 / log2(3)): 1.5 / 1.6309
    { ranks: [1, 3], metrics: { hit1: 1, hit8: 1, ndcg10: 0.9197, mrr: 1 } },
    // 0.5 of 1.6309
    { ranks: [null, 3], metrics: { hit1: 0, hit8: 1, ndcg10: 0.3066, mrr: 1 / 3 } },
    { ranks: [2, 1], metrics: { hit1: 1, hit8: 1, ndcg10: 1, mrr: 1 } },
  ])('of $ranks', ({ ranks, metrics }) => {
    const measured = measureRanks(ranks);
    expect({ ...measured, ndcg10: Number(measured.ndcg10.toFixed(4)) }).toEqual(metrics);
  });

  it('of many are the means', () => {
    expect(meanMetrics([measureRanks([1]), measureRanks([3]), measureRanks([null])])).toEqual({
      hit1: 1 / 3,
      hit8: 2 / 3,
      ndcg10: 0.5,
      mrr: (1 + 1 / 3) / 3,
    });
    expect(meanMetrics([]).hit8).toBe(0);
  });
});

it('asks each contender each question, and says what is missed and how long the median took', async () => {
  const times = [0, 5, 10, 11, 20, 120];
  const contender = {
    name: 'words',
    search: async (question: string) => (question === 'lost' ? [] : [found(`${question}.md`)]),
  };
  const questions = ['a', 'lost', 'b'].map((ask) => ({ ask, finds: [{ document: 'a.md' }] }));
  const [evaluated] = await evaluate(questions, [contender], () => times.shift() ?? Number.NaN);
  expect(evaluated).toMatchObject({ name: 'words', hit1: 1 / 3, medianMs: 5 });
  expect(evaluated?.questions).toEqual([
    { ask: 'a', ranks: [1], first: found('a.md') },
    { ask: 'lost', ranks: [null], first: null },
    { ask: 'b', ranks: [null], first: found('b.md') },
  ]);
  expect(evaluated?.questions.map(isMissed)).toEqual([false, true, true]);
});

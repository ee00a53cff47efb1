import { describe, expect, it } from 'vitest';
import { createRerank } from '../../../../src/knowledge/search/rerank.ts';

const PASSAGES = ['apples', 'pears', 'plums'];

describe('the order that a model gives passages', () => {
  it.each([
    ['[3, 1]', [2, 0]],
    ['```json\n[2]\n```', [1]],
    ['Passages [3] and then: [1, 3, 2]', [0, 2, 1]],
    ['[4, 1]', null],
    ['[1, 1]', null],
    ['[0]', null],
    ['[]', null],
    ['None of them helps.', null],
    ['{"order": "1"}', null],
  ])('is read from %j as %j', async (said, order) => {
    expect(await createRerank(async () => said)('fruit?', PASSAGES)).toEqual(order);
  });

  it('is asked with each line of a passage marked, and cut', async () => {
    let text = '';
    await createRerank(async (request) => {
      text = request.text;
      return '[1]';
    })('fruit?', ['one\n[2]\nthree', 'x'.repeat(5_000)]);
    expect(text).toContain('[1]\n> one\n> [2]\n> three');
    expect(text.length).toBeLessThan(1_400);
  });

  it('is none where the model fails or takes too long, which is then stopped', async () => {
    const failing = createRerank(() => Promise.reject(new Error('busy')));
    expect(await failing('fruit?', PASSAGES)).toBeNull();
    let isStopped = false;
    const slow = createRerank((_request, signal) => {
      signal.addEventListener('abort', () => {
        isStopped = true;
      });
      return new Promise(() => undefined);
    }, 20);
    expect(await slow('fruit?', PASSAGES)).toBeNull();
    expect(isStopped).toBe(true);
  });
});

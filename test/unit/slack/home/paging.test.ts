import { describe, expect, it } from 'vitest';
import { PAGE_SIZES, toPage } from '../../../../src/slack/home/paging.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('the pages of a list', () => {
  it('make it up, each item on one of them', () => {
    const items = numbers(25);
    const pages = numbers(4).map((page) => toPage('waiting', items, page, { isMore: false }));
    expect(pages.flatMap((page) => page.items)).toEqual(items);
    expect(pages.map((page) => page.items.length)).toEqual([8, 8, 8, 1]);
  });

  it.each([
    ['before the first is the first', -1, 0],
    ['after the last is the last, as when the list has become shorter', 99, 3],
  ])('%s', (_, page, nearest) => {
    expect(toPage('waiting', numbers(25), page, { isMore: false }).at).toBe(nearest);
  });

  it('of nothing are one that is empty', () => {
    expect(toPage('asked', [], 3, { isMore: false })).toEqual({ items: [], at: 0, count: 0, isMore: false });
  });

  it('count what was read, and not what is shown', () => {
    expect(toPage('asked', numbers(200), 0, { isMore: true })).toMatchObject({ count: 200, isMore: true });
    expect(toPage('asked', numbers(200), 0, { isMore: true }).items).toHaveLength(PAGE_SIZES.asked);
  });
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findNews } from '../../../src/schedules/news.ts';
import type { Thing } from '../../../src/schedules/ports.ts';

/** After all that is listed. */
const NOW = 10_000_000;

/** Since when each of 600 things is there; some come at one moment. */
const sinceOf = (number: number): number => Math.floor(number / 3);

/** Lists of a service, of any length: what is listed comes and goes. */
const lists = fc.array(fc.uniqueArray(fc.nat({ max: 599 }), { maxLength: 400, size: 'max' }), {
  minLength: 2,
  maxLength: 8,
});

/** What one account has. */
function inOne(things: readonly Thing[]) {
  return { things, account: 'ana@example.com' };
}

function readIds({ news }: ReturnType<typeof findNews>): readonly Thing['id'][] {
  return news.map(({ id }) => id);
}

/** What is new at each list, by looks that go on until nothing waits. */
function lookAtAll(listed: readonly (readonly number[])[]): readonly (readonly Thing['id'][])[] {
  let seen: Parameters<typeof findNews>[1] = null;
  return listed.map((numbers) => {
    const things = numbers.map((number) => ({ id: String(number), since: sinceOf(number) }));
    const news: Thing['id'][] = [];
    do {
      const found = findNews(inOne(things), seen, NOW);
      expect(found.news.length).toBeLessThanOrEqual(10);
      seen = found.seen;
      news.push(...readIds(found));
    } while (seen.waiting.length > 0);
    return news;
  });
}

it('finds nothing new twice, and nothing that was there at first, whatever is listed', () => {
  fc.assert(
    fc.property(lists, (listed) => {
      const news = lookAtAll(listed).flat();
      expect(new Set(news).size).toBe(news.length);
      expect(news.filter((id) => listed[0]?.includes(Number(id)))).toEqual([]);
    }),
    // To make long lists shorter takes minutes.
    { endOnFailure: true },
  );
});

it('finds all that comes, though a list is longer than what is kept of earlier ones', () => {
  const range = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const [first, ...news] = lookAtAll([range(0, 10), range(0, 310), range(5, 350), range(5, 350)]);
  expect([first, ...news.map(({ length }) => length)]).toEqual([[], 300, 40, 0]);
});

it('loses nothing where more wait than are kept, as long as it is listed', () => {
  const things = Array.from({ length: 400 }, (_, index) => ({ id: index, since: index }));
  let { seen } = findNews(inOne(things.slice(0, 1)), null, NOW);
  const news: Thing['id'][] = [];
  do {
    const found = findNews(inOne(things), seen, NOW);
    seen = found.seen;
    expect(seen.waiting.length).toBeLessThanOrEqual(200);
    news.push(...readIds(found));
  } while (seen.waiting.length > 0);
  expect(news).toEqual(things.slice(1).map(({ id }) => id));
});

it('takes nothing for new that comes up from below as others are deleted, and keeps a bounded number', () => {
  let seen: Parameters<typeof findNews>[1] = null;
  const issues = (from: number) =>
    inOne(
      Array.from({ length: 50 }, (_, index) => ({ id: String(from + index), since: (from + index) * 1_000 })),
    );
  for (let from = 0; from < 1_000; from += 50) {
    do ({ seen } = findNews(issues(from), seen, NOW));
    while (seen.waiting.length > 0);
  }
  const below = findNews(issues(0), seen, NOW);
  expect([below.news, below.seen.things?.length]).toEqual([[], 200]);
});

it('isn’t blind for what comes, because something says that it was made in the future', () => {
  const future = { id: 'future', since: NOW * 2 };
  const real = { id: 'real', since: NOW - 1 };
  const first = findNews(inOne([future]), null, NOW - 10);
  const second = findNews(inOne([future, real]), first.seen, NOW);
  expect(readIds(second)).toEqual(['real']);
  const third = findNews(inOne([future, real, { id: 'next', since: NOW }]), second.seen, NOW);
  expect(readIds(third)).toEqual(['next']);
});

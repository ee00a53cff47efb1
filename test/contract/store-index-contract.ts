import { describe, expect, test } from 'vitest';
import { type IndexKey, type Page, put, type Range, ref, type Store } from '../../src/storage/store.ts';
import { entries, note, notes, notesWithKeys, readIds } from './store-collections.ts';

/** What every driver's indexes must do. `opened` gives the test's own empty store. */
export function indexContract(name: string, opened: () => Store): void {
  const ids = async (range: Range) => readIds(await opened().query(notes, 'byKey', range, 1_000));
  const putKeys = (keys: Record<string, IndexKey | null>) => opened().commit({ put: notesWithKeys(keys) });

  describe(`${name}: indexes`, () => {
    test('keys are in order: numbers by value, before strings by code point, shorter keys first', async () => {
      const inOrder: IndexKey[] = [
        [],
        [-1e300],
        [-2],
        [-1.5],
        [-5e-324],
        [0],
        [5e-324],
        [0.1],
        [1],
        [1, 'x'],
        [1.5],
        [9],
        [10],
        [1_700_000_000_000],
        [Number.MAX_VALUE],
        [''],
        ['', 1],
        ['\u0000'],
        ['\u0001'],
        ['\u0001\u0001'],
        ['\u0002'],
        ['\u0003'],
        ['1'],
        ['C1'],
        ['C1', -1],
        ['C1', 'a'],
        ['C1\u0000'],
        ['C12'],
        ['a'],
        ['a', 'z'],
        ['a\u0000'],
        ['a\u0001'],
        ['a\u0002'],
        ['ab'],
        ['é'],
        ['\ue000'],
        ['\uffff'],
        ['😀'],
        ['🦊'],
      ];
      const named = inOrder.map((key, place): [string, IndexKey] => [String(place).padStart(2, '0'), key]);
      await putKeys(Object.fromEntries(named.toReversed()));
      expect(await ids({})).toEqual(named.map(([id]) => id));
      expect(await ids({ descending: true })).toEqual(named.map(([id]) => id).toReversed());
    });

    test('a prefix holds its own keys and no longer text', async () => {
      await putKeys({
        bare: ['C1'],
        one: ['C1', 1],
        text: ['C1', 'x'],
        longer: ['C12'],
        low: ['C1\u0000'],
        B: ['C0'],
      });
      expect(await ids({ prefix: ['C1'] })).toEqual(['bare', 'one', 'text']);
      expect(await ids({ prefix: ['C1'], descending: true })).toEqual(['text', 'one', 'bare']);
      expect(await ids({ prefix: ['C1', 1] })).toEqual(['one']);
      expect(await ids({ prefix: ['C'] })).toEqual([]);
    });

    test('a prefix that ends in the highest character holds its keys', async () => {
      await putKeys({ a: ['\u{10ffff}', 1], b: ['\u{10ffff}\u{10ffff}'] });
      expect(await ids({ prefix: ['\u{10ffff}'] })).toEqual(['a']);
    });

    test('a prefix and an end on either side of the surrogates narrow each other by code point', async () => {
      await putKeys({ a: ['\uffff'], b: ['\uffffx'], c: ['🦊'] });
      expect(await ids({ prefix: ['\uffff'], before: ['🦊'] })).toEqual(['a']);
      expect(await ids({ prefix: ['🦊'], from: ['\uffff'] })).toEqual(['c']);
    });

    test('a count is of the part that is asked for, and of no more than it may be', async () => {
      await putKeys({ a: ['A', 1], b: ['B', 1], c: ['B', 2], d: ['B', 3], e: ['C', 1], f: null });
      const count = (range: Range, atMost = 10) => opened().count(notes, 'byKey', range, atMost);
      expect(await count({})).toBe(5);
      expect(await count({ prefix: ['B'] })).toBe(3);
      expect(await count({ prefix: ['B'], descending: true })).toBe(3);
      expect(await count({ prefix: ['B'], from: ['B', 2], before: ['B', 3] })).toBe(1);
      expect(await count({ from: ['C'], before: ['B'] })).toBe(0);
      expect(await count({}, 2)).toBe(2);
      await opened().commit({ delete: [ref(notes, 'b')] });
      expect(await count({ prefix: ['B'] })).toBe(2);
    });

    test('from is included and before is not', async () => {
      await putKeys({ a: [1], b: [2], c: [3], d: [4] });
      expect(await ids({ from: [2], before: [4] })).toEqual(['b', 'c']);
      expect(await ids({ from: [2.5] })).toEqual(['c', 'd']);
      expect(await ids({ before: [2] })).toEqual(['a']);
      expect(await ids({ from: [4], before: [2] })).toEqual([]);
    });

    test('from and before narrow a prefix and never widen it', async () => {
      await putKeys({ a1: ['A', 1], b1: ['B', 1], b2: ['B', 2], b3: ['B', 3], c1: ['C', 1] });
      expect(await ids({ prefix: ['B'], from: ['B', 2] })).toEqual(['b2', 'b3']);
      expect(await ids({ prefix: ['B'], before: ['B', 3] })).toEqual(['b1', 'b2']);
      expect(await ids({ prefix: ['B'], from: ['A', 1], before: ['C', 9] })).toEqual(['b1', 'b2', 'b3']);
      expect(await ids({ prefix: ['B'], before: ['B', 3], descending: true })).toEqual(['b2', 'b1']);
    });

    test('equal keys are in the order of their ids, by code point', async () => {
      await putKeys({ b: ['k'], a: ['k'], B: ['k'], '🦊': ['k'], '\uffff': ['k'] });
      expect(await ids({})).toEqual(['B', 'a', 'b', '\uffff', '🦊']);
    });

    test.each([false, true])(
      'pages with ties show every record once, in order (descending: %s)',
      async (descending) => {
        const keys: Record<string, IndexKey> = {};
        for (let place = 0; place < 23; place++)
          keys[`id${String(place).padStart(2, '0')}`] = [Math.floor(place / 9)];
        await putKeys(keys);
        const whole = await ids({ descending });
        expect(whole).toHaveLength(23);
        for (const limit of [1, 4, 22, 23, 24]) {
          const paged: string[] = [];
          let cursor: string | null = null;
          do {
            const page: Page<unknown> = await opened().query(
              notes,
              'byKey',
              cursor === null ? { descending } : { descending, cursor },
              limit,
            );
            expect(page.items.length).toBeLessThanOrEqual(limit);
            paged.push(...readIds(page));
            cursor = page.next;
          } while (cursor !== null);
          expect(paged).toEqual(whole);
        }
      },
    );

    test('a page goes on where the last one ended though its last record is gone and others came', async () => {
      await putKeys({ a: [1], b: [2], c: [3], d: [4] });
      const { next } = await opened().query(notes, 'byKey', {}, 2);
      if (next === null) throw new Error('there is no second page');
      await opened().commit({ delete: [ref(notes, 'b')], put: [note('early', [1.5]), note('late', [3.5])] });
      expect(await ids({ cursor: next })).toEqual(['c', 'late', 'd']);
    });

    test('a record whose key is null is left out, and comes in when it gets one', async () => {
      await putKeys({ a: null, b: ['k'] });
      expect(await ids({})).toEqual(['b']);
      await putKeys({ a: ['k'], b: null });
      expect(await ids({})).toEqual(['a']);
    });

    test('putting a record moves its entry in every index', async () => {
      await opened().commit({ put: [put(notes, 'a', { text: '', key: ['old'], label: 'old' })] });
      await opened().commit({ put: [put(notes, 'a', { text: '', key: ['new'] })] });
      expect(await ids({ prefix: ['old'] })).toEqual([]);
      expect(await ids({ prefix: ['new'] })).toEqual(['a']);
      expect(readIds(await opened().query(notes, 'byLabel', {}, 10))).toEqual([]);
    });

    test('the indexes of two collections do not mix', async () => {
      await opened().commit({ put: [note('a', [1]), put(entries, 'b', { n: 1 })] });
      expect(await ids({})).toEqual(['a']);
      expect(readIds(await opened().query(entries, 'byNumber', {}, 10))).toEqual(['b']);
    });
  });
}

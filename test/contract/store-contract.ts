import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { DamagedRecordError, StoreError } from '../../src/lib/errors.ts';
import {
  absent,
  type IndexKey,
  put,
  type Range,
  ref,
  type Store,
  unchanged,
} from '../../src/storage/store.ts';
import { type ChildTarget, runCounters, runLedgerUntilKilled } from './store-children.ts';
import {
  counters,
  ENTRIES_PER_COMMIT,
  entries,
  ledgers,
  note,
  notes,
  notesWithKeys,
  readIds,
} from './store-collections.ts';
import { indexContract } from './store-index-contract.ts';

/** One empty store, as a driver's contract test provides it. */
export interface OpenedStore {
  readonly store: Store;
  /** Another connection to the same data; the first one stays open. */
  reopen(): Promise<Store>;
  /** How a child process opens the same data. */
  readonly child: ChildTarget;
  /** Closes every connection and removes the data. */
  dispose(): Promise<void>;
}

/** What every driver of the store port must do. */
export function storeContract(name: string, open: () => Promise<OpenedStore>): void {
  let opened: OpenedStore;
  let store: Store;

  const ids = async (range: Range) => readIds(await store.query(notes, 'byKey', range, 1_000));
  const putKeys = (keys: Record<string, IndexKey | null>) => store.commit({ put: notesWithKeys(keys) });
  const textOf = async (id: string) => (await store.get(notes, id))?.value.text ?? null;

  beforeEach(async () => {
    opened = await open();
    store = opened.store;
  });
  afterEach(() => opened.dispose());

  describe(`${name}: commit`, () => {
    test('a record that was put is read back with the number of its commit', async () => {
      const result = await store.commit({ put: [note('a', null, 'hello')] });
      expect(result).toEqual({ committed: true, version: expect.any(Number) });
      expect(await store.get(notes, 'a')).toEqual({
        id: 'a',
        version: result.committed && result.version,
        value: { text: 'hello', key: null },
      });
    });

    test('a record that was never put is null', async () => {
      expect(await store.get(notes, 'a')).toBeNull();
    });

    test('the same id in two collections is two records', async () => {
      await store.commit({ put: [note('a', null, 'note'), put(counters, 'a', { count: 7 })] });
      await store.commit({ delete: [ref(notes, 'a')] });
      expect(await store.get(notes, 'a')).toBeNull();
      expect((await store.get(counters, 'a'))?.value).toEqual({ count: 7 });
    });

    test('all records of one commit have its number, and the next commit has a higher one', async () => {
      await store.commit({ put: [note('a', null), note('b', null)] });
      await store.commit({ put: [note('c', null)] });
      const [a, b, c] = await store.getMany(notes, ['a', 'b', 'c']);
      expect(a?.version).toBe(b?.version);
      expect(c?.version).toBeGreaterThan(a?.version ?? Number.POSITIVE_INFINITY);
    });

    test('a broken expectation of a version writes nothing', async () => {
      await store.commit({ put: [note('a', ['k'], 'first'), note('gone', null)] });
      const read = await store.get(notes, 'a');
      if (read === null) throw new Error('the record is missing');
      await store.commit({ put: [note('a', ['k'], 'second')] });
      const result = await store.commit({
        expect: [unchanged(notes, read)],
        put: [note('a', ['other'], 'third'), note('b', ['k'])],
        delete: [ref(notes, 'gone')],
      });
      expect(result).toEqual({ committed: false, conflict: { collection: 'notes', id: 'a' } });
      expect(await textOf('a')).toBe('second');
      expect(await textOf('gone')).toBe('');
      expect(await ids({})).toEqual(['a']);
      expect(await ids({ prefix: ['k'] })).toEqual(['a']);
    });

    test('a broken expectation of absence writes nothing', async () => {
      await store.commit({ put: [note('a', null, 'first')] });
      const result = await store.commit({ expect: [absent(notes, 'a')], put: [note('a', null, 'second')] });
      expect(result).toEqual({ committed: false, conflict: { collection: 'notes', id: 'a' } });
      expect(await textOf('a')).toBe('first');
    });

    test('an expected version of a record that was deleted is a conflict', async () => {
      await store.commit({ put: [note('a', null)] });
      const read = await store.get(notes, 'a');
      if (read === null) throw new Error('the record is missing');
      await store.commit({ delete: [ref(notes, 'a')] });
      const result = await store.commit({ expect: [unchanged(notes, read)], put: [note('a', null)] });
      expect(result.committed).toBe(false);
      expect(await store.get(notes, 'a')).toBeNull();
    });

    test('the conflict is the first expectation that did not hold', async () => {
      await store.commit({ put: [note('a', null), note('b', null), note('c', null)] });
      const expectations = [absent(notes, 'free'), absent(notes, 'c'), absent(notes, 'a')];
      const result = await store.commit({ expect: expectations, put: [note('d', null)] });
      expect(result).toEqual({ committed: false, conflict: { collection: 'notes', id: 'c' } });
    });

    test('expectations that hold let the commit happen', async () => {
      await store.commit({ put: [note('a', null, 'first')] });
      const read = await store.get(notes, 'a');
      if (read === null) throw new Error('the record is missing');
      const result = await store.commit({
        expect: [unchanged(notes, read), absent(notes, 'b')],
        put: [note('a', null, 'second'), note('b', null)],
      });
      expect(result.committed).toBe(true);
      expect(await textOf('a')).toBe('second');
    });

    test('a record that is put and not expected is overwritten whatever it was', async () => {
      await store.commit({ put: [note('a', null, 'first')] });
      await store.commit({ put: [note('a', null, 'second')] });
      expect(await textOf('a')).toBe('second');
    });

    test('a deleted record is gone from the collection and its indexes', async () => {
      await putKeys({ a: ['k'], b: ['k'] });
      await store.commit({ delete: [ref(notes, 'a')] });
      expect(await store.get(notes, 'a')).toBeNull();
      expect(await ids({})).toEqual(['b']);
    });

    test('deleting a record that is not there changes nothing', async () => {
      await putKeys({ a: ['k'] });
      expect((await store.commit({ delete: [ref(notes, 'b')] })).committed).toBe(true);
      expect(await ids({})).toEqual(['a']);
    });

    test('a record that is deleted and put again never has a version it had before', async () => {
      const seen = new Set<number>();
      for (let round = 0; round < 5; round++) {
        await store.commit({ put: [note('a', null)] });
        seen.add((await store.get(notes, 'a'))?.version ?? -1);
        await store.commit({ delete: [ref(notes, 'a')] });
      }
      expect(seen.size).toBe(5);
    });

    test('a change that writes one record twice is refused as a whole', async () => {
      const twice = store.commit({ put: [note('a', null), note('b', null)], delete: [ref(notes, 'a')] });
      await expect(twice).rejects.toThrow(RangeError);
      expect(await store.getMany(notes, ['a', 'b'])).toEqual([null, null]);
    });

    test.each(['', '\ud800'])('the id %j is refused', async (id) => {
      await expect(store.get(notes, id)).rejects.toThrow(RangeError);
      await expect(store.commit({ put: [{ ...note('a', null), id }] })).rejects.toThrow(RangeError);
    });

    test.each(['a b', 'a\u0000b', 'a\nb', 'é', '🦊', 'slack:T1:C1:1700000000.000100', 'a\'b"c', '%_*?[a]'])(
      'the id %j names one record',
      async (id) => {
        await store.commit({ put: [note(id, ['k'], 'this'), note('a', ['k'], 'that')] });
        expect(await store.get(notes, id)).toMatchObject({ id, value: { text: 'this' } });
        expect((await store.getMany(notes, [id]))[0]?.id).toBe(id);
        expect((await ids({})).toSorted()).toEqual([id, 'a'].toSorted());
      },
    );

    test('a value of one megabyte is read back whole', async () => {
      const text = '0123456789abcdeé'.repeat(65_536);
      await store.commit({ put: [note('a', ['k'], text)] });
      expect(await textOf('a')).toBe(text);
      expect((await store.query(notes, 'byKey', {}, 1)).items[0]?.value.text).toBe(text);
    });

    test('text with control characters and half surrogates is read back as it was', async () => {
      const text = '\u0000\u0001\u0002\u001f"\\\u2028\ud800 end';
      await store.commit({ put: [note('a', null, text)] });
      expect(await textOf('a')).toBe(text);
    });
  });

  describe(`${name}: reading`, () => {
    test('records are read in the order asked for, null where there is none', async () => {
      await store.commit({ put: [note('a', null, 'A'), note('b', null, 'B')] });
      const read = await store.getMany(notes, ['b', 'missing', 'a', 'b']);
      expect(read.map((record) => record?.value.text ?? null)).toEqual(['B', null, 'A', 'B']);
      expect(await store.getMany(notes, [])).toEqual([]);
    });

    test('a record that does not fit its schema is a StoreError that names it and not its content', async () => {
      const strict = { ...notes, schema: z.object({ text: z.literal('never'), key: z.null() }), indexes: {} };
      await store.commit({ put: [note('a', ['k'], 'a secret')] });
      const error = await store.get(strict, 'a').catch((thrown: unknown) => thrown);
      if (!(error instanceof StoreError)) throw new Error('no StoreError was thrown');
      expect(error.userMessage).toContain('record a in notes');
      expect(JSON.stringify([error.message, error.userMessage, String(error.cause)])).not.toContain('secret');
    });

    test('a record that nothing can be made of is said to be damaged, and read as it is without a schema', async () => {
      const damaged = { ...note('b', ['k']), json: 'a secret' };
      await store.commit({ put: [note('a', ['k'], 'A'), damaged, note('c', ['k'], 'C')] });
      const error = await store.query(notes, 'byKey', {}, 10).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(DamagedRecordError);
      expect(error).toMatchObject({ collection: 'notes', id: 'b' });
      const schemaless = { ...notes, schema: z.unknown(), indexes: { byKey: () => null } };
      const page = await store.query(schemaless, 'byKey', {}, 10);
      expect(page.items.map(({ id, value }) => [id, value])).toEqual([
        ['a', { text: 'A', key: ['k'] }],
        ['b', undefined],
        ['c', { text: 'C', key: ['k'] }],
      ]);
    });

    test('an index that the collection does not declare is a mistake of the program', async () => {
      await expect(store.query(notes, 'byColour', {}, 1)).rejects.toThrow(RangeError);
      await expect(store.query(notes, 'toString', {}, 1)).rejects.toThrow(RangeError);
    });

    test.each([0, -1, 1.5, Number.NaN])('the limit %s is a mistake of the program', async (limit) => {
      await expect(store.query(notes, 'byKey', {}, limit)).rejects.toThrow(RangeError);
    });

    test.each(['', 'nonsense', 'W10', 'eyJhIjoxfQ'])('the cursor %j is refused', async (cursor) => {
      await putKeys({ a: ['k'] });
      await expect(store.query(notes, 'byKey', { cursor }, 1)).rejects.toMatchObject({ code: 'bad_cursor' });
    });

    test('a cursor of another range opens nothing outside the range that is asked for', async () => {
      await putKeys({ a1: ['A', 1], a2: ['A', 2], b1: ['B', 1], b2: ['B', 2] });
      const { next } = await store.query(notes, 'byKey', { prefix: ['A'] }, 1);
      if (next === null) throw new Error('there is no second page');
      for (const descending of [false, true]) {
        const stolen = store.query(notes, 'byKey', { prefix: ['B'], cursor: next, descending }, 10);
        await expect(stolen).rejects.toMatchObject({ code: 'bad_cursor' });
      }
    });

    test('a closed store refuses everything with a StoreError', async () => {
      await store.close();
      await expect(store.get(notes, 'a')).rejects.toThrow(StoreError);
      await expect(store.getMany(notes, ['a'])).rejects.toThrow(StoreError);
      await expect(store.query(notes, 'byKey', {}, 1)).rejects.toThrow(StoreError);
      await expect(store.commit({ put: [note('a', null)] })).rejects.toThrow(StoreError);
    });

    test('closing twice is harmless', async () => {
      await store.close();
      await expect(store.close()).resolves.toBeUndefined();
    });

    test('what was committed is there for another connection and after reopening', async () => {
      await store.commit({ put: [note('a', ['k'], 'kept')] });
      const other = await opened.reopen();
      expect((await other.get(notes, 'a'))?.value.text).toBe('kept');
      await store.close();
      await other.close();
      const later = await opened.reopen();
      expect((await later.get(notes, 'a'))?.value.text).toBe('kept');
      expect(readIds(await later.query(notes, 'byKey', {}, 10))).toEqual(['a']);
      const result = await later.commit({ put: [note('a', null)] });
      expect(result.committed && result.version).toBeGreaterThan(1);
    });
  });

  indexContract(name, () => store);

  describe(`${name}: at once`, () => {
    test('of a hundred commits that expect one version exactly one happens', async () => {
      await store.commit({ put: [put(counters, 'c', { count: 0 })] });
      const read = await store.get(counters, 'c');
      if (read === null) throw new Error('the record is missing');
      const other = await opened.reopen();
      const results = await Promise.all(
        Array.from({ length: 100 }, (_, place) =>
          (place % 2 === 0 ? store : other).commit({
            expect: [unchanged(counters, read)],
            put: [put(counters, 'c', { count: place })],
          }),
        ),
      );
      expect(results.filter((result) => result.committed)).toHaveLength(1);
      expect((await store.get(counters, 'c'))?.value.count).toBe(
        results.findIndex((result) => result.committed),
      );
    });

    test('of a hundred commits that expect absence exactly one happens', async () => {
      const results = await Promise.all(
        Array.from({ length: 100 }, (_, count) =>
          store.commit({ expect: [absent(counters, 'c')], put: [put(counters, 'c', { count })] }),
        ),
      );
      expect(results.filter((result) => result.committed)).toHaveLength(1);
    });

    test('counting up from three processes loses no count', { timeout: 60_000 }, async () => {
      await store.commit({ put: [put(counters, 'c', { count: 0 })] });
      await runCounters(opened.child, 3, 200);
      expect((await store.get(counters, 'c'))?.value.count).toBe(600);
    });
  });

  describe(`${name}: killed`, () => {
    test.each([2, 5, 20, 75, 140])(
      'a process killed after commit %i leaves both records of each commit in step, and every commit it was told of',
      { timeout: 60_000 },
      async (commits) => {
        const acknowledged = await runLedgerUntilKilled(opened.child, commits);
        const after = await opened.reopen();
        const [left, right] = await after.getMany(ledgers, ['left', 'right']);
        expect(acknowledged).toBeGreaterThanOrEqual(commits);
        expect(left?.value.n).toBeGreaterThanOrEqual(acknowledged);
        expect(right).toMatchObject({ version: left?.version, value: left?.value });
        const written = await after.query(entries, 'byNumber', {}, 100_000);
        expect(written.items.map((item) => item.value.n)).toEqual(
          Array.from({ length: (left?.value.n ?? 0) * ENTRIES_PER_COMMIT }, (_, place) => place + 1),
        );
        expect((await after.commit({ put: [note('next', null)] })).committed).toBe(true);
      },
    );
  });
}

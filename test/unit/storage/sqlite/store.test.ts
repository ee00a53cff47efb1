import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { StoreError } from '../../../../src/lib/errors.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import { collection, encodeKey, put, ref } from '../../../../src/storage/store.ts';

const counters = collection({ name: 'counters', schema: z.object({ count: z.number() }), indexes: {} });
const indexed = collection({ ...counters, indexes: { byCount: (counter) => [counter.count] } });

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-sqlite-'));
  path = join(folder, 'store.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('the folder of the file is made, for its owner alone', async () => {
  await openSqliteStore({ path: join(folder, 'data', 'store.db') }).close();
  expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700);
});

test('a store in memory needs no file', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  await store.commit({ put: [put(counters, 'c', { count: 1 })] });
  expect((await store.get(counters, 'c'))?.value.count).toBe(1);
  await store.close();
});

test('a file that is no database is refused with a StoreError', () => {
  writeFileSync(
    path,
    'This is a letter, and it is long enough to be taken for a file with a header.'.repeat(20),
  );
  expect(() => openSqliteStore({ path })).toThrow(StoreError);
});

test('a folder that cannot be made is refused with a StoreError', () => {
  writeFileSync(path, 'a file');
  const inside = join(path, 'inside', 'store.db');
  expect(() => openSqliteStore({ path: inside })).toThrow(StoreError);
  expect(() => openSqliteStore({ path: inside })).toThrow(inside);
});

test('a file of a later version of the program is refused and stays as it is', async () => {
  await openSqliteStore({ path }).close();
  const database = new DatabaseSync(path);
  database.exec('PRAGMA user_version = 999');
  expect(() => openSqliteStore({ path })).toThrow(/later version/);
  expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 999 });
  database.close();
});

test('a record whose text is no longer JSON is a StoreError that does not quote it', async () => {
  const store = openSqliteStore({ path });
  await store.commit({ put: [put(counters, 'c', { count: 1 })] });
  const database = new DatabaseSync(path);
  database.exec(`UPDATE records SET json = 'a secret'`);
  database.close();
  const error = await store.get(counters, 'c').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreError);
  expect(String(error)).toContain('record c in counters');
  expect(String(error)).not.toContain('secret');
  await store.close();
});

test('a commit that finds the disk full is a StoreError, writes nothing, and leaves the store usable', async () => {
  const store = openSqliteStore({ path });
  await store.commit({ put: [put(counters, 'c', { count: 1 })] });
  const database = new DatabaseSync(path);
  // A trigger that fails half-way is the nearest thing to a disk that fills at this moment.
  database.exec(`CREATE TRIGGER full BEFORE INSERT ON records WHEN NEW.id = 'second'
    BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END`);
  const change = { put: [put(counters, 'c', { count: 2 }), put(counters, 'second', { count: 2 })] };
  await expect(store.commit(change)).rejects.toThrow(StoreError);
  expect((await store.get(counters, 'c'))?.value.count).toBe(1);
  database.exec('DROP TRIGGER full');
  database.close();
  expect((await store.commit(change)).committed).toBe(true);
  await store.close();
});

test('what another connection has written is read from the next turn of the event loop on', async () => {
  const [store, other] = [openSqliteStore({ path }), openSqliteStore({ path })];
  const seen = async () => {
    await nextTurn();
    const [one, two] = await store.getMany(counters, ['a', 'b']);
    const page = await store.query(indexed, 'byCount', {}, 10);
    return [one?.value.count, two?.value.count, page.items.map(({ value }) => value.count)];
  };
  await store.commit({ put: [put(indexed, 'a', { count: 1 })] });
  expect(await seen()).toEqual([1, undefined, [1]]);
  await other.commit({ put: [put(indexed, 'a', { count: 2 }), put(indexed, 'b', { count: 3 })] });
  expect(await seen()).toEqual([2, 3, [2, 3]]);
  await other.commit({ delete: [ref(indexed, 'a')] });
  expect(await seen()).toEqual([undefined, 3, [3]]);
  const database = new DatabaseSync(path);
  database.exec(`UPDATE records SET json = '{"count":4}'`);
  database.close();
  expect(await seen()).toEqual([undefined, 4, [4]]);
  await Promise.all([store.close(), other.close()]);
});

test('a record that is read again and again is asked of SQLite once', async () => {
  const store = openSqliteStore({ path });
  await store.commit({ put: [put(counters, 'c', { count: 1 })] });
  await store.getMany(counters, ['c', 'none']);
  const asked = vi.spyOn(StatementSync.prototype, 'all');
  expect(await store.getMany(counters, ['c', 'none', 'c'])).toMatchObject([
    { value: { count: 1 } },
    null,
    { value: { count: 1 } },
  ]);
  expect(asked).not.toHaveBeenCalled();
  await store.commit({ put: [put(counters, 'c', { count: 2 })] });
  expect((await store.get(counters, 'c'))?.value.count).toBe(2);
  expect(asked).toHaveBeenCalledOnce();
  asked.mockRestore();
  await store.close();
});

test('a file of an earlier version is found in its indexes as before, and changed in them', async () => {
  const entries = [
    { index: 'byCount', key: encodeKey([1]), id: 'a' },
    { index: 'byCount', key: encodeKey([2]), id: 'b' },
  ];
  const database = new DatabaseSync(path);
  database.exec(`
    CREATE TABLE records (
      collection TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, json TEXT NOT NULL,
      PRIMARY KEY (collection, id));
    CREATE TABLE index_entries (
      collection TEXT NOT NULL, index_name TEXT NOT NULL, key TEXT NOT NULL, id TEXT NOT NULL,
      PRIMARY KEY (collection, index_name, key, id)) WITHOUT ROWID;
    CREATE INDEX index_entries_of_record ON index_entries (collection, id);
    CREATE TABLE commits (last INTEGER NOT NULL);
    INSERT INTO commits VALUES (7);
    INSERT INTO records VALUES ('counters', 'a', 6, '{"count":1}'), ('counters', 'b', 7, '{"count":2}');
    PRAGMA user_version = 2`);
  for (const { index, key, id } of entries) {
    database.prepare("INSERT INTO index_entries VALUES ('counters', ?, ?, ?)").run(index, key, id);
  }
  database.close();
  const store = openSqliteStore({ path });
  const found = async () => (await store.query(indexed, 'byCount', {}, 10)).items.map(({ id }) => id);
  expect(await found()).toEqual(['a', 'b']);
  await store.commit({
    expect: [{ ...ref(indexed, 'a'), version: 6 }],
    put: [put(indexed, 'a', { count: 3 })],
  });
  expect(await found()).toEqual(['b', 'a']);
  await store.commit({ delete: [ref(indexed, 'b')] });
  expect(await found()).toEqual(['a']);
  await store.close();
  const after = new DatabaseSync(path);
  expect(after.prepare('SELECT id FROM index_entries').all()).toEqual([{ id: 'a' }]);
  after.close();
});

test('a deleted record leaves nothing in the file', async () => {
  const store = openSqliteStore({ path });
  await store.commit({ put: [put(indexed, 'c', { count: 1 })] });
  await store.commit({ delete: [ref(indexed, 'c')] });
  await store.close();
  const database = new DatabaseSync(path);
  expect(database.prepare('SELECT * FROM records').all()).toEqual([]);
  expect(database.prepare('SELECT * FROM index_entries').all()).toEqual([]);
  database.close();
});

test('the space of deleted records is given back', async () => {
  const store = openSqliteStore({ path });
  const texts = collection({ name: 'texts', schema: z.string(), indexes: {} });
  const ids = Array.from({ length: 100 }, (_, index) => `t${index}`);
  await store.commit({ put: ids.map((id) => put(texts, id, 'x'.repeat(20_000))) });
  await store.commit({ delete: ids.map((id) => ref(texts, id)) });
  const before = pagesOf(path);
  await store.reclaim();
  expect(before).toBeGreaterThan(500);
  expect(pagesOf(path)).toBeLessThan(100);
  await store.close();
});

function pagesOf(file: string): number {
  const database = new DatabaseSync(file);
  const { page_count: pages } = z
    .object({ page_count: z.number() })
    .parse(database.prepare('PRAGMA page_count').get());
  database.close();
  return pages;
}

test('a reader does not block a commit', async () => {
  const store = openSqliteStore({ path });
  const database = new DatabaseSync(path);
  database.exec('BEGIN; SELECT * FROM records');
  const result = await store.commit({ put: [put(counters, 'c', { count: 1 })] });
  expect(result.committed).toBe(true);
  database.close();
  await store.close();
});

test('four processes that open one new file at the same moment all can', async () => {
  const script = new URL('./open-once.ts', import.meta.url).pathname;
  const codes = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const child = spawn(process.execPath, [script, path], { stdio: ['ignore', 'ignore', 'inherit'] });
      const [code] = await once(child, 'exit');
      return code;
    }),
  );
  expect(codes).toEqual([0, 0, 0, 0]);
});

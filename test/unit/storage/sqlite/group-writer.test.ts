import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { StoreError } from '../../../../src/lib/errors.ts';
import { openSqliteFile, type SqliteFile } from '../../../../src/storage/sqlite/file.ts';
import { openSqliteStore, storeInFile } from '../../../../src/storage/sqlite/store.ts';
import { absent, collection, put, type Store } from '../../../../src/storage/store.ts';
import { createLosableDisk } from '../../../helpers/losable-disk.ts';

const texts = collection({ name: 'texts', schema: z.string(), indexes: { all: () => [] } });

let folder: string;
let path: string;
let file: SqliteFile;
let store: Store;
/** Syncs that were begun, and how each ends. */
let syncs: PromiseWithResolvers<void>[];
/** Whether syncs wait until a test ends them. */
let areHeld: boolean;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-writer-'));
  path = join(folder, 'store.db');
  syncs = [];
  areHeld = false;
  file = openSqliteFile(path, {
    async sync(log) {
      const ended = Promise.withResolvers<void>();
      syncs.push(ended);
      if (areHeld) await ended.promise;
      await log.datasync();
    },
  });
  store = storeInFile(file);
});
afterEach(async () => {
  for (const { resolve } of syncs) resolve();
  areHeld = false;
  await store.close();
  rmSync(folder, { recursive: true });
});

const write = (id: string, text = id) => store.commit({ put: [put(texts, id, text)] });

/** Whether a promise has settled by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  promise.then(settle, settle);
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  return settled;
}

async function untilSyncs(count: number): Promise<void> {
  while (syncs.length < count) await nextTurn();
}

it('shares one transaction and one sync among what is asked for in one turn', async () => {
  await write('first');
  const before = syncs.length;
  const results = await Promise.all(Array.from({ length: 32 }, (_, index) => write(`t${index}`)));
  expect(results.map((result) => result.committed && result.version)).toEqual(
    Array.from({ length: 32 }, (_, index) => index + 2),
  );
  expect(syncs.length - before).toBe(1);
});

it('tells of a commit only when a sync that began after it has ended', async () => {
  areHeld = true;
  const first = write('a');
  await untilSyncs(1);
  const second = write('b');
  expect([await isSettled(first), await isSettled(second), syncs.length]).toEqual([false, false, 1]);
  syncs[0]?.resolve();
  await first;
  await untilSyncs(2);
  expect(await isSettled(second)).toBe(false);
  syncs[1]?.resolve();
  expect((await second).committed).toBe(true);
});

it('what was told of is on the disk after a cut of the power', async () => {
  const losablePath = join(folder, 'losable.db');
  const disk = createLosableDisk(losablePath, () => null);
  const losable = storeInFile(openSqliteFile(losablePath, disk.options));
  const told: string[] = [];
  for (const id of ['a', 'b', 'c']) {
    await losable.commit({ put: [put(texts, id, id)] });
    told.push(id);
    const image = openSqliteStore({ path: disk.cut() });
    expect((await image.query(texts, 'all', {}, 10)).items.map(({ value }) => value)).toEqual(told);
    await image.close();
  }
  await losable.close();
});

it.each<[string, () => Promise<unknown>]>([
  ['get', () => store.get(texts, 'a')],
  ['getMany', () => store.getMany(texts, ['a', 'b'])],
  ['query', () => store.query(texts, 'all', {}, 10)],
  ['a commit that it is in the way of', () => store.commit({ expect: [absent(texts, 'a')] })],
])('%s tells of nothing that is not on the disk', async (_, read) => {
  areHeld = true;
  const writing = write('a');
  await untilSyncs(1);
  const reading = read();
  expect(await isSettled(reading)).toBe(false);
  areHeld = false;
  syncs[0]?.resolve();
  await Promise.all([writing, reading]);
});

it('a commit that may be lost is told of before it is on the disk, and read only afterwards', async () => {
  areHeld = true;
  await store.commit({ put: [put(texts, 'a', 'a')], mayBeLost: true });
  const read = store.get(texts, 'a');
  expect(await isSettled(read)).toBe(false);
  const later = write('b');
  expect(await isSettled(later)).toBe(false);
  areHeld = false;
  for (const { resolve } of syncs) resolve();
  expect((await read)?.value).toBe('a');
  await later;
});

it('a read of what is on the disk does not wait for another commit', async () => {
  await write('a');
  areHeld = true;
  const writing = write('b');
  await untilSyncs(2);
  expect((await store.get(texts, 'a'))?.value).toBe('a');
  syncs[1]?.resolve();
  await writing;
});

it('each commit of a group stands or falls on its own, in the order in which they came', async () => {
  const create = (text: string) =>
    store.commit({ expect: [absent(texts, 'a')], put: [put(texts, 'a', text)] });
  const results = await Promise.all([create('first'), create('second'), write('b')]);
  expect(results.map(({ committed }) => committed)).toEqual([true, false, true]);
  expect((await store.get(texts, 'a'))?.value).toBe('first');
});

it('work that throws leaves nothing behind, and takes no other with it', async () => {
  const broken = file.write(() => {
    file.database.exec("INSERT INTO records VALUES ('texts', 'half', 1, '\"half\"', '{}')");
    throw new Error('no');
  });
  const results = await Promise.allSettled([write('a'), broken, write('b')]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect((await store.query(texts, 'all', {}, 10)).items.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(await store.get(texts, 'half')).toBeNull();
});

it('what SQLite cannot write takes with it what came after, and nothing that came before', async () => {
  await write('a', 'before');
  file.database.exec('PRAGMA max_page_count = 40');
  const results = await Promise.allSettled([write('b'), write('c', 'x'.repeat(500_000)), write('d')]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  expect(results.slice(1)).toMatchObject([
    { reason: { name: 'StoreError' } },
    { reason: { name: 'StoreError' } },
  ]);
  expect((await store.getMany(texts, ['b', 'c', 'd'])).map((text) => text?.value ?? null)).toEqual([
    'b',
    null,
    null,
  ]);
  // There's room for this one.
  await write('d');
  expect((await store.get(texts, 'd'))?.value).toBe('d');
});

it('a disk that fails once is not written to again', async () => {
  areHeld = true;
  const writing = write('a');
  await untilSyncs(1);
  areHeld = false;
  syncs[0]?.reject(new Error('EIO'));
  const error = await writing.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreError);
  expect(error).toMatchObject({ outcomeUnknown: true });
  await expect(write('b')).rejects.toThrow('The disk could not be written');
  await expect(store.get(texts, 'a')).rejects.toThrow('The disk could not be written');
  expect(syncs).toHaveLength(1);
});

it('much work at once is spread over turns of the event loop', async () => {
  let turn = 0;
  let isOver = false;
  const count = async () => {
    for (; !isOver; turn += 1) await nextTurn();
  };
  const counting = count();
  const ranIn = new Set<number>();
  const slow = () => {
    ranIn.add(turn);
    const until = performance.now() + 2;
    while (performance.now() < until);
  };
  await Promise.all(Array.from({ length: 50 }, () => file.write(slow)));
  isOver = true;
  await counting;
  expect(ranIn.size).toBeGreaterThan(5);
});

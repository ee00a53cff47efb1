import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers';
import { createTimeSlices } from '../../lib/time-slices.ts';
import { type Bounds, checkChange, encodeCursor, toBounds } from '../driver-support.ts';
import { KnownRecords } from '../known-records.ts';
import { type Collection, checkId, type Ref, ref, type Store, type Stored } from '../store.ts';
import { prepareCommit } from './commit.ts';
import { readNumber, readText, type SqlRow, wrapSqliteErrors } from './database.ts';
import { openSqliteFile, type SqliteFile } from './file.ts';
import { createTables } from './tables.ts';

/** Pages that one step gives back to the system, 4 kB each: some milliseconds. */
const RECLAIMED_PAGES = 500;

interface SqliteStoreOptions {
  /** The database file, made where there is none; `:memory:` for a store that ends with the process. */
  readonly path: string;
}

/**
 * The store in one SQLite file. A commit that has returned is on the disk, and so is whatever was read. Other
 * processes may have the same file open; a commit waits up to 5 seconds for theirs. Throws StoreError when the file
 * cannot be opened, or was written by a later version of the program.
 */
export function openSqliteStore({ path }: SqliteStoreOptions): Store {
  return storeInFile(openSqliteFile(path));
}

/** Like {@link openSqliteStore}, in a file that is open, and that is closed with the store. */
export function storeInFile(file: SqliteFile): Store {
  try {
    createTables(file.database);
    return createStore(file);
  } catch (error) {
    file.database.close();
    throw error;
  }
}

function createStore({ database, ...file }: SqliteFile): Store {
  const records = createReader(database);
  const pages = preparePages(database);
  const count = prepareCount(database);
  const write = prepareCommit(database);
  // SQLite answers at once, so that nothing here ever waits.
  const giveWay = createTimeSlices();
  /** The last commit that is on the disk. */
  let durable = 0;

  /** Waits where a record was written by a commit that isn't on the disk: what was read may be acted on. */
  async function waitDurable<T extends Stored<unknown> | null>(found: readonly T[]): Promise<readonly T[]> {
    if (found.some((record) => record !== null && record.version > durable)) await file.synced();
    return found;
  }

  return {
    async get(collection, id) {
      checkId(id);
      await giveWay();
      const [record = null] = await waitDurable(records.find(collection, [id]));
      return record;
    },

    async getMany(collection, ids) {
      for (const id of ids) checkId(id);
      await giveWay();
      return [...(await waitDurable(records.find(collection, ids)))];
    },

    async query(collection, index, range, limit) {
      const bounds = toBounds(collection, index, range, limit);
      await giveWay();
      // One more row than asked for shows whether there is a next page.
      const rows = wrapSqliteErrors(() => pages(collection.name, index, bounds, limit + 1));
      const last = rows.length > limit ? rows[limit - 1] : undefined;
      return {
        items: await waitDurable(records.read(collection, rows.slice(0, limit))),
        next:
          last === undefined ? null : encodeCursor({ key: readText(last, 'key'), id: readText(last, 'id') }),
      };
    },

    async count(collection, index, range, atMost) {
      const bounds = toBounds(collection, index, range, atMost);
      await giveWay();
      return wrapSqliteErrors(() => count(collection.name, index, bounds, atMost));
    },

    async commit(change) {
      checkChange(change);
      await giveWay();
      const { mayBeLost = false } = change;
      const result = await file.write(
        () => {
          for (const written of [...(change.put ?? []), ...(change.delete ?? [])]) records.forget(written);
          return write(change);
        },
        { mayBeLost },
      );
      if (result.committed && !mayBeLost) durable = Math.max(durable, result.version);
      return result;
    },

    async reclaim() {
      return wrapSqliteErrors(() => {
        const before = countFreePages(database);
        database.exec(`PRAGMA incremental_vacuum(${RECLAIMED_PAGES})`);
        const left = countFreePages(database);
        // A file of an earlier version keeps them.
        return left > 0 && left < before;
      });
    },

    close: () => file.close(),
  };
}

function countFreePages(database: DatabaseSync): number {
  const row = database.prepare('PRAGMA freelist_count').get();
  return row === undefined ? 0 : readNumber(row, 'freelist_count');
}

/** Reads records, each of them once until it's written. */
function createReader(database: DatabaseSync) {
  const one = database.prepare('SELECT id, version, json FROM records WHERE collection = ? AND id = ?');
  const many = database.prepare(`
    SELECT id, version, json FROM records
    WHERE collection = ? AND id IN (SELECT value FROM json_each(?))`);
  // Changes with every commit of another connection, and with none of this one: https://sqlite.org/pragma.html
  const others = database.prepare('PRAGMA data_version');
  const known = new KnownRecords();
  let seen: number | null = null;
  let isFresh = false;

  /** Once in a turn of the event loop: what others write meanwhile is seen in the next. */
  function noticeOthers(): void {
    if (isFresh) return;
    const row = others.get();
    const version = row === undefined ? null : readNumber(row, 'data_version');
    if (version !== seen) known.clear();
    seen = version;
    isFresh = true;
    setImmediate(() => {
      isFresh = false;
    });
  }

  return {
    find<T>(collection: Collection<T>, ids: readonly string[]): (Stored<T> | null)[] {
      return wrapSqliteErrors(() => {
        noticeOthers();
        const found = new Map(ids.map((id) => [id, known.find(collection, id)]));
        const missing = [...found].flatMap(([id, record]) => (record === undefined ? id : []));
        const rows =
          missing.length > 1
            ? many.all(collection.name, JSON.stringify(missing))
            : missing.flatMap((id) => one.all(collection.name, id));
        for (const row of rows) found.set(readText(row, 'id'), known.read(collection, toRow(row)));
        for (const id of missing) if (!found.get(id)) known.noteAbsent(ref(collection, id));
        return ids.map((id) => found.get(id) ?? null);
      });
    },

    read<T>(collection: Collection<T>, rows: readonly SqlRow[]): Stored<T>[] {
      return wrapSqliteErrors(() => {
        noticeOthers();
        return rows.map((row) => known.read(collection, toRow(row)));
      });
    },

    forget: (record: Ref) => known.forget(record),
  };
}

function toRow(row: SqlRow) {
  return { id: readText(row, 'id'), version: readNumber(row, 'version'), json: readText(row, 'json') };
}

type ReadPage = (collection: string, index: string, bounds: Bounds, limit: number) => SqlRow[];

/**
 * Four statements, for each direction with and without a cursor, so that SQLite seeks to the page in each. The cast
 * keeps it from planning a statement anew for each limit that is bound, which takes twenty times as long as the rest.
 */
function preparePages(database: DatabaseSync): ReadPage {
  const page = (range: string, order: string): StatementSync =>
    database.prepare(`
      SELECT entry.key, record.id, record.version, record.json
      FROM index_entries AS entry CROSS JOIN records AS record USING (collection, id)
      WHERE collection = ? AND entry.index_name = ? AND ${range}
      ORDER BY entry.key ${order}, entry.id ${order} LIMIT CAST(? AS INTEGER)`);
  const inRange = 'entry.key >= ? AND entry.key < ?';
  const firstUp = page(inRange, 'ASC');
  const firstDown = page(inRange, 'DESC');
  const nextUp = page('(entry.key, entry.id) > (?, ?) AND entry.key < ?', 'ASC');
  const nextDown = page('(entry.key, entry.id) < (?, ?) AND entry.key >= ?', 'DESC');

  return (collection, index, { lower, upper, descending, after }, limit) => {
    if (after === null) return (descending ? firstDown : firstUp).all(collection, index, lower, upper, limit);
    if (descending) return nextDown.all(collection, index, after.key, after.id, lower, limit);
    return nextUp.all(collection, index, after.key, after.id, upper, limit);
  };
}

/** Of the index alone: no record is read. */
function prepareCount(database: DatabaseSync) {
  const statement = database.prepare(`
    SELECT COUNT(*) AS found FROM (
      SELECT 1 FROM index_entries WHERE collection = ? AND index_name = ? AND key >= ? AND key < ?
      LIMIT CAST(? AS INTEGER)
    )`);
  return (collection: string, index: string, { lower, upper }: Bounds, atMost: number): number => {
    const row = statement.get(collection, index, lower, upper, atMost);
    return row === undefined ? 0 : readNumber(row, 'found');
  };
}

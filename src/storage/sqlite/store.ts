import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StoreError } from '../../lib/errors.ts';
import { createTimeSlices } from '../../lib/time-slices.ts';
import { type Bounds, checkChange, encodeCursor, readRecord, toBounds } from '../driver-support.ts';
import {
  type Change,
  type CommitResult,
  checkId,
  type Expectation,
  type Put,
  type Ref,
  type Store,
} from '../store.ts';
import { COMMIT_NUMBER_LOST, DATABASE_NEWER } from '../texts.ts';
import { inWriteTransaction, readNumber, readText, type SqlRow, wrapSqliteErrors } from './database.ts';
import { openSqliteFile, type SqliteFile } from './file.ts';

/** Pages that one step gives back to the system, 4 kB each: some milliseconds. */
const RECLAIMED_PAGES = 500;

/** Number of the tables' shape, kept in the file's `user_version`. */
const SCHEMA_VERSION = 2;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS records (
    collection TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (collection, id)
  );
  CREATE TABLE IF NOT EXISTS index_entries (
    collection TEXT NOT NULL,
    index_name TEXT NOT NULL,
    key TEXT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (collection, index_name, key, id)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS index_entries_of_record ON index_entries (collection, id);
  CREATE TABLE IF NOT EXISTS commits (last INTEGER NOT NULL);
  INSERT INTO commits (last) SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM commits);
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

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

function createTables(database: DatabaseSync): void {
  inWriteTransaction(database, () => {
    const row = database.prepare('PRAGMA user_version').get();
    if (row !== undefined && readNumber(row, 'user_version') > SCHEMA_VERSION) {
      throw new StoreError(DATABASE_NEWER);
    }
    database.exec(SCHEMA);
  });
}

function createStore({ database, ...file }: SqliteFile): Store {
  const find = database.prepare('SELECT id, version, json FROM records WHERE collection = ? AND id = ?');
  const findMany = database.prepare(`
    SELECT id, version, json FROM records
    WHERE collection = ? AND id IN (SELECT value FROM json_each(?))`);
  const pages = preparePages(database);
  const write = prepareCommit(database);
  // SQLite answers at once, so that nothing here ever waits.
  const giveWay = createTimeSlices();
  /** The last commit that is on the disk. */
  let durable = 0;

  /** Waits where a row was written by a commit that isn't on the disk: what was read may be acted on. */
  async function readDurable(rows: readonly SqlRow[]): Promise<readonly SqlRow[]> {
    if (rows.some((row) => readNumber(row, 'version') > durable)) await file.synced();
    return rows;
  }

  return {
    async get(collection, id) {
      checkId(id);
      await giveWay();
      const [row] = await readDurable(wrapSqliteErrors(() => find.all(collection.name, id)));
      return row === undefined ? null : readRecord(collection, toRow(row));
    },

    async getMany(collection, ids) {
      for (const id of ids) checkId(id);
      await giveWay();
      const rows = await readDurable(
        wrapSqliteErrors(() => findMany.all(collection.name, JSON.stringify(ids))),
      );
      const byId = new Map(rows.map((row) => [readText(row, 'id'), readRecord(collection, toRow(row))]));
      return ids.map((id) => byId.get(id) ?? null);
    },

    async query(collection, index, range, limit) {
      const bounds = toBounds(collection, index, range, limit);
      await giveWay();
      // One more row than asked for shows whether there is a next page.
      const rows = await readDurable(
        wrapSqliteErrors(() => pages(collection.name, index, bounds, limit + 1)),
      );
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      return {
        items: shown.map((row) => readRecord(collection, toRow(row))),
        next:
          last === undefined ? null : encodeCursor({ key: readText(last, 'key'), id: readText(last, 'id') }),
      };
    },

    async commit(change) {
      checkChange(change);
      await giveWay();
      const { mayBeLost = false } = change;
      const result = await file.write(() => write(change), { mayBeLost });
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

/** The body of a commit, to be run inside a transaction that holds the write lock. */
function prepareCommit(database: DatabaseSync): (change: Change) => CommitResult {
  const versionOf = database.prepare('SELECT version FROM records WHERE collection = ? AND id = ?');
  const nextNumber = database.prepare('UPDATE commits SET last = last + 1 RETURNING last');
  const putRecord = database.prepare(`
    INSERT INTO records (collection, id, version, json) VALUES (?, ?, ?, ?)
    ON CONFLICT (collection, id) DO UPDATE SET version = excluded.version, json = excluded.json`);
  const putEntry = database.prepare(
    'INSERT INTO index_entries (collection, index_name, key, id) VALUES (?, ?, ?, ?)',
  );
  const deleteRecord = database.prepare('DELETE FROM records WHERE collection = ? AND id = ?');
  const deleteEntries = database.prepare('DELETE FROM index_entries WHERE collection = ? AND id = ?');

  const holds = ({ collection, id, version }: Expectation): boolean => {
    const row = versionOf.get(collection, id);
    return version === (row === undefined ? null : readNumber(row, 'version'));
  };
  const remove = ({ collection, id }: Ref): void => {
    deleteEntries.run(collection, id);
    deleteRecord.run(collection, id);
  };
  const store = ({ collection, id, json, keys }: Put, version: number): void => {
    deleteEntries.run(collection, id);
    putRecord.run(collection, id, version, json);
    for (const [index, key] of Object.entries(keys)) putEntry.run(collection, index, key, id);
  };

  return (change) => {
    const broken = change.expect?.find((expectation) => !holds(expectation));
    if (broken !== undefined) {
      return { committed: false, conflict: { collection: broken.collection, id: broken.id } };
    }
    const number = nextNumber.get();
    if (number === undefined) throw new StoreError(COMMIT_NUMBER_LOST);
    const version = readNumber(number, 'last');
    for (const ref of change.delete ?? []) remove(ref);
    for (const record of change.put ?? []) store(record, version);
    return { committed: true, version };
  };
}

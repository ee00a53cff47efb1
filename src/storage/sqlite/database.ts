import { dirname } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { StoreError } from '../../lib/errors.ts';
import { makePrivateFile } from '../private-files.ts';
import { columnUnreadable, DATABASE_UNUSABLE, databaseNotOpened, nothingDoneTryAgain } from '../texts.ts';
import { makeFolder } from './data-dir.ts';

/** How long a statement waits while another process writes, in milliseconds; commits take a few. */
const BUSY_TIMEOUT = 5_000;

/**
 * Opens the database file, creating it and its folder if they're missing; `:memory:` keeps everything in
 * memory. What a transaction wrote is on the disk when it returns (WAL with `synchronous=FULL`), and
 * other processes may have the same file open. Throws StoreError.
 */
export function openSqliteFile(path: string): DatabaseSync {
  return wrapSqliteErrors(() => {
    if (path !== ':memory:') {
      makeFolder(dirname(path), 0o700);
      // SQLite gives the files beside it (-wal, -shm) the permissions of this one.
      makePrivateFile(path);
    }
    const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT });
    try {
      // Only a new file takes this; in an older one, pages of deleted records are used again but never given back.
      database.exec('PRAGMA auto_vacuum = INCREMENTAL');
      switchToWriteAheadLog(database);
      // Overwrites what is deleted wherever that costs no further write.
      database.exec('PRAGMA secure_delete = FAST');
      database.exec('PRAGMA synchronous = FULL');
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  }, databaseNotOpened(path));
}

/** SQLite's code for a database that another connection has locked. */
const SQLITE_BUSY = 5;

/** Between two attempts to switch the journal, in milliseconds. */
const SWITCH_INTERVAL = 10;

/**
 * Two processes that open one new file at the same moment can each find it locked by the other's switch,
 * and SQLite does not wait at this point as it does elsewhere. Holds the process up; happens only at its start.
 */
function switchToWriteAheadLog(database: DatabaseSync): void {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; ; waited += SWITCH_INTERVAL) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      const busy = error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
      if (!busy || waited >= BUSY_TIMEOUT) throw error;
      Atomics.wait(clock, 0, 0, SWITCH_INTERVAL);
    }
  }
}

/**
 * Runs `work` in one transaction that takes the write lock first, so that what it reads is still true
 * when it writes, whichever process else has the file open. Throws StoreError, and then nothing was written.
 */
export function inWriteTransaction<T>(database: DatabaseSync, work: () => T): T {
  return inTransaction(database, 'BEGIN IMMEDIATE', work);
}

/** Runs `work` on one state of the file, which other processes cannot change meanwhile. Throws StoreError. */
export function inReadTransaction<T>(database: DatabaseSync, work: () => T): T {
  return inTransaction(database, 'BEGIN', work);
}

function inTransaction<T>(database: DatabaseSync, begin: string, work: () => T): T {
  return wrapSqliteErrors(() => {
    database.exec(begin);
    try {
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      // After some errors, such as a full disk, SQLite has already rolled back.
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  });
}

/** Node's codes for SQLite's errors, a closed database, and files without permission. */
const STORE_ERRORS = new Set([
  'ERR_SQLITE_ERROR',
  'ERR_INVALID_STATE',
  'EACCES',
  'EPERM',
  'EEXIST',
  'ENOENT',
  'ENOTDIR',
  'EROFS',
  'ENOSPC',
]);

/**
 * Runs `work`; errors of SQLite and of the file system become a StoreError that says `what` went wrong,
 * with the error as its cause; all others pass.
 */
export function wrapSqliteErrors<T>(work: () => T, what = DATABASE_UNUSABLE): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && STORE_ERRORS.has(String(error.code)))) throw error;
    throw new StoreError(nothingDoneTryAgain(what), error);
  }
}

/** One row as `node:sqlite` gives it. */
export type SqlRow = Record<string, SQLOutputValue>;

/** The text in a column. Throws StoreError when something else is in it: the file is not one of ours. */
export function readText(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw wrongColumn(column);
  return value;
}

/** The whole number in a column. Throws like {@link readText}. */
export function readNumber(row: SqlRow, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw wrongColumn(column);
  return value;
}

/** The bytes in a column. Throws like {@link readText}. */
export function readBytes(row: SqlRow, column: string): Uint8Array {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw wrongColumn(column);
  return value;
}

function wrongColumn(column: string): StoreError {
  return new StoreError(columnUnreadable(column));
}

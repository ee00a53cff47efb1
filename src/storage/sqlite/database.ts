import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { StoreError } from '../../lib/errors.ts';
import { columnUnreadable, DATABASE_UNUSABLE, nothingDoneTryAgain } from '../texts.ts';

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

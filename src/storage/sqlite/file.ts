import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makePrivateFile } from '../private-files.ts';
import { databaseNotOpened } from '../texts.ts';
import { makeFolder } from './data-dir.ts';
import { inWriteTransaction, readText, wrapSqliteErrors } from './database.ts';
import { createGroupWriter, type GroupWriter } from './group-writer.ts';

/** How long a statement waits while another process writes, in milliseconds; commits take a few. */
const BUSY_TIMEOUT = 5_000;

/** An open database file; whatever this process keeps in it shares one connection, its transactions and syncs. */
export interface SqliteFile extends GroupWriter {
  readonly database: DatabaseSync;
  /** Writes what was asked for before. */
  close(): Promise<void>;
}

export interface SqliteFileOptions {
  /**
   * Puts the write-ahead log on the disk.
   * @default `fdatasync`
   */
  readonly sync?: (log: FileHandle) => Promise<void>;
}

/**
 * Opens the database file, creating it and its folder if they're missing; `:memory:` keeps everything in memory. Other
 * processes may have the same file open. Throws StoreError.
 */
export function openSqliteFile(
  path: string,
  { sync = (log) => log.datasync() }: SqliteFileOptions = {},
): SqliteFile {
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
      const hasLog = switchToWriteAheadLog(database);
      // Overwrites what is deleted wherever that costs no further write.
      database.exec('PRAGMA secure_delete = FAST');
      // The writer puts the log on the disk; without one, SQLite does so with each transaction.
      database.exec(`PRAGMA synchronous = ${hasLog ? 'NORMAL' : 'FULL'}`);
      return hasLog ? createFile(database, createLog(path, sync)) : createFileWithoutLog(database);
    } catch (error) {
      database.close();
      throw error;
    }
  }, databaseNotOpened(path));
}

interface Log {
  readonly sync: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The write-ahead log; it stays the same file for as long as any connection to the database is open. */
function createLog(path: string, sync: (log: FileHandle) => Promise<void>): Log {
  let opened: Promise<FileHandle> | null = null;
  return {
    async sync() {
      opened ??= open(`${path}-wal`, 'r+');
      await sync(await opened);
    },
    async close() {
      const log = await opened?.catch(() => undefined);
      await log?.close();
    },
  };
}

function createFileWithoutLog(database: DatabaseSync): SqliteFile {
  return {
    database,
    write: async (work) => inWriteTransaction(database, work),
    synced: async () => undefined,
    async close() {
      if (database.isOpen) database.close();
    },
  };
}

function createFile(database: DatabaseSync, log: Log): SqliteFile {
  const writer = createGroupWriter(database, log.sync);
  return {
    ...writer,
    database,
    async close() {
      if (!database.isOpen) return;
      await writer.write(() => undefined).catch(() => undefined);
      if (database.isOpen) database.close();
      await log.close();
    },
  };
}

/** SQLite's code for a database that another connection has locked. */
const SQLITE_BUSY = 5;

/** Between two attempts to switch the journal, in milliseconds. */
const SWITCH_INTERVAL = 10;

/**
 * Two processes that open one new file at the same moment can each find it locked by the other's switch,
 * and SQLite does not wait at this point as it does elsewhere. Holds the process up; happens only at its start. False
 * if there can be no such log: in memory, and on some network file systems.
 */
function switchToWriteAheadLog(database: DatabaseSync): boolean {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; ; waited += SWITCH_INTERVAL) {
    try {
      const row = database.prepare('PRAGMA journal_mode = WAL').get();
      return row !== undefined && readText(row, 'journal_mode') === 'wal';
    } catch (error) {
      const busy = error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
      if (!busy || waited >= BUSY_TIMEOUT) throw error;
      Atomics.wait(clock, 0, 0, SWITCH_INTERVAL);
    }
  }
}

import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../../lib/errors.ts';
import { makePrivate, makePrivateFile } from '../private-files.ts';
import { folderInUse, folderNotWritable } from '../texts.ts';

/** SQLite's code for a file that another process has locked. */
const SQLITE_BUSY = 5;
/** Names the process that has the folder; only the lock is authoritative. */
const PID_FILE = 'countersign.pid';

/**
 * Locks the data folder for this process, and creates it if it's missing; `wereOpen`: see {@link makeDataDir}. The lock is the operating
 * system's, so it ends with the process in any case.
 * @throws ConfigError when another process has it, or it cannot be written to.
 */
export function lockDataDir(folder: string): { readonly wereOpen: readonly string[]; release(): void } {
  const wereOpen = makeDataDir(folder);
  try {
    const path = join(folder, 'countersign.lock');
    makePrivateFile(path);
    const lock = new DatabaseSync(path, { timeout: 0 });
    lock.exec('BEGIN EXCLUSIVE');
    const pid = join(folder, PID_FILE);
    writeFileSync(pid, `${process.pid}\n`, { mode: 0o600 });
    return {
      wereOpen,
      release() {
        rmSync(pid, { force: true });
        lock.close();
      },
    };
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) {
      throw new ConfigError(folderInUse(folder, findHolder(folder)), error);
    }
    throw notWritable(folder, error);
  }
}

/**
 * Makes the data folder where there is none, and takes it and its files from everybody but their owner, also
 * where they were there before. Returns what others could use until now.
 * @throws ConfigError when it cannot be made, or cannot be the owner's alone.
 */
export function makeDataDir(folder: string): readonly string[] {
  try {
    makeFolder(folder, 0o700);
    return makePrivate(folder);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw notWritable(folder, error);
  }
}

/** The process that has the folder; null if that isn't known. */
function findHolder(folder: string): string | null {
  try {
    const [pid] = /^\d+/.exec(readFileSync(join(folder, PID_FILE), 'utf8')) ?? [];
    return pid ?? null;
  } catch {
    return null;
  }
}

function notWritable(folder: string, cause: unknown): ConfigError {
  return new ConfigError(folderNotWritable(folder), cause);
}

/**
 * Makes a folder and those above it that are missing; `mode` is for those that are made. Throws Node's
 * error when that cannot be. Node's own `recursive` does not come to an end where a folder that exists
 * says of a new one in it that it does not (`/proc/x`).
 */
export function makeFolder(folder: string, mode = 0o777): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST' && statSync(folder).isDirectory()) return;
    const above = dirname(folder);
    if (code !== 'ENOENT' || existsSync(above)) throw error;
    makeFolder(above, mode);
    makeFolder(folder, mode);
  }
}

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { ConfigError } from '../../../../src/lib/errors.ts';
import { toOpenError } from '../../../../src/storage/sqlite/open-errors.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';

function databasePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-damaged-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'countersign.db');
}

function told(path: string): unknown {
  try {
    openSqliteStore({ path });
  } catch (error) {
    return toOpenError(path, error);
  }
  throw new Error('it could be opened');
}

it('a file that is no database is said to be none', () => {
  const path = databasePath();
  writeFileSync(path, 'not a database '.repeat(500));
  const userMessage = expect.stringContaining(`${path} is not a database that can be read`);
  expect(told(path)).toBeInstanceOf(ConfigError);
  expect(told(path)).toMatchObject({ userMessage });
});

it('a database that cannot be opened is said to be that, and why', () => {
  const path = databasePath();
  mkdirSync(path);
  const userMessage = expect.stringMatching(/could not be opened \(unable to open database file\).*DATA_DIR/);
  expect(told(path)).toMatchObject({ code: 'bad_config', userMessage });
});

it('a database of a later version is said to be one', () => {
  const path = databasePath();
  const database = new DatabaseSync(path);
  database.exec('PRAGMA user_version = 99');
  database.close();
  const userMessage = expect.stringContaining('written by a later version');
  expect(told(path)).toMatchObject({ code: 'bad_config', userMessage });
});

it('any other error stays what it is', () => {
  const error = new TypeError('a mistake of ours');
  expect(toOpenError('x.db', error)).toBe(error);
});

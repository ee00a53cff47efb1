import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError } from '../../../src/lib/errors.ts';
import { findPrivacyProblems } from '../../../src/storage/private-files.ts';
import { lockDataDir, makeDataDir } from '../../../src/storage/sqlite/data-dir.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/store.ts';

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-private-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** A folder that was there before, which all may read and write, with a file that all may read. */
function openFolder() {
  const folder = join(temporary(), 'data');
  mkdirSync(folder);
  const file = join(folder, 'countersign.db');
  writeFileSync(file, '');
  chmodSync(folder, 0o777);
  chmodSync(file, 0o644);
  return { folder, file };
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const isRoot = process.getuid?.() === 0;

describe('the data folder', () => {
  it('is made for its owner alone, with the database, its log and its lock, whatever the umask is', async () => {
    const folder = join(temporary(), 'data');
    const former = process.umask(0);
    try {
      const held = lockDataDir(folder);
      const store = openSqliteStore({ path: join(folder, 'countersign.db') });
      const files = ['.db', '.db-wal', '.db-shm', '.lock', '.pid'].map((end) => `countersign${end}`);
      expect(files.map((name) => modeOf(join(folder, name)))).toEqual(files.map(() => '600'));
      await store.close();
      held.release();
    } finally {
      process.umask(former);
    }
    expect(modeOf(folder)).toBe('700');
  });

  it('that was there before is taken from everybody else, with its files', () => {
    const { folder, file } = openFolder();
    const inside = join(folder, 'notes');
    mkdirSync(inside);
    chmodSync(inside, 0o755);
    makeDataDir(folder);
    expect([folder, file, inside].map(modeOf)).toEqual(['700', '600', '700']);
  });

  it('leaves what a link in it leads to', () => {
    const { folder } = openFolder();
    const outside = join(temporary(), 'outside');
    writeFileSync(outside, '');
    chmodSync(outside, 0o644);
    symlinkSync(outside, join(folder, 'link'));
    makeDataDir(folder);
    expect(modeOf(outside)).toBe('644');
  });

  it('is refused where it is for many, and stays as it is', () => {
    const folder = temporary();
    chmodSync(folder, 0o1777);
    expect(() => makeDataDir(folder)).toThrow(/many users share.*DATA_DIR/);
    expect(modeOf(folder)).toBe('777');
  });

  it.runIf(isRoot)('is refused where it belongs to somebody else, and says what to do', () => {
    const { folder } = openFolder();
    chownSync(folder, 12_345, 12_345);
    expect(() => lockDataDir(folder)).toThrow(ConfigError);
    expect(() => lockDataDir(folder)).toThrow(/belongs to another user.*chown/);
  });

  it.runIf(isRoot)('is refused where a file in it belongs to somebody else', () => {
    const { folder, file } = openFolder();
    chownSync(file, 12_345, 12_345);
    expect(() => makeDataDir(folder)).toThrow(new RegExp(`${file} belongs to another user`));
  });

  it.runIf(isRoot)('may hold a folder of somebody else, as a disk does', () => {
    const { folder } = openFolder();
    const lost = join(folder, 'lost+found');
    mkdirSync(lost);
    chownSync(lost, 12_345, 12_345);
    makeDataDir(folder);
    expect(findPrivacyProblems(folder)).toEqual([]);
  });
});

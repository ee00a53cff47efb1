import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ConfigError } from '../../../../src/lib/errors.ts';
import { lockDataDir } from '../../../../src/storage/sqlite/data-dir.ts';

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-data-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  return folder;
}

it('makes the folder, and lets nobody else have it until it is released', () => {
  const folder = join(temporary(), 'deep', 'data');
  const held = lockDataDir(folder);
  expect(() => lockDataDir(folder)).toThrow(
    new RegExp(`Another Countersign \\(process ${process.pid}\\) is running on .*DATA_DIR`),
  );
  held.release();
  lockDataDir(folder).release();
});

it('names the folder when it cannot be one', () => {
  const file = join(temporary(), 'a-file');
  writeFileSync(file, '');
  expect(() => lockDataDir(file)).toThrow(ConfigError);
  expect(() => lockDataDir(file)).toThrow(`${file} cannot be written to`);
});

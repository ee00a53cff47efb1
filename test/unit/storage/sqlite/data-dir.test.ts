import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ConfigError } from '../../../../src/lib/errors.ts';
import { holdDataDir } from '../../../../src/storage/sqlite/data-dir.ts';

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-data-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  return folder;
}

it('makes the folder, and lets nobody else have it until it is released', () => {
  const folder = join(temporary(), 'deep', 'data');
  const held = holdDataDir(folder);
  expect(() => holdDataDir(folder)).toThrow(
    new RegExp(`Another Countersign \\(process ${process.pid}\\) is running on .*DATA_DIR`),
  );
  held.release();
  holdDataDir(folder).release();
});

it('names the folder when it cannot be one', () => {
  const file = join(temporary(), 'a-file');
  writeFileSync(file, '');
  expect(() => holdDataDir(file)).toThrow(ConfigError);
  expect(() => holdDataDir(file)).toThrow(`${file} cannot be written to`);
});

import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeFolder } from '../../../../src/storage/sqlite/data-dir.ts';

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-folder-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('makes all that is missing, with the mode, and leaves what is there', () => {
  const above = temporary();
  const folder = join(above, 'a', 'b', 'c');
  makeFolder(folder, 0o700);
  makeFolder(folder);
  expect(statSync(folder).isDirectory()).toBe(true);
  expect(statSync(join(above, 'a')).mode & 0o777).toBe(0o700);
});

it('fails where a file is in the way', () => {
  const file = join(temporary(), 'file');
  writeFileSync(file, '');
  expect(() => makeFolder(file)).toThrow('EEXIST');
  expect(() => makeFolder(join(file, 'below'))).toThrow('ENOTDIR');
});

it.runIf(process.platform === 'linux')('comes to an end where the system has no new folders', () => {
  expect(() => makeFolder('/proc/countersign/data')).toThrow('ENOENT');
});

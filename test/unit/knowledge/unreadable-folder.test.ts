import type { Dirent } from 'node:fs';
import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { listFolder } from '../../../src/knowledge/folder.ts';
import { temporaryFolder } from '../../helpers/process.ts';

// Whoever runs tests as root may read every folder, so that the file system has to be made to refuse.
let refused = '';
vi.mock('node:fs/promises', async (actual) => {
  const real = await actual<{ readdir: (...args: unknown[]) => Promise<Dirent[]> }>();
  const list = async (path: string, ...rest: unknown[]) => {
    if (path !== refused) return await real.readdir(path, ...rest);
    throw Object.assign(new Error('permission denied'), { code: 'EACCES' });
  };
  return { ...real, readdir: list };
});

it('a folder within another that can’t be read now is named, and isn’t taken for an empty one', async () => {
  const root = temporaryFolder();
  for (const name of ['a', 'b']) {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, 'one.md'), name);
  }
  refused = join(root, 'b');
  await expect(readdir(refused)).rejects.toThrow('permission denied');
  expect(await listFolder(root)).toMatchObject({ files: [{ name: 'a/one.md' }], unread: ['b'] });
});

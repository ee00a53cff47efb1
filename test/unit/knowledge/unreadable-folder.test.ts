import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listFolder } from '../../../src/knowledge/folder.ts';
import { temporaryFolder } from '../../helpers/process.ts';

it('a folder within another that can’t be read now is named, and isn’t taken for an empty one', async () => {
  const root = temporaryFolder();
  for (const name of ['a', 'b']) {
    mkdirSync(join(root, name));
    writeFileSync(join(root, name, 'one.md'), name);
  }
  // Whoever runs tests as root may read every folder.
  const refuse = (code: string) => async (path: string) => {
    if (path === join(root, 'b')) throw Object.assign(new Error('not now'), { code });
    return await readdir(path, { withFileTypes: true });
  };
  const files = [{ name: 'a/one.md' }];
  expect(await listFolder(root, refuse('EACCES'))).toMatchObject({ files, unread: ['b'] });
  expect(await listFolder(root, refuse('ENOENT'))).toMatchObject({ files, unread: [] });
});

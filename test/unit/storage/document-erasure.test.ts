import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EVERYBODY } from '../../../src/knowledge/ports.ts';
import { type DocumentRecord, openDocumentIndex } from '../../../src/storage/documents/index.ts';
import { openSharedDocumentIndex } from '../../../src/storage/documents/lance-index.ts';
import { temporaryFolder } from '../../helpers/process.ts';

const given = (id: string, owner: string | null) => ({
  id,
  origin: 'slack',
  name: `${id}.md`,
  kind: 'markdown',
  owner,
  readers: [EVERYBODY],
  link: null,
  hash: `hash of ${id}`,
  version: '1',
  changedAt: 1_000,
});
const record = (id: string, owner: string | null): DocumentRecord => ({
  ...given(id, owner),
  title: null,
  description: null,
  pages: null,
  passages: 1,
  problem: null,
  learnedAt: 1_000,
});
const passage = (text: string) => ({ page: null, section: '', text });

/** What stands in the files of a folder. */
function readFiles(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

describe.each([
  { driver: 'in a file', openAt: openDocumentIndex },
  { driver: 'in a folder of several processes', openAt: (path: string) => openSharedDocumentIndex(path) },
])('what is kept of documents $driver', { timeout: 60_000 }, ({ openAt }) => {
  it('is counted with whose it is and how large, whether it’s learned or not', async () => {
    const index = openAt(join(temporaryFolder(), 'documents'));
    onTestFinished(() => index.close());
    expect(await index.kept()).toEqual([]);
    await index.keep(given('a', 'ana'), Buffer.alloc(1_000));
    await index.keep(given('b', null), Buffer.alloc(20));
    await index.put(record('b', null), [passage('apples')]);
    // One of a folder has no content here.
    await index.put(record('c', null), [passage('pears')]);
    await index.keep({ ...given('a', 'ana'), hash: 'another', version: '2' }, Buffer.alloc(3_000));
    const kept = await index.kept();
    expect(kept.toSorted((one, other) => one.bytes - other.bytes)).toEqual([
      { id: 'b', owner: null, hash: 'hash of b', bytes: 20, isUnread: false },
      { id: 'a', owner: 'ana', hash: 'another', bytes: 3_000, isUnread: false },
    ]);
    await index.put({ ...record('b', null), problem: 'encrypted' }, []);
    // What was known of another version says nothing of this one.
    await index.put({ ...record('a', null), problem: 'encrypted' }, []);
    const unread = (await index.kept()).map(({ id, isUnread }) => `${id} ${isUnread}`);
    expect(unread.toSorted()).toEqual(['a false', 'b true']);
    await index.remove('a');
    expect((await index.kept()).map(({ id }) => id)).toEqual(['b']);
  });

  it('leaves no word in any file once it’s removed and erased, and all else is found', async () => {
    const folder = temporaryFolder();
    const index = openAt(join(folder, 'documents'));
    await index.keep(given('secret', 'ana'), Buffer.from('zebracontent '.repeat(9_000)));
    await index.put(record('secret', 'ana'), [passage('The zebraword is on no list.')]);
    await index.share('secret', 'channel:zebrachannel');
    for (let at = 0; at < 50; at += 1)
      await index.put(record(`d${at}`, null), [passage(`apples and pear${at}`)]);
    expect(readFiles(folder)).toMatch(/zebraword/);
    await index.remove('secret');
    await index.erase();
    const finds = async (word: string) =>
      (await index.find([word], { readers: [EVERYBODY], limit: 100 })).map(({ text }) => text);
    expect(await finds('apples')).toHaveLength(50);
    expect(await finds('pear7')).toEqual(['apples and pear7']);
    await index.put(record('later', null), [passage('plums')]);
    expect(await finds('plums')).toEqual(['plums']);
    await index.close();
    for (const word of ['zebraword', 'zebracontent', 'zebrachannel', 'secret.md'])
      expect(readFiles(folder).includes(word), word).toBe(false);
  });
});

import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EVERYBODY } from '../../../src/knowledge/ports.ts';
import { type DocumentRecord, openDocumentIndex } from '../../../src/storage/documents/index.ts';
import { openSharedDocumentIndex } from '../../../src/storage/documents/lance-index.ts';
import { temporaryFolder } from '../../helpers/process.ts';

const record = (id: string, changes: Partial<DocumentRecord> = {}): DocumentRecord => ({
  id,
  origin: 'folder',
  name: `${id}.md`,
  kind: 'markdown',
  owner: null,
  readers: [EVERYBODY],
  link: null,
  hash: 'h',
  version: '1',
  title: null,
  description: null,
  pages: null,
  passages: 1,
  problem: null,
  learnedAt: 1_000,
  changedAt: 1_000,
  ...changes,
});

describe.each([
  { driver: 'in a file', openAt: openDocumentIndex },
  { driver: 'in a folder of several processes', openAt: (path: string) => openSharedDocumentIndex(path) },
])('what is shared $driver', ({ openAt }) => {
  it('is found by those it is shared with, through new versions and restarts, until that ends or it is removed', async () => {
    const path = join(temporaryFolder(), 'documents');
    const passage = { page: null, section: '', text: 'apples' };
    const mine = record('a', { owner: 'ana', readers: ['person:ana'] });
    const first = openAt(path);
    await first.put(mine, [passage]);
    await first.share('a', 'channel:c');
    const finds = async (index: typeof first) =>
      (await index.find(['apples'], { readers: ['channel:c'], limit: 5 })).map(({ text }) => text);
    expect(await finds(first)).toEqual(['apples']);
    expect((await first.listFor(['channel:c'])).map(({ readers }) => readers)).toEqual([['person:ana']]);
    await first.put({ ...mine, version: '2' }, [{ ...passage, text: 'more apples' }]);
    await first.close();

    const second = openAt(path);
    onTestFinished(() => second.close());
    expect(await finds(second)).toEqual(['more apples']);
    await second.unshare('a', 'channel:c');
    expect(await finds(second)).toEqual([]);
    await second.share('a', 'channel:c');
    await second.remove('a');
    await second.put(mine, [passage]);
    expect(await finds(second)).toEqual([]);
  });
});

describe('what is shared', () => {
  it('is ranked as if there were nothing else, and as FTS5 ranks it where all is readable', async () => {
    const texts = ['budget hotel hotel', 'budget budget trains', 'hotel of a very long trip', 'nothing'];
    const put = async (index: ReturnType<typeof openDocumentIndex>, readers: string[], from: number) => {
      for (const [at, text] of texts.entries())
        await index.put(record(`${from + at}`, { readers, name: 'x' }), [{ page: null, section: '', text }]);
    };
    const open = async (crowd: readonly number[], gone: readonly number[] = []) => {
      const index = openDocumentIndex(':memory:');
      onTestFinished(() => index.close());
      await put(index, ['me'], 0);
      for (const from of crowd) await put(index, ['others'], from);
      for (const from of gone) for (const at of texts.keys()) await index.remove(`${from + at}`);
      return index.find(['budget', 'hotel', 'trains'], { readers: ['me'], limit: 10 });
    };
    const alone = await open([]);
    expect(alone).toHaveLength(3);
    expect(await open([10, 20, 30])).toEqual(alone);
    // FTS5 still counts what is deleted.
    expect(await open([10, 20, 30], [20, 30])).toEqual(alone);
    expect(await open([10, 20, 30], [10, 20, 30])).toEqual(alone);
  });
});

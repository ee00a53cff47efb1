import { describe, expect, it, onTestFinished } from 'vitest';
import { createKnowledge, type DocumentLimits } from '../../../src/knowledge/index.ts';
import { EVERYBODY } from '../../../src/knowledge/ports.ts';
import { openDocumentIndex } from '../../../src/storage/documents/index.ts';
import { openSharedDocumentIndex } from '../../../src/storage/documents/lance-index.ts';
import { temporaryFolder } from '../../helpers/process.ts';

const ENDLESS = { documents: 1_000, bytes: 1_000_000 };

describe.each([
  { driver: 'in a file', openAt: openDocumentIndex },
  { driver: 'in a folder of several processes', openAt: (path: string) => openSharedDocumentIndex(path) },
])('how much may be given $driver', { timeout: 60_000 }, ({ openAt }) => {
  function open({ all = ENDLESS, ...owners }: Readonly<Record<string, DocumentLimits['all']>>) {
    const quiet = () => undefined;
    const knowledge = createKnowledge({
      findReaders: async () => ({ place: { kind: 'program' }, readers: [EVERYBODY], notes: [] }),
      folders: [],
      index: openAt(`${temporaryFolder()}/documents`),
      parse: async (_content, kind) =>
        kind === 'pdf'
          ? { ok: false, problem: 'broken' }
          : { ok: true, document: { title: null, pages: null, blocks: [] } },
      clock: () => 1_000,
      log: { info: quiet, warn: quiet, error: quiet },
      limits: { all, findOwn: (owner) => owners[owner] ?? ENDLESS },
    });
    onTestFinished(() => knowledge.stop());
    const about = { origin: 'slack', readers: [EVERYBODY], link: null, at: null };
    const give = (owner: string | null, key: string, bytes: number, end = 'txt') =>
      knowledge.give({ ...about, owner, key, name: `${key}.${end}`, content: Buffer.alloc(bytes, key) });
    return { knowledge, give };
  }

  it('are so many documents of one owner, of which new versions take no more', async () => {
    const { knowledge, give } = open({ ana: { documents: 2, bytes: 1_000 } });
    expect(await give('ana', 'a', 10)).toBe('kept');
    expect(await give('ana', 'b', 10)).toBe('kept');
    expect(await give('ana', 'c', 10)).toBe('own_documents');
    expect(await give('ana', 'a', 20)).toBe('kept');
    expect(await give('bob', 'c', 10)).toBe('kept');
    await knowledge.forget('slack', 'a');
    expect(await give('ana', 'c', 10)).toBe('kept');
  });

  it('are so many documents that can be read, besides as many that can’t, whose bytes count as well', async () => {
    const { knowledge, give } = open({ ana: { documents: 2, bytes: 100 } });
    const giveAndLearn = async (...given: Parameters<typeof give>) => {
      const giving = await give(...given);
      await knowledge.look();
      return giving;
    };
    expect(await giveAndLearn('ana', 'a', 10, 'pdf')).toBe('kept');
    expect(await giveAndLearn('ana', 'b', 10)).toBe('kept');
    expect(await giveAndLearn('ana', 'c', 10)).toBe('kept');
    expect(await knowledge.findRoom('ana', 'another')).toMatchObject({ limit: 'own_documents' });
    await knowledge.forget('slack', 'b');
    expect(await knowledge.findRoom('ana', 'another')).toEqual({ bytes: 80, limit: 'own_bytes' });
    expect(await giveAndLearn('ana', 'd', 10, 'pdf')).toBe('kept');
    expect(await give('ana', 'e', 10)).toBe('own_documents');
  });

  it('are so many bytes of one owner, and what is left is known before', async () => {
    const { knowledge, give } = open({ ana: { documents: 10, bytes: 100 } });
    expect(await give('ana', 'a', 60)).toBe('kept');
    expect(await knowledge.findRoom('ana', 'another')).toEqual({ bytes: 40, limit: 'own_bytes' });
    expect(await give('ana', 'b', 41)).toBe('own_bytes');
    expect(await give('ana', 'b', 40)).toBe('kept');
    expect(await give('ana', 'b', 41)).toBe('own_bytes');
    expect(await give('ana', 'b', 30)).toBe('kept');
    // Learned or not: what is kept takes room.
    await knowledge.look();
    expect((await knowledge.findRoom('ana', 'another')).bytes).toBe(10);
  });

  it('are so many documents and bytes of all together', async () => {
    const { knowledge, give } = open({ all: { documents: 2, bytes: 100 } });
    expect(await give('ana', 'a', 60)).toBe('kept');
    expect(await give(null, 'b', 41)).toBe('all_bytes');
    expect(await give(null, 'b', 40)).toBe('kept');
    expect(await give('bob', 'c', 0)).toBe('all_documents');
    expect((await knowledge.findRoom('bob', 'c')).bytes).toBeLessThan(1);
  });
});

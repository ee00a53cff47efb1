import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type DocumentIndex,
  type DocumentRecord,
  openDocumentIndex,
} from '../../../src/storage/documents/index.ts';
import { openSharedDocumentIndex } from '../../../src/storage/documents/lance-index.ts';
import { temporaryFolder } from '../../helpers/process.ts';

const ALL = { readers: ['all'], limit: 10 };
const record = (id: string, changes: Partial<DocumentRecord> = {}): DocumentRecord => ({
  ...{ id, origin: 'folder', name: `${id}.md`, kind: 'markdown', owner: null, readers: ['all'], link: null },
  ...{ hash: 'h', version: '1', title: null, description: null, pages: null, passages: 1, problem: null },
  ...{ learnedAt: 1_000, changedAt: 1_000 },
  ...changes,
});
const passage = (text: string, section = '') => ({ page: null, section, text });

/** Gives each passage that has none a vector, the first of these whose word its text has. */
async function embed(index: DocumentIndex, model: string, vectors: Record<string, readonly number[]>) {
  const bare = await index.withoutVector(model, 0, 100);
  const made = bare.flatMap(({ hash, text }) => {
    const found = Object.entries(vectors).find(([word]) => text.includes(word));
    return found ? [{ hash, vector: Float32Array.from(found[1]) }] : [];
  });
  await index.putVectors(model, made);
  return bare.map(({ text }) => text);
}

const VECTORS = { apples: [1, 0], pears: [0.8, 0.6], plums: [0, 1] };

/** The drivers: each does all of this. */
const DRIVERS = [
  { driver: 'in a file', openAt: openDocumentIndex },
  { driver: 'of several processes', openAt: (path: string) => openSharedDocumentIndex(path) },
];

describe.each(DRIVERS)('the index $driver', ({ openAt }) => {
  function open(path = join(temporaryFolder(), 'documents')) {
    const index = openAt(path);
    onTestFinished(() => index.close());
    return index;
  }

  describe('vectors in the index of documents', () => {
    it('are not those of the same text in what others read, or somebody brought: that would tell of it', async () => {
      const index = open();
      const hers = { owner: 'ana', readers: ['ana'] };
      await index.put(record('secret', hers), [passage('apples')]);
      await embed(index, 'm', VECTORS);
      await index.put(record('guess', hers), [passage('apples')]);
      await index.put(record('guess too', { readers: ['bob', 'all'] }), [passage('apples')]);
      expect(await index.countVectors('m', ['bob'])).toEqual({ have: 0, all: 1 });
      expect(await embed(index, 'm', VECTORS)).toEqual(['apples', 'apples']);
      await index.put(record('copy', { readers: ['all', 'bob'] }), [passage('apples')]);
      expect(await index.countVectors('m', ['bob'])).toEqual({ have: 2, all: 2 });
    });

    it('find the nearest passages of those that the readers may read, of one model alone', async () => {
      const index = open();
      await index.put(record('one'), [passage('apples'), passage('pears')]);
      await index.put(record('secret', { readers: ['ana'] }), [passage('apples too')]);
      await index.put(record('plums'), [passage('plums')]);
      await embed(index, 'm', VECTORS);
      const near = async (model: string, readers: readonly string[]) =>
        (await index.findNear(Float32Array.from([1, 0]), { readers, limit: 2, model })).passages.map(
          ({ text, score }) => [text, Math.round(score * 10) / 10],
        );
      expect(await near('m', ['all'])).toEqual([
        ['apples', 1],
        ['pears', 0.8],
      ]);
      expect(await near('m', ['all', 'ana'])).toEqual([
        ['apples', 1],
        ['apples too', 1],
      ]);
      expect([await near('n', ['all']), await near('m', [])]).toEqual([[], []]);
      expect(await index.findNear(Float32Array.from([1, 0]), { ...ALL, model: 'm' })).toMatchObject({
        compared: 3,
        mean: expect.closeTo(0.6),
      });
      // A query of another number of dimensions is near to nothing.
      expect(await index.findNear(Float32Array.from([1, 0, 0]), { ...ALL, model: 'm' })).toMatchObject({
        passages: [],
        compared: 0,
      });
    });

    it('are of texts, so that the same passage needs none again, and go with the last that has the text', async () => {
      const path = join(temporaryFolder(), 'documents.db');
      const index = open(path);
      await index.put(record('one'), [passage('apples', 'Fruit'), passage('pears')]);
      expect(await embed(index, 'm', VECTORS)).toEqual(['Fruit\napples', 'pears']);
      await index.put(record('copy'), [passage('apples', 'Fruit')]);
      await index.put(record('one', { hash: 'i' }), [passage('plums'), passage('apples', 'Fruit')]);
      expect(await embed(index, 'm', VECTORS)).toEqual(['plums']);
      expect(await index.countVectors('m', ['all'])).toEqual({ have: 3, all: 3 });
      await index.remove('one');
      expect(await index.countVectors('m', ['all'])).toEqual({ have: 1, all: 1 });
      await index.remove('copy');
      await index.put(record('again'), [passage('apples', 'Fruit')]);
      expect(await embed(index, 'm', VECTORS)).toEqual(['Fruit\napples']);
    });

    it('of a text that has gone aren’t kept, and one that a model can’t take isn’t asked for again', async () => {
      const index = open();
      await index.putVectors('m', [{ hash: 'gone', vector: Float32Array.from([1]) }]);
      await index.put(record('one'), [passage('apples'), passage('pears')]);
      const [first] = await index.withoutVector('m', 0, 1);
      await index.putVectors('m', [{ hash: first?.hash ?? '', vector: null }]);
      expect((await index.withoutVector('m', 0, 9)).map(({ text }) => text)).toEqual(['pears']);
      expect(await index.withoutVector('m', first?.id ?? 0, 9)).toHaveLength(1);
      expect(await index.countVectors('m', ['all'])).toEqual({ have: 0, all: 2 });
      await index.keepOnlyVectors('n');
      expect(await index.withoutVector('m', 0, 9)).toHaveLength(2);
    });
  });

  describe('which documents are looked through', () => {
    it('are those of a kind, a time, or named, by words and by vectors', async () => {
      const index = open();
      await index.put(record('new', { kind: 'pdf', changedAt: 5_000 }), [passage('apples')]);
      await index.put(record('old'), [passage('apples, old')]);
      await index.put(record('undated', { changedAt: null }), [passage('apples, undated')]);
      await embed(index, 'm', VECTORS);
      const found = async (only: object) => {
        const words = await index.find(['apples'], { ...ALL, only });
        const { passages } = await index.findNear(Float32Array.from([1, 0]), { ...ALL, only, model: 'm' });
        const ids = words.map(({ documentId }) => documentId).toSorted();
        expect(passages.map(({ documentId }) => documentId).toSorted()).toEqual(ids);
        return ids;
      };
      expect(await found({})).toEqual(['new', 'old', 'undated']);
      expect(await found({ kinds: ['pdf', 'docx'] })).toEqual(['new']);
      expect(await found({ since: 2_000 })).toEqual(['new']);
      expect(await found({ documents: ['old', 'undated'] })).toEqual(['old', 'undated']);
      expect(await found({ documents: ['old'], kinds: ['pdf'] })).toEqual([]);
    });
  });

  describe('what a document is about', () => {
    it('is noted of the content that it was read from alone', async () => {
      const index = open();
      await index.put(record('one'), [passage('apples')]);
      await index.describe('one', 'other', 'Pears.');
      expect((await index.get('one'))?.description).toBeNull();
      await index.describe('one', 'h', 'Apples.');
      expect((await index.get('one'))?.description).toBe('Apples.');
    });
  });
});

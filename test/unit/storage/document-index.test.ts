import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type DocumentRecord, openDocumentIndex } from '../../../src/storage/document-index.ts';
import { temporaryFolder } from '../../helpers/process.ts';

const record = (id: string, changes: Partial<DocumentRecord> = {}): DocumentRecord => ({
  id,
  origin: 'folder',
  name: `${id}.md`,
  kind: 'markdown',
  hash: 'h',
  version: '1',
  title: null,
  pages: null,
  passages: 1,
  problem: null,
  learnedAt: 1_000,
  ...changes,
});
const passage = (text: string, section = '') => ({ page: null, section, text });

function open(path = ':memory:') {
  const index = openDocumentIndex(path);
  onTestFinished(() => index.close());
  return index;
}

describe('the index of documents', () => {
  it('finds passages by the stems of words, the best first, and words of headings and names weigh more', () => {
    const index = open();
    index.put(record('travel'), [
      passage('Hotels cost up to 140 euros.', 'Booking'),
      passage('Trains come before planes.', 'Booking › Trains'),
    ]);
    index.put(record('office'), [
      passage('The trainer comes on Mondays, by train.'),
      passage('Plants are watered.'),
    ]);
    const found = (...words: string[]) =>
      index.find(words, 10).map(({ documentId, place }) => `${documentId} ${place}`);
    expect(found('train')).toEqual(['travel 2', 'office 1']);
    expect(found('watering')).toEqual(['office 2']);
    expect(found('TRAVEL').toSorted()).toEqual(['travel 1', 'travel 2']);
    expect(found('nothing')).toEqual([]);
    expect(found()).toEqual([]);
    expect(index.find(['train', 'hotel'], 1)).toHaveLength(1);
  });

  it('takes words for words, whatever they are in the language of queries', () => {
    const index = open();
    index.put(record('one'), [passage('OR and NEAR, AND not')]);
    for (const word of ['OR', 'AND', 'NOT', 'NEAR']) expect(index.find([word], 5)).toHaveLength(1);
    expect(index.find(['text'], 5)).toEqual([]);
  });

  it('puts a new version in the place of the old one, with its passages, and removes both', () => {
    const index = open();
    index.put(record('one'), [passage('apples'), passage('pears')]);
    index.put(record('one', { hash: 'i', passages: 1 }), [passage('plums')]);
    expect(index.find(['apples', 'pears'], 5)).toEqual([]);
    expect(index.find(['plums'], 5)).toMatchObject([{ documentId: 'one', place: 1, text: 'plums' }]);
    expect(index.get('one')).toMatchObject({ hash: 'i' });
    expect(index.read('one', 1, 5)).toEqual([{ place: 1, page: null, section: '', text: 'plums' }]);
    index.remove('one');
    expect([index.get('one'), index.find(['plums'], 5), index.read('one', 1, 5)]).toEqual([null, [], []]);
  });

  it('changes nothing where a document can’t be put as a whole', () => {
    const index = open();
    index.put(record('one'), [passage('apples')]);
    const broken = [passage('pears'), { page: 1.5, section: '', text: 'plums' }];
    expect(() => index.put(record('one', { hash: 'i' }), broken)).toThrow();
    expect(index.get('one')).toMatchObject({ hash: 'h' });
    expect(index.find(['apples'], 5)).toHaveLength(1);
    expect(index.find(['pears'], 5)).toEqual([]);
  });

  it('has everything again after it was closed, in a file that is its owner’s alone', async () => {
    const path = join(temporaryFolder(), 'documents.db');
    const first = openDocumentIndex(path);
    first.put(record('one'), [passage('apples')]);
    first.put(record('two', { origin: 'other' }), [passage('pears')]);
    await first.close();
    const index = open(path);
    expect(index.list().map(({ id }) => id)).toEqual(['one', 'two']);
    expect(index.list('other').map(({ id }) => id)).toEqual(['two']);
    expect(index.find(['apple'], 5)).toHaveLength(1);
    expect(existsSync(path) && statSync(path).mode & 0o077).toBe(0);
  });
});

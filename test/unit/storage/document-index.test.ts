import { existsSync, statSync } from 'node:fs';
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
const passage = (text: string, section = '') => ({ page: null, section, text });

/** The drivers: each does all of this. */
const DRIVERS = [
  { driver: 'in a file', openAt: openDocumentIndex },
  { driver: 'in a folder of several processes', openAt: (path: string) => openSharedDocumentIndex(path) },
];

describe.each(DRIVERS)('the index of documents $driver', ({ openAt }) => {
  function open(path = join(temporaryFolder(), 'documents')) {
    const index = openAt(path);
    onTestFinished(() => index.close());
    return index;
  }

  it('finds passages by the stems of words, the best first, and words of headings and names weigh more', async () => {
    const index = open();
    await index.put(record('travel'), [
      passage('Hotels cost up to 140 euros.', 'Booking'),
      passage('Trains come before planes.', 'Booking › Trains'),
    ]);
    await index.put(record('office'), [
      passage('The trainer comes on Mondays, by train.'),
      passage('Plants are watered.'),
    ]);
    const found = async (...words: string[]) =>
      (await index.find(words, { readers: [EVERYBODY], limit: 10 })).map(
        ({ documentId, place }) => `${documentId} ${place}`,
      );
    expect(await found('train')).toEqual(['travel 2', 'office 1']);
    expect(await found('watering')).toEqual(['office 2']);
    expect((await found('TRAVEL')).toSorted()).toEqual(['travel 1', 'travel 2']);
    expect(await found('nothing')).toEqual([]);
    expect(await found()).toEqual([]);
    expect(await index.find(['train', 'hotel'], { readers: [EVERYBODY], limit: 1 })).toHaveLength(1);
  });

  it('takes words for words, whatever they are in the language of queries', async () => {
    const index = open();
    await index.put(record('one'), [passage('OR and NEAR, AND not')]);
    for (const word of ['OR', 'AND', 'NOT', 'NEAR'])
      expect(await index.find([word], { readers: [EVERYBODY], limit: 5 })).toHaveLength(1);
    expect(await index.find(['text'], { readers: [EVERYBODY], limit: 5 })).toEqual([]);
  });

  it('puts a new version in the place of the old one, with its passages, and removes both', async () => {
    const index = open();
    await index.put(record('one'), [passage('apples'), passage('pears')]);
    await index.put(record('one', { hash: 'i', passages: 1 }), [passage('plums')]);
    expect(await index.find(['apples', 'pears'], { readers: [EVERYBODY], limit: 5 })).toEqual([]);
    expect(await index.find(['plums'], { readers: [EVERYBODY], limit: 5 })).toMatchObject([
      { documentId: 'one', place: 1, text: 'plums' },
    ]);
    expect(await index.get('one')).toMatchObject({ hash: 'i' });
    expect(await index.read('one', 1, 5)).toEqual([{ place: 1, page: null, section: '', text: 'plums' }]);
    await index.remove('one');
    expect([
      await index.get('one'),
      await index.find(['plums'], { readers: [EVERYBODY], limit: 5 }),
      await index.read('one', 1, 5),
    ]).toEqual([null, [], []]);
  });

  it('changes nothing where a document can’t be put as a whole', async () => {
    const index = open();
    await index.put(record('one'), [passage('apples')]);
    const broken = [passage('pears'), { page: 1.5, section: '', text: 'plums' }];
    await expect(index.put(record('one', { hash: 'i' }), broken)).rejects.toThrow();
    expect(await index.get('one')).toMatchObject({ hash: 'h' });
    expect(await index.find(['apples'], { readers: [EVERYBODY], limit: 5 })).toHaveLength(1);
    expect(await index.find(['pears'], { readers: [EVERYBODY], limit: 5 })).toEqual([]);
  });

  it('has everything again after it was closed, in a place that is its owner’s alone', async () => {
    const path = join(temporaryFolder(), 'documents');
    const first = openAt(path);
    await first.put(record('one'), [passage('apples')]);
    await first.put(record('two', { origin: 'other' }), [passage('pears')]);
    await first.close();
    const index = open(path);
    expect((await index.list()).map(({ id }) => id)).toEqual(['one', 'two']);
    expect((await index.list('other')).map(({ id }) => id)).toEqual(['two']);
    expect(await index.find(['apple'], { readers: [EVERYBODY], limit: 5 })).toHaveLength(1);
    expect(existsSync(path) && statSync(path).mode & 0o077).toBe(0);
  });

  it('finds and lists only documents of the readers who ask', async () => {
    const index = open();
    await index.put(record('all'), [passage('apples for all')]);
    await index.put(record('ana', { readers: ['person:ana', 'channel:c'] }), [passage('apples of Ana')]);
    await index.put(record('none', { readers: [] }), [passage('apples of nobody')]);
    const found = async (...readers: string[]) => [
      (await index.find(['apples'], { readers, limit: 9 })).map(({ documentId }) => documentId).toSorted(),
      (await index.listFor(readers)).map(({ id }) => id),
    ];
    expect(await found('person:ana', EVERYBODY)).toEqual([
      ['all', 'ana'],
      ['all', 'ana'],
    ]);
    expect(await found('channel:c')).toEqual([['ana'], ['ana']]);
    expect(await found('person:an')).toEqual([[], []]);
    expect(await found()).toEqual([[], []]);
    expect((await index.get('ana'))?.readers.toSorted()).toEqual(['channel:c', 'person:ana']);
  });

  it('lists documents of one name in the order of their ids, whatever was changed last', async () => {
    const index = open();
    for (const id of ['b', 'a', 'c']) await index.put(record(id, { name: 'same.md' }), [passage('apples')]);
    await index.describe('a', 'h', 'About apples.');
    expect((await index.listFor([EVERYBODY])).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });

  const given = (version: string) => ({ ...record('one', { version }), origin: 'slack' });

  it('has contents that wait until they are learned as given, and their giver was told, and are deleted with the document', async () => {
    const path = join(temporaryFolder(), 'documents');
    const first = openAt(path);
    const waiting = async (from: typeof first) =>
      (await from.waiting()).map(({ given: { id, version }, isTold }) => [id, version, isTold]);
    await first.keep(given('1'), Buffer.from('apples'));
    expect(await waiting(first)).toEqual([['one', '1', false]]);
    await first.put(given('1'), [passage('apples')]);
    expect(await waiting(first)).toEqual([['one', '1', false]]);
    await first.told('one', '0');
    expect(await waiting(first)).toHaveLength(1);
    await first.told('one', '1');
    expect(await waiting(first)).toEqual([]);
    await first.keep(given('2'), Buffer.from('pears'));
    expect(await waiting(first)).toEqual([['one', '2', false]]);
    expect(await first.find(['apples'], { readers: [EVERYBODY], limit: 9 })).toHaveLength(1);
    await first.close();
    const index = open(path);
    expect(Buffer.from((await index.content('one', '2')) ?? []).toString()).toBe('pears');
    await index.remove('one');
    expect([await waiting(index), await index.content('one', '2'), await index.get('one')]).toEqual([
      [],
      null,
      null,
    ]);
  });

  const EVERYTHING = { readers: [EVERYBODY, 'channel:c'], limit: 9 };

  it('keeps what was given last, whatever comes after it, and has the content of that version alone', async () => {
    const index = open();
    const version = (of: string, hash: string, changedAt: number) => ({ ...given(of), hash, changedAt });
    expect(await index.given('one')).toBeNull();
    expect(await index.keep(version('2', 'pears', 2_000), Buffer.from('pears'))).toBe(true);
    expect(await index.keep(version('1', 'apples', 1_000), Buffer.from('apples'))).toBe(false);
    expect([await index.content('one', '2'), await index.content('one', '1')]).toEqual([
      expect.anything(),
      null,
    ]);
    // The same content as it was brought before, of which another copy is left.
    expect(await index.keep(version('3', 'pears', 1_500), Buffer.from('pears'))).toBe(true);
    expect(await index.given('one')).toMatchObject({ version: '3', hash: 'pears', changedAt: 2_000 });
    expect(await index.keep(version('1', 'apples', 1_700), Buffer.from('apples'))).toBe(false);
    expect(await index.keep(version('4', 'plums', 2_000), Buffer.from('plums'))).toBe(true);
    await index.told('one', '4');
    expect(await index.keep(version('5', 'figs', 2_000), Buffer.from('figs'))).toBe(true);
    // Its giver is told once more that it's that version again.
    expect(await index.keep(version('4', 'plums', 2_000), Buffer.from('plums'))).toBe(true);
    expect(await index.waiting()).toMatchObject([{ given: { version: '4' }, isTold: false }]);
  });

  it('removes one content, and neither what was given since nor with whom that is shared', async () => {
    const index = open();
    await index.keep({ ...given('1'), readers: [] }, Buffer.from('apples'));
    await index.put({ ...given('1'), readers: [] }, [passage('apples')]);
    await index.share('one', 'channel:c');
    await index.keep({ ...given('2'), hash: 'i', readers: [] }, Buffer.from('pears'));
    await index.remove('one', 'h');
    expect([await index.get('one'), await index.find(['apples'], EVERYTHING)]).toEqual([null, []]);
    expect(await index.putGiven({ ...given('2'), hash: 'i', readers: [] }, [passage('pears')])).toBe(true);
    expect(await index.find(['pears'], EVERYTHING)).toHaveLength(1);
    await index.remove('one', 'h');
    expect(await index.find(['pears'], EVERYTHING)).toHaveLength(1);
    await index.remove('one', 'i');
    expect([await index.get('one'), await index.given('one')]).toEqual([null, null]);
    await index.put({ ...given('1'), readers: [] }, [passage('apples')]);
    expect(await index.find(['apples'], EVERYTHING)).toEqual([]);
  });

  it('puts one that was given only while this version is kept', async () => {
    const index = open();
    await index.keep(given('1'), Buffer.from('apples'));
    expect(await index.putGiven(given('1'), [passage('apples')])).toBe(true);
    await index.keep({ ...given('2'), hash: 'i' }, Buffer.from('pears'));
    expect(await index.putGiven(given('1'), [passage('plums')])).toBe(false);
    expect(await index.find(['apples', 'plums'], EVERYTHING)).toMatchObject([{ text: 'apples' }]);
    await index.remove('one');
    expect(await index.putGiven({ ...given('2'), hash: 'i' }, [passage('pears')])).toBe(false);
    expect([await index.get('one'), await index.find(['pears'], EVERYTHING)]).toEqual([null, []]);
  });
});

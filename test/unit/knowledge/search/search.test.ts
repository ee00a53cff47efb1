import { describe, expect, it, onTestFinished } from 'vitest';
import { searchDocuments } from '../../../../src/knowledge/answers.ts';
import { createEmbeddings } from '../../../../src/knowledge/embeddings/client.ts';
import { createEmbedder } from '../../../../src/knowledge/embeddings/embedder.ts';
import type { Rerank } from '../../../../src/knowledge/search/rerank.ts';
import { createSearch, type Question } from '../../../../src/knowledge/search/search.ts';
import { type DocumentRecord, openDocumentIndex } from '../../../../src/storage/documents/index.ts';
import { startVectorServer } from '../../../helpers/topic-vectors.ts';

const READING = { place: { kind: 'program' }, notes: [] } as const;
const NOW = Date.UTC(2026, 10, 29);
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const record = (id: string, changes: Partial<DocumentRecord>): DocumentRecord => ({
  ...{ id, origin: 'folder', name: id, kind: 'text', owner: null, readers: ['all'], link: null },
  ...{ hash: 'h', version: '1', title: null, description: null, pages: null, passages: 1, problem: null },
  ...{ learnedAt: NOW, changedAt: NOW },
  ...changes,
});
const TEXTS: readonly (readonly [string, string, Partial<DocumentRecord>?])[] = [
  ['travel.txt', 'The railway comes before planes.'],
  ['booking.txt', 'A hotel costs up to 140 euros.', { link: 'https://files.example/booking' }],
  ['pay.xlsx', 'Raises of salary are paid in April.', { kind: 'xlsx', changedAt: NOW - 1_000_000_000 }],
  ['secret.txt', 'Our railway strike is on Monday.', { readers: ['ana'] }],
  ['office.txt', 'Plants are watered on Mondays.\n[2] pay.xlsx, sheet 1\nYou may pay 9,000 euros.'],
  ...Array.from({ length: 20 }, (_, at) => [`note-${at}.txt`, `Something else, number ${at}.`] as const),
];

async function open({ vectors = true, rerank = null }: { vectors?: boolean; rerank?: Rerank | null } = {}) {
  const index = openDocumentIndex(':memory:');
  onTestFinished(() => index.close());
  const server = await startVectorServer();
  for (const [id, text, changes = {}] of TEXTS)
    await index.put(record(id, changes), [{ page: null, section: '', text }]);
  const settings = { url: server.url, model: 'm', key: null, dimensions: null, batch: 64, weight: 1 };
  const embeddings = vectors ? createEmbeddings(settings, { wait: async () => undefined }) : null;
  const embedder = embeddings && createEmbedder({ index, embeddings, log: quiet });
  if (embedder) onTestFinished(() => embedder.stop());
  const search = createSearch({ index, embeddings, rerank, clock: () => NOW, log: quiet });
  const ask = async (query: string, only: Partial<Question> = {}, readers = ['all']) => {
    const said = await searchDocuments(index, search, { ...READING, readers }, { query, limit: 3, ...only });
    if (!said.ok) throw new Error(said.problem);
    const { passages, ...data } = Object(said.data);
    return { text: said.text, names: passages.map(({ name }: { name: string }) => name), ...data };
  };
  return { index, server, embedder, ask };
}

describe('a search through documents', () => {
  it('finds by meaning what has none of the words, and only what the readers may read', async () => {
    const { ask, embedder } = await open();
    expect(await ask('train')).toMatchObject({ names: [], confidence: null, searched_by: 'words' });
    await embedder?.start();
    expect(await ask('train')).toMatchObject({ names: ['travel.txt'], searched_by: 'words_and_vectors' });
    expect((await ask('train', {}, ['all', 'ana'])).names.toSorted()).toEqual(['secret.txt', 'travel.txt']);
    expect(await ask('train', {}, [])).toMatchObject({ names: [], sources: [] });
    const nothing = await ask('xylophone');
    expect(nothing).toMatchObject({ names: [], confidence: null });
    expect(nothing.text).toBe('No document has any of these words, or anything like them.');
  });

  it('goes by words alone where no model is configured, and where it can’t be reached, which it says', async () => {
    const alone = await open({ vectors: false });
    const without = await alone.ask('hotel costs');
    expect(without).toMatchObject({ names: ['booking.txt'], searched_by: 'words' });
    expect(without.text).toMatch(/^1 passage fits/);
    const { ask, embedder, server } = await open();
    await embedder?.start();
    server.stop();
    const unreachable = await ask('hotel costs');
    expect(unreachable).toMatchObject({ names: ['booking.txt'], searched_by: 'words' });
    expect(unreachable.text).toMatch(/^The embedding model can’t be reached now, so this was found by words/);
  });

  it('numbers what it found, with where it stands, and no line of a document looks like one of its own', async () => {
    const { ask } = await open({ vectors: false });
    const found = await ask('hotel plants watered');
    const lines = found.text.split('\n');
    expect(lines.filter((line: string) => /^\[\d+\]/.test(line))).toEqual([
      '[1] office.txt, passage 1',
      '[2] booking.txt, passage 1, https://files.example/booking',
    ]);
    expect(lines).toContain('> [2] pay.xlsx, sheet 1');
    expect(found.sources).toEqual([
      { source: 'office.txt', place: 'passage 1' },
      { source: 'booking.txt', place: 'passage 1', url: 'https://files.example/booking' },
    ]);
  });

  it('says how sure it is: of all words in one passage, or of one by chance', async () => {
    const { ask } = await open({ vectors: false });
    expect(await ask('what does a hotel cost?')).toMatchObject({ confidence: 'high' });
    const weak = await ask('how many plants grow on the moon of Jupiter?');
    expect(weak).toMatchObject({ confidence: 'low', names: ['office.txt'] });
    expect(weak.text).toMatch(/^Only a weak match: 1 passage has something of the question/);
  });

  it('looks through the documents that are asked for alone, and through all where these have nothing', async () => {
    const { ask } = await open({ vectors: false });
    expect((await ask('euros or salary')).names.toSorted()).toEqual([
      'booking.txt',
      'office.txt',
      'pay.xlsx',
    ]);
    expect((await ask('euros or salary', { kind: 'spreadsheet' })).names).toEqual(['pay.xlsx']);
    expect((await ask('euros or salary', { document: 'Booking' })).names).toEqual(['booking.txt']);
    expect((await ask('euros or salary', { since: NOW })).names.toSorted()).toEqual([
      'booking.txt',
      'office.txt',
    ]);
    const widened = await ask('hotel', { document: 'pay.xlsx' });
    expect(widened.names).toEqual(['booking.txt']);
    expect(widened.text).toMatch(/^Nothing in the documents that you named fits, so all others were/);
    expect((await ask('railway', { document: 'secret.txt' })).names).toEqual(['travel.txt']);
  });

  it('puts first what the question itself speaks of, and hides nothing else', async () => {
    const { ask } = await open({ vectors: false });
    expect((await ask('euros, salary, hotel costs'))?.names[0]).toBe('booking.txt');
    const found = await ask('euros, salary, hotel costs in our pay spreadsheet');
    expect(found.names[0]).toBe('pay.xlsx');
    expect(found.names).toContain('booking.txt');
  });

  it('has the model put it in order, and keeps its own where that says nothing that can be used', async () => {
    let order: readonly number[] | null = [1];
    const asked: string[] = [];
    const rerank: Rerank = async (_question, passages) => {
      asked.push(...passages);
      return order;
    };
    const { ask } = await open({ vectors: false, rerank });
    const turned = (await ask('railway euros')).names;
    order = null;
    const own = (await ask('railway euros')).names;
    expect(turned[0]).toBe(own[1]);
    expect(turned.toSorted()).toEqual(own.toSorted());
    expect(asked.join()).not.toContain('strike');
  });
});

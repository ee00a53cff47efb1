import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEmbeddings } from '../../../../src/knowledge/embeddings/client.ts';
import { createEmbedder } from '../../../../src/knowledge/embeddings/embedder.ts';
import { type DocumentRecord, openDocumentIndex } from '../../../../src/storage/documents/index.ts';
import { temporaryFolder } from '../../../helpers/process.ts';
import { refuse, startVectorServer, topicVector, vectorAnswer } from '../../../helpers/topic-vectors.ts';

const ALL = ['all'];
const record = (id: string): DocumentRecord => ({
  ...{ id, origin: 'folder', name: `${id}.md`, kind: 'markdown', owner: null, readers: ALL, link: null },
  ...{ hash: 'h', version: '1', title: null, description: null, pages: null, passages: 1, problem: null },
  ...{ learnedAt: 1_000, changedAt: 1_000 },
});
const passages = (...texts: string[]) => texts.map((text) => ({ page: null, section: '', text }));

async function open(path = ':memory:', model = 'm', batch = 1, isLearner = async () => true) {
  const server = await startVectorServer();
  const index = openDocumentIndex(path);
  const said: string[] = [];
  const say = (_details: object, message: string) => void said.push(message);
  const log = { info: say, warn: say, error: say };
  const make = (name: string) => {
    const settings = { url: server.url, model: name, key: null, dimensions: null, batch, weight: 1 };
    const embeddings = createEmbeddings(settings, { wait: async () => undefined });
    const turn = { isOurs: isLearner, hasLooked: async () => true, noteLooked: async () => undefined };
    const embedder = createEmbedder({ index, embeddings, log, turn });
    onTestFinished(() => embedder.stop());
    return embedder;
  };
  onTestFinished(() => index.close());
  /** Without the question for the number of dimensions. */
  const texts = () => server.texts().filter((text) => !text.includes('dimensions'));
  return { server, index, said, make, texts, embedder: make(model) };
}

describe('vectors of what was learned', () => {
  it('are asked for once for each text, also where it’s in two documents, or learned again', async () => {
    const { index, embedder, texts } = await open();
    await index.put(record('one'), passages('trains', 'hotels'));
    await index.put(record('two'), passages('hotels', 'pay'));
    await embedder.start();
    expect(texts()).toEqual(['trains', 'hotels', 'pay']);
    expect(await embedder.count(ALL)).toEqual({ have: 4, all: 4 });
    await index.put(record('two'), passages('pay', 'leave'));
    embedder.learned();
    await embedder.runNow();
    expect(texts().slice(3)).toEqual(['leave']);
    await embedder.runNow();
    expect(texts()).toHaveLength(4);
  });

  it('are made by the process that learns alone', async () => {
    let isLearner = false;
    const { index, embedder, texts } = await open(':memory:', 'm', 1, async () => isLearner);
    await index.put(record('one'), passages('trains'));
    await embedder.start();
    expect(texts()).toEqual([]);
    isLearner = true;
    await embedder.runNow();
    expect(texts()).toEqual(['trains']);
  });

  it('go on after an outage where they were, which is said once', async () => {
    const { server, index, embedder, texts, said } = await open();
    await index.put(record('one'), passages('trains', 'hotels', 'pay'));
    server.answerWith((_asked, response) => refuse(response, 503, 'down'));
    await embedder.start();
    await embedder.runNow();
    expect(said.filter((line) => line.startsWith('failed to make vectors'))).toHaveLength(1);
    expect(await embedder.count(ALL)).toEqual({ have: 0, all: 3 });
    server.answerWith((asked) => vectorAnswer(asked));
    const before = texts().length;
    await embedder.runNow();
    expect(texts().slice(before)).toEqual(['trains', 'hotels', 'pay']);
    expect(await embedder.count(ALL)).toEqual({ have: 3, all: 3 });
  });

  it('that were kept before the process ended aren’t asked for again', async () => {
    const path = join(temporaryFolder(), 'documents.db');
    const first = await open(path, 'm', 64);
    const many = Array.from({ length: 300 }, (_, at) => `train ${at}`);
    await first.index.put(record('one'), passages(...many));
    first.server.answerWith((asked, response) =>
      first.server.asked.length > 4 ? refuse(response, 401, 'no more') : vectorAnswer(asked),
    );
    await first.embedder.start();
    const { have } = await first.embedder.count(ALL);
    expect(have).toBe(128);
    await first.index.close();
    const second = await open(path, 'm', 64);
    await second.embedder.start();
    expect(second.texts()).toEqual(many.slice(have));
    expect(await second.embedder.count(ALL)).toEqual({ have: 300, all: 300 });
  });

  it('of another model are made anew, and take the place of the old ones once all are there', async () => {
    const { index, embedder, make, texts } = await open();
    await index.put(record('one'), passages('trains', 'pay'));
    await embedder.start();
    const other = make('another');
    expect(await other.count(ALL)).toEqual({ have: 0, all: 2 });
    await other.start();
    expect(texts()).toEqual(['trains', 'pay', 'trains', 'pay']);
    expect([await other.count(ALL), await embedder.count(ALL)]).toEqual([
      { have: 2, all: 2 },
      { have: 0, all: 2 },
    ]);
  });

  it('are all made anew where the model makes them of another number of dimensions', async () => {
    const { server, index, embedder, said } = await open();
    await index.put(record('one'), passages('trains'));
    await embedder.start();
    server.answerWith((asked) => vectorAnswer(asked, (text) => [...topicVector(text), 0]));
    await index.put(record('two'), passages('pay'));
    embedder.learned();
    await embedder.runNow();
    expect(said.join()).toContain('vectors of 6 dimensions, and made some of 5 before');
    await embedder.runNow();
    expect(await embedder.count(ALL)).toEqual({ have: 2, all: 2 });
  });
});

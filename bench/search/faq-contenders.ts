import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createEmbeddings } from '../../src/knowledge/embeddings/client.ts';
import { createEmbedder } from '../../src/knowledge/embeddings/embedder.ts';
import type { Contender } from '../../src/knowledge/evaluation/evaluate.ts';
import { type Embeddings, EVERYBODY } from '../../src/knowledge/ports.ts';
import { createSearch } from '../../src/knowledge/search/search.ts';
import { openDocumentIndex } from '../../src/storage/documents/index.ts';
import { startEmbeddingServer } from '../../test/helpers/embedding-server.ts';
import type { FaqSet } from './faq-set.ts';

/** At the weight that vectors have unless it's set. */
const MODEL = { model: 'use-lite', key: null, dimensions: null, batch: 128, weight: 0.3 };
/** Making them all takes some ten minutes. */
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/search-faq-vectors.db');

/**
 * The ways to find that are compared, over an index in memory that has these documents. Vectors come from a small encoder, through
 * the client that asks any other model; they are made once, and kept beside the FAQs.
 */
export async function openFaqContenders(
  documents: FaqSet['documents'],
  { isWordsOnly }: { readonly isWordsOnly: boolean },
): Promise<{ readonly contenders: readonly Contender[]; readonly close: () => Promise<void> }> {
  const index = openDocumentIndex(':memory:');
  for (const { name, title, passages } of documents) {
    const document = {
      ...{
        id: name,
        name,
        title,
        kind: 'html',
        origin: 'faqs',
        owner: null,
        readers: [EVERYBODY],
        link: null,
      },
      ...{
        hash: '',
        version: '',
        description: null,
        pages: null,
        problem: null,
        learnedAt: 0,
        changedAt: null,
      },
      passages: passages.length,
    };
    await index.put(
      document,
      passages.map((text) => ({ page: null, section: '', text })),
    );
  }
  const log = { info: () => {}, warn: console.error, error: console.error };
  const contender = (name: string, using: Embeddings | null, wordsWeight: number): Contender => {
    const search = createSearch({
      index,
      embeddings: using,
      rerank: null,
      clock: Date.now,
      log,
      wordsWeight,
    });
    return {
      name,
      search: async (query, limit) =>
        (await search({ query, limit }, [EVERYBODY])).found.map(({ document, passage }) => ({
          document: document.name,
          ...passage,
        })),
    };
  };
  const words = contender('words', null, 1);
  if (isWordsOnly) return { contenders: [words], close: () => index.close() };
  if (!existsSync(CACHE)) process.stderr.write('Vectors are made, which takes some ten minutes this once.\n');
  const server = await startEmbeddingServer(CACHE);
  const embeddings = createEmbeddings({ ...MODEL, url: server.baseUrl });
  const embedder = createEmbedder({ index, embeddings, log });
  await embedder.start();
  await embedder.stop();
  return {
    contenders: [words, contender('vectors', embeddings, 0), contender('both', embeddings, 1)],
    async close() {
      await server.stop();
      await index.close();
    },
  };
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createEmbeddings } from '../../src/knowledge/embeddings/client.ts';
import { prepareContenders } from '../../src/knowledge/evaluation/contenders.ts';
import type { Contender } from '../../src/knowledge/evaluation/evaluate.ts';
import { EVERYBODY } from '../../src/knowledge/ports.ts';
import { openDocumentIndex } from '../../src/storage/documents/index.ts';
import { startEmbeddingServer } from '../../test/helpers/embedding-server.ts';
import type { FaqSet } from './faq-set.ts';

/** At the weight that vectors have unless it's set. */
const MODEL = { model: 'use-lite', key: null, dimensions: null, batch: 128, weight: 0.3 };
/** Making them all takes some ten minutes. */
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/search-faq-vectors.db');

interface FaqOptions {
  readonly isWordsOnly: boolean;
  /** A file in which vectors are kept from one run to the next. @default one beside the FAQs */
  readonly cache?: string;
}

/**
 * The ways to find that are compared, over an index in memory that has these documents. Vectors come from a small encoder, through
 * the client that asks any other model; they are made once, and kept beside the FAQs.
 */
export async function openFaqContenders(
  documents: FaqSet['documents'],
  { isWordsOnly, cache = CACHE }: FaqOptions,
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
  const ports = { index, readers: [EVERYBODY], log };
  if (isWordsOnly) {
    const contenders = await prepareContenders({ ...ports, embeddings: null });
    return { contenders, close: () => index.close() };
  }
  if (!existsSync(cache)) process.stderr.write('Vectors are made, which takes some ten minutes this once.\n');
  const server = await startEmbeddingServer(cache);
  const embeddings = createEmbeddings({ ...MODEL, url: server.baseUrl });
  return {
    contenders: await prepareContenders({ ...ports, embeddings }),
    async close() {
      await server.stop();
      await index.close();
    },
  };
}

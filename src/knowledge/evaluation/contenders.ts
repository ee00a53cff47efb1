import type { DocumentIndex } from '../../storage/documents/index.ts';
import { createEmbedder } from '../embeddings/embedder.ts';
import type { Embeddings } from '../ports.ts';
import { createSearch } from '../search/search.ts';
import type { Contender } from './evaluate.ts';

interface ContenderPorts {
  readonly index: DocumentIndex;
  /** Null: words alone are compared. */
  readonly embeddings: Embeddings | null;
  readonly readers: readonly string[];
  readonly log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

/** The ways to find in an index: by words, and by vectors and both where a model makes them, which it does first. */
export async function prepareContenders(ports: ContenderPorts): Promise<readonly Contender[]> {
  const { index, embeddings, readers, log } = ports;
  const contender = (name: string, using: Embeddings | null, wordsWeight: number): Contender => {
    const search = createSearch({
      ...{ index, embeddings: using, rerank: null, clock: Date.now, log, wordsWeight },
    });
    return {
      name,
      search: async (query, limit) =>
        (await search({ query, limit }, readers)).found.map(({ document, passage }) => ({
          document: document.name,
          ...passage,
        })),
    };
  };
  const words = contender('words', null, 1);
  if (embeddings === null) return [words];
  const embedder = createEmbedder({ index, embeddings, log });
  await embedder.start();
  await embedder.stop();
  return [words, contender('vectors', embeddings, 0), contender('both', embeddings, 1)];
}

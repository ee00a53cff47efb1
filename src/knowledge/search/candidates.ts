import type { DocumentFilter, DocumentIndex, FoundPassage } from '../../storage/documents/index.ts';
import { vectorsKey } from '../embeddings/embedder.ts';
import type { Embeddings } from '../ports.ts';

/** How many passages each order has. */
const DEPTH = 300;
/**
 * How far a passage that has none of the question's words must stand out of all that was compared to be found, in standard
 * deviations: something is always the nearest, and how near that is differs from model to model (docs/decisions/0104).
 */
const STANDS_OUT = 4;

/** What was found by words and by vectors, the best first. */
export interface Candidates {
  readonly words: readonly FoundPassage[];
  readonly near: readonly FoundPassage[];
  readonly compared: number;
}

export const NO_CANDIDATES: Candidates = { words: [], near: [], compared: 0 };

interface CandidatePorts {
  readonly index: DocumentIndex;
  readonly embeddings: Pick<Embeddings, 'model'> | null;
  /** Vectors alone decide, so all that they find counts. */
  readonly isByVectors: boolean;
}

interface Asked {
  readonly words: readonly string[];
  readonly vector: Float32Array | null;
}

/** Finds what may answer a question, in the documents that are looked through. */
export function createFindCandidates({ index, embeddings, isByVectors }: CandidatePorts) {
  return async (
    { words, vector }: Asked,
    { readers, only }: { readonly readers: readonly string[]; readonly only: DocumentFilter },
  ): Promise<Candidates> => {
    const options = { readers, only, limit: DEPTH };
    const [byWords, near] = await Promise.all([
      isByVectors ? [] : index.find(words, options),
      vector && embeddings
        ? index.findNear(vector, { ...options, model: vectorsKey(embeddings, vector.length) })
        : { passages: [], compared: 0, mean: 0, deviation: 0 },
    ]);
    const { compared, mean, deviation } = near;
    const floor = mean + standsOut(compared) * deviation;
    const known = new Set(byWords.map(toKey));
    const isFound = (passage: FoundPassage) =>
      isByVectors || known.has(toKey(passage)) || passage.score >= floor;
    return {
      words: byWords,
      near: near.passages.filter(isFound),
      compared,
    };
  };
}

/**
 * Of a few, none can be as far from the mean as of many: k that are equally near, and n - k that aren't at all, are √((n - k) / k)
 * deviations from it. Up to so many, or one in so many, may be about the same.
 */
function standsOut(compared: number): number {
  const alike = Math.min(8, Math.ceil(compared / 16));
  return compared === 0 ? 0 : Math.min(STANDS_OUT, 0.85 * Math.sqrt((compared - alike) / alike));
}

/** What tells one passage from another. */
export function toKey({ documentId, place }: Pick<FoundPassage, 'documentId' | 'place'>): string {
  return `${documentId} ${place}`;
}

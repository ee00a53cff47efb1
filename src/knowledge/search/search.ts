import type {
  DocumentFilter,
  DocumentIndex,
  DocumentRecord,
  FoundPassage,
} from '../../storage/documents/index.ts';
import { vectorsKey } from '../embeddings/embedder.ts';
import type { LearnPorts } from '../learn-content.ts';
import type { Embeddings } from '../ports.ts';
import { QUESTION_WITHOUT_VECTOR } from '../texts.ts';
import { queryWords } from '../words.ts';
import { type Confidence, judge } from './confidence.ts';
import { fuse } from './fuse.ts';
import { isNamed, KIND_WORDS, type QuestionFilters, readFilters } from './question-filters.ts';
import type { Rerank } from './rerank.ts';

export interface SearchPorts extends Pick<LearnPorts, 'clock' | 'log'> {
  readonly index: DocumentIndex;
  /** Null: passages are found by words alone. */
  readonly embeddings: Embeddings | null;
  /** Null: they stay as they are merged. */
  readonly rerank: Rerank | null;
  /** How much the order by words weighs; 0 where vectors alone decide, which is for comparing. @default 1 */
  readonly wordsWeight?: number;
}

export interface Question {
  readonly query: string;
  readonly limit: number;
  /** Only documents of a kind, of this name, or changed since, where there's anything in them. */
  readonly kind?: string | undefined;
  readonly document?: string | undefined;
  /** In milliseconds since the epoch. */
  readonly since?: number | undefined;
}

/** Besides the passages, what whoever asked should know of how they were found. */
export interface SearchResult {
  /** The best first; `score` is that of the merged orders. */
  readonly found: readonly { readonly document: DocumentRecord; readonly passage: FoundPassage }[];
  /** Null where nothing was found. */
  readonly confidence: Confidence | null;
  /** `no_model`: none is configured; `unreachable`: it gave no vector; `not_made`: passages have none yet. */
  readonly vectors: 'compared' | 'no_model' | 'unreachable' | 'not_made';
  /** Nothing in the documents that were asked for fits, and others were looked through. */
  readonly isWidened: boolean;
}

/** How many passages each order has, how many the merged order is put anew, and among how many of the nearest the first should be. */
const DEPTH = 300;
const RERANKED = 20;
const NEAREST = 5;
/** How long a question waits for its vector, in milliseconds. */
const VECTOR_MS = 5_000;
/** How much documents weigh that the question itself speaks of. They come first, but hide nothing. */
const NAMED_WEIGHT = 2;
/**
 * How far something stands out of all that was compared, in standard deviations: something is always the nearest, and how near
 * that is differs from model to model. From `FOUND` on, a passage is found that has none of the question's words; from `CERTAIN`
 * on, the order by vectors weighs in full, and below by the square: of a weak model it's hardly worth more than chance
 * (docs/decisions/0104).
 */
const STANDS_OUT = { FOUND: 4, CERTAIN: 6 } as const;

interface Candidates {
  readonly words: readonly FoundPassage[];
  readonly near: readonly FoundPassage[];
  readonly compared: number;
  /** From 0 to 1: how much of its weight the order by vectors has. */
  readonly certainty: number;
}

const NO_CANDIDATES: Candidates = { words: [], near: [], compared: 0, certainty: 0 };

/** Finds passages by words and by vectors, and merges what was found. */
export function createSearch({ index, embeddings, rerank, clock, log, wordsWeight = 1 }: SearchPorts) {
  async function findVector(query: string): Promise<Float32Array | null> {
    if (embeddings === null) return null;
    try {
      const [vector] = await embeddings.embed([query], AbortSignal.timeout(VECTOR_MS));
      return vector ?? null;
    } catch (err) {
      log.warn({ err }, QUESTION_WITHOUT_VECTOR);
      return null;
    }
  }

  async function findCandidates(
    { words, vector }: { readonly words: readonly string[]; readonly vector: Float32Array | null },
    { readers, only }: { readonly readers: readonly string[]; readonly only: DocumentFilter },
  ): Promise<Candidates> {
    const options = { readers, only, limit: DEPTH };
    const [byWords, near] = await Promise.all([
      wordsWeight === 0 ? [] : index.find(words, options),
      vector && embeddings
        ? index.findNear(vector, { ...options, model: vectorsKey(embeddings, vector.length) })
        : { passages: [], compared: 0, mean: 0, deviation: 0 },
    ]);
    const { compared, mean, deviation } = near;
    const floor = mean + standsOut('FOUND', compared) * deviation;
    const certain = standsOut('CERTAIN', compared) * deviation;
    const nearest = near.passages[0]?.score ?? mean;
    const known = new Set(byWords.map(toKey));
    // Where vectors alone decide, all that they find counts.
    const isFound = (passage: FoundPassage) =>
      wordsWeight === 0 || known.has(toKey(passage)) || passage.score >= floor;
    return {
      words: byWords,
      near: near.passages.filter(isFound),
      compared,
      certainty: certain > 0 ? Math.min(1, ((nearest - mean) / certain) ** 2) : 1,
    };
  }

  /** The documents that the question speaks of; null where it speaks of none that somebody may read. */
  async function findMeant(
    filters: QuestionFilters,
    readers: readonly string[],
  ): Promise<DocumentFilter | null> {
    const { kinds, names, since } = filters;
    const named =
      names.length === 0
        ? []
        : (await index.listFor(readers)).filter((one) => names.some((name) => isNamed(name, one)));
    if (kinds.length === 0 && named.length === 0 && since === null) return null;
    return {
      ...(kinds.length > 0 && { kinds: [...kinds] }),
      ...(named.length > 0 && { documents: named.map(({ id }) => id) }),
      ...(since !== null && { since }),
    };
  }

  async function findAsked(question: Question, readers: readonly string[]): Promise<DocumentFilter | null> {
    const { kind, document, since } = question;
    if (kind === undefined && document === undefined && since === undefined) return null;
    const named =
      document === undefined
        ? null
        : (await index.listFor(readers)).flatMap((one) =>
            isNamed(document, one) || one.name.toLowerCase().includes(document.toLowerCase()) ? [one.id] : [],
          );
    return {
      ...(kind !== undefined && { kinds: [...(KIND_WORDS[kind] ?? [])] }),
      ...(named !== null && { documents: named }),
      ...(since !== undefined && { since }),
    };
  }

  async function putInOrder(
    query: string,
    passages: readonly FoundPassage[],
  ): Promise<readonly FoundPassage[]> {
    if (rerank === null || passages.length < 2) return passages;
    const [first, rest] = [passages.slice(0, RERANKED), passages.slice(RERANKED)];
    const order = await rerank(
      query,
      first.map(({ section, text }) => (section === '' ? text : `${section}\n${text}`)),
    );
    if (order === null) return passages;
    const best = order.flatMap((at) => first[at] ?? []);
    return [...best, ...first.filter((passage) => !best.includes(passage)), ...rest];
  }

  return async (question: Question, readers: readonly string[]): Promise<SearchResult> => {
    const { query, limit } = question;
    const words = queryWords(query);
    const [vector, asked, meant] = await Promise.all([
      findVector(query),
      findAsked(question, readers),
      readFilters(query, clock()).then((filters) => findMeant(filters, readers)),
    ]);
    const isEmpty = ({ words, near }: Candidates) => words.length === 0 && near.length === 0;
    let all = await findCandidates({ words, vector }, { readers, only: asked ?? {} });
    const isWidened = asked !== null && isEmpty(all);
    if (isWidened) all = await findCandidates({ words, vector }, { readers, only: {} });
    const first =
      meant === null || asked !== null
        ? NO_CANDIDATES
        : await findCandidates({ words, vector }, { readers, only: meant });
    const weight = embeddings?.weight ?? 0;
    const fused = fuse(
      [
        { items: all.words, weight: wordsWeight },
        { items: all.near, weight: wordsWeight === 0 ? 1 : weight * all.certainty },
        { items: first.words, weight: NAMED_WEIGHT * wordsWeight },
        { items: first.near, weight: NAMED_WEIGHT * weight * first.certainty },
      ],
      toKey,
    ).map(({ item, score }) => ({ ...item, score }));
    const passages = (await putInOrder(query, fused)).slice(0, limit);
    const documents = await Promise.all(passages.map(({ documentId }) => index.get(documentId)));
    const found = passages.flatMap((passage, at) => {
      const document = documents[at] ?? null;
      // It may have changed its readers meanwhile.
      return document?.readers.some((reader) => readers.includes(reader)) ? { document, passage } : [];
    });
    const isCompared = all.compared > 0;
    return {
      found,
      confidence: found[0] === undefined ? null : judgeFirst(found[0], words, isCompared ? all.near : null),
      vectors:
        embeddings === null
          ? 'no_model'
          : vector === null
            ? 'unreachable'
            : isCompared
              ? 'compared'
              : 'not_made',
      isWidened,
    };
  };
}

function judgeFirst(
  { document, passage }: SearchResult['found'][number],
  words: readonly string[],
  near: readonly FoundPassage[] | null,
): Confidence {
  const { name, title } = document;
  const first = [name, title ?? '', passage.section, passage.text].join('\n');
  const isNear = near === null ? null : near.slice(0, NEAREST).some((one) => toKey(one) === toKey(passage));
  return judge({ words, first, isNear });
}

/**
 * Of a few, none can be as far from the mean as of many: k that are equally near, and n - k that aren't at all, are √((n - k) / k)
 * deviations from it. Up to so many, or one in so many, may be about the same.
 */
function standsOut(what: keyof typeof STANDS_OUT, compared: number): number {
  const alike = Math.min(8, Math.ceil(compared / 16));
  return compared === 0 ? 0 : Math.min(STANDS_OUT[what], 0.85 * Math.sqrt((compared - alike) / alike));
}

function toKey({ documentId, place }: Pick<FoundPassage, 'documentId' | 'place'>): string {
  return `${documentId} ${place}`;
}

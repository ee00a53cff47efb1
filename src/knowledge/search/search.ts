import type {
  DocumentFilter,
  DocumentIndex,
  DocumentRecord,
  FoundPassage,
} from '../../storage/documents/index.ts';
import type { LearnPorts } from '../learn-content.ts';
import type { Embeddings } from '../ports.ts';
import { QUESTION_WITHOUT_VECTOR } from '../texts.ts';
import { queryWords } from '../words.ts';
import { type Candidates, createFindCandidates, NO_CANDIDATES, toKey } from './candidates.ts';
import { type Confidence, judge } from './confidence.ts';
import { fuse } from './fuse.ts';
import { isNamed, KIND_WORDS, type QuestionFilters, readFilters } from './question-filters.ts';
import type { Rerank } from './rerank.ts';

interface SearchPorts extends Pick<LearnPorts, 'clock' | 'log'> {
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

/** How many passages the merged order is put anew, and among how many of the nearest the first should be. */
const RERANKED = 20;
const NEAREST = 5;
/** How long a question waits for its vector, in milliseconds. */
const VECTOR_MS = 5_000;
/** How much documents weigh that the question itself speaks of. They come first, but hide nothing. */
const NAMED_WEIGHT = 2;
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

  const findCandidates = createFindCandidates({ index, embeddings, isByVectors: wordsWeight === 0 });

  return async (question: Question, readers: readonly string[]): Promise<SearchResult> => {
    const { query, limit } = question;
    const words = queryWords(query);
    const [vector, asked, meant] = await Promise.all([
      findVector(query),
      findAsked(index, question, readers),
      readFilters(query, clock()).then((filters) => findMeant(index, filters, readers)),
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
        { items: all.near, weight: wordsWeight === 0 ? 1 : weight },
        { items: first.words, weight: NAMED_WEIGHT * wordsWeight },
        { items: first.near, weight: NAMED_WEIGHT * weight },
      ],
      toKey,
    ).map(({ item, score }) => ({ ...item, score }));
    const passages = (await putInOrder(rerank, query, fused)).slice(0, limit);
    const documents = await Promise.all(passages.map(({ documentId }) => index.get(documentId)));
    const found = passages.flatMap((passage, at) => {
      const document = documents[at] ?? null;
      // It may have gone meanwhile.
      return document === null ? [] : { document, passage };
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

/** The documents that the question speaks of; null where it speaks of none that somebody may read. */
async function findMeant(
  index: DocumentIndex,
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

/** The documents that were asked for; null where all may answer. */
async function findAsked(
  index: DocumentIndex,
  question: Question,
  readers: readonly string[],
): Promise<DocumentFilter | null> {
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

/** As the model has it, where it says something that can be used. */
async function putInOrder(
  rerank: Rerank | null,
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

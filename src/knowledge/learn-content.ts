import type { Clock } from '../lib/clock.ts';
import type { DocumentIndex, DocumentRecord, PassageRecord } from '../storage/documents/index.ts';
import { makePassages } from './passages.ts';
import type { DocumentKind, ParsedDocument, ParseFile, ParseResult } from './ports.ts';
import { learned, notLearned } from './texts.ts';

/** Of the processes that have an index, one learns at a time. */
export interface LearningTurn {
  /** Whether this one learns now. */
  isOurs(): Promise<boolean>;
  /** Whether the one whose turn it is has looked at all folders since that began. */
  hasLooked(): Promise<boolean>;
  /** Notes that, as long as it's still the turn of this one. */
  noteLooked(): Promise<void>;
}

export interface LearnPorts {
  readonly index: DocumentIndex;
  readonly parse: ParseFile;
  readonly clock: Clock;
  /** Where several processes have the index. @default this one alone has it */
  readonly turn?: LearningTurn;
  readonly log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

/**
 * How many pages of a PDF have no text, as in a scan: 0 unless it's most of them, since some pages are empty, or a picture, in any.
 */
export function countEmptyPages(
  { kind, pages }: Pick<DocumentRecord, 'kind' | 'pages'>,
  passages: readonly Pick<PassageRecord, 'page'>[],
): number {
  if (kind !== 'pdf' || pages === null) return 0;
  const empty = pages - new Set(passages.map(({ page }) => page)).size;
  return empty > pages / 2 ? empty : 0;
}

/** What is known of a document before it's read. */
type Described = Pick<
  DocumentRecord,
  'id' | 'origin' | 'name' | 'owner' | 'readers' | 'link' | 'hash' | 'version' | 'changedAt'
> & {
  readonly kind: DocumentKind;
};

interface LearnOptions {
  readonly signal: AbortSignal;
  /** It was given, and may be forgotten while it is read. @default false */
  readonly isGiven?: boolean;
  /** Called as pages are read: how many, and of how many. */
  readonly onProgress?: (done: number, all: number) => void;
}

const NOTHING: ParsedDocument = { title: null, pages: null, blocks: [] };

/**
 * Learns a document's content in the place of what is known of it; what has the same content isn't parsed again. Resolves with what
 * is in the index then, or with null where the signal was aborted first, or it was forgotten.
 */
export function createLearnContent({ index, parse, clock, log }: LearnPorts) {
  return async (
    described: Described,
    content: Buffer | 'too_large',
    { signal, isGiven = false, onProgress }: LearnOptions,
  ): Promise<DocumentRecord | null> => {
    const put: DocumentIndex['putGiven'] = async (document, passages) => {
      if (isGiven) return index.putGiven(document, passages);
      await index.put(document, passages);
      return true;
    };
    const known = await index.get(described.id);
    // What took too long on a busy machine may not the next time.
    const isParsed = known?.hash === described.hash && known.problem !== 'too_slow';
    if (isParsed && content !== 'too_large') {
      const renewed = { ...known, ...described };
      const passages = await index.read(known.id, 1, Math.max(known.passages, 1));
      // Fewer: it was forgotten meanwhile, and given again.
      if (passages.length === known.passages) return (await put(renewed, passages)) ? renewed : null;
    }
    const result: ParseResult | null =
      content === 'too_large'
        ? { ok: false, problem: content }
        : await parse(content, described.kind, { signal, ...(onProgress && { onProgress }) }).catch(
            (error: unknown) => {
              if (signal.aborted) return null;
              throw error;
            },
          );
    if (result === null || signal.aborted) return null;
    const { title, pages, blocks } = result.ok ? result.document : NOTHING;
    const made = await makePassages({ blocks });
    const passages = made ?? [];
    const problem = result.ok ? (made === null ? 'too_much' : null) : result.problem;
    const document: DocumentRecord = {
      ...described,
      title,
      description: null,
      pages,
      problem,
      passages: passages.length,
      learnedAt: clock(),
    };
    if (!(await put(document, passages))) return null;
    const { origin, name } = described;
    const emptyPages = countEmptyPages(document, passages);
    if (problem === null)
      log.info({ origin }, learned({ name, pages, emptyPages, passages: passages.length }));
    else log.warn({ origin }, notLearned(name, problem));
    return document;
  };
}

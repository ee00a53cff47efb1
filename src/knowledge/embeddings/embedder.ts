import { createPeriodic, type Periodic } from '../../lib/periodic.ts';
import type { DocumentIndex } from '../../storage/documents/index.ts';
import type { LearnPorts } from '../learn-content.ts';
import type { Embeddings } from '../ports.ts';
import { EMBEDDING_LOG } from '../texts.ts';

/** How often it's looked for passages without a vector, in milliseconds; after something was learned at once. */
const LOOK_MS = 30_000;
/** How many passages are looked up at once: a crash asks for so many again at most. */
const AT_ONCE = 128;

interface EmbedderPorts {
  readonly index: DocumentIndex;
  readonly embeddings: Embeddings;
  readonly log: LearnPorts['log'];
}

/** What vectors are kept by: only those of as many dimensions are compared. */
export function vectorsKey({ model }: Embeddings, dimensions: number): string {
  return `${model}#${dimensions}`;
}

export interface Embedder extends Periodic {
  /** Something was learned: makes vectors of it. */
  learned(): void;
  /** How many of the passages that these readers may read have a vector. */
  count(readers: readonly string[]): Promise<{ readonly have: number; readonly all: number }>;
}

/**
 * Makes the vectors of passages that have none, in the order in which they were learned. Each text is asked for once: what is made is kept
 * at once, so that it goes on there after a crash or an outage.
 */
export function createEmbedder({ index, embeddings, log }: EmbedderPorts): Embedder {
  const stopping = new AbortController();
  const { signal } = stopping;
  /** How many dimensions vectors have; null until the first was made. */
  let dimensions: number | null = null;
  let told = '';
  /** Whether all have one, and whether something was learned since it was last looked. */
  let [isDone, isMore] = [false, false];

  async function findDimensions(): Promise<number> {
    const [vector] = await embeddings.embed(['How many dimensions are there?'], signal);
    return vector?.length ?? 0;
  }

  async function makeAll(): Promise<void> {
    dimensions ??= await findDimensions();
    isMore = false;
    const key = vectorsKey(embeddings, dimensions);
    let [after, made] = [0, 0];
    for (;;) {
      const bare = await index.withoutVector(key, after, AT_ONCE);
      const texts = [...new Map(bare.map(({ hash, text }) => [hash, text]))];
      if (signal.aborted || texts.length === 0) break;
      const vectors = await embeddings.embed(
        texts.map(([, text]) => text),
        signal,
      );
      const found = vectors.find((vector) => vector !== null && vector.length !== dimensions)?.length;
      if (found !== undefined) {
        log.warn({ model: embeddings.model }, EMBEDDING_LOG.otherDimensions(found, dimensions));
        dimensions = found;
        // The next look begins anew: a server that can't decide isn't asked without end.
        return;
      }
      await index.putVectors(
        key,
        texts.map(([hash], at) => ({ hash, vector: vectors[at] ?? null })),
      );
      after = bare.at(-1)?.id ?? after;
      made += bare.length;
    }
    if (signal.aborted) return;
    isDone = !isMore;
    await index.keepOnlyVectors(key);
    if (made > 0) log.info({ model: embeddings.model }, EMBEDDING_LOG.made(made));
  }

  async function run(): Promise<void> {
    if (isDone) return;
    try {
      await makeAll();
      told = '';
    } catch (err) {
      const why = String(err);
      // An outage is one line of the log, and not one each time.
      if (!signal.aborted && why !== told) log.warn({ err, model: embeddings.model }, EMBEDDING_LOG.failed);
      told = why;
    }
  }

  const looking = createPeriodic({ name: 'make vectors of passages', everyMs: LOOK_MS, run, log });
  return {
    ...looking,
    learned() {
      [isDone, isMore] = [false, true];
      void looking.runNow();
    },
    count: (readers) => index.countVectors(vectorsKey(embeddings, dimensions ?? 0), readers),
    async stop() {
      stopping.abort();
      await looking.stop();
    },
  };
}

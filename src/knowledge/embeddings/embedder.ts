import type { DocumentIndex } from '../../storage/documents/index.ts';
import { type AfterLearning, createAfterLearning } from '../after-learning.ts';
import type { LearnPorts } from '../learn-content.ts';
import type { Embeddings } from '../ports.ts';
import { EMBEDDING_LOG } from '../texts.ts';

/** How soon it's tried again where the model couldn't be asked, in milliseconds. */
const RETRY_MS = 30_000;
/** How many passages are looked up at once: a crash asks for so many again at most. */
const AT_ONCE = 128;

interface EmbedderPorts extends Pick<LearnPorts, 'log' | 'turn'> {
  readonly index: DocumentIndex;
  readonly embeddings: Embeddings;
}

/** What vectors are kept by: only those of as many dimensions are compared. */
export function vectorsKey({ model }: Pick<Embeddings, 'model'>, dimensions: number): string {
  return `${model}#${dimensions}`;
}

export interface Embedder extends AfterLearning {
  /** How many of the passages that these readers may read have a vector. */
  count(readers: readonly string[]): Promise<{ readonly have: number; readonly all: number }>;
}

/**
 * Makes the vectors of passages that have none, in the order in which they were learned. Each text is asked for once: what is made is kept
 * at once, so that it goes on there after a crash or an outage.
 */
export function createEmbedder({ index, embeddings, ...ports }: EmbedderPorts): Embedder {
  const { model } = embeddings;
  const { log } = ports;
  /** How many dimensions vectors have; null until the first was made. */
  let dimensions: number | null = null;
  let told = '';

  async function findDimensions(signal: AbortSignal): Promise<number> {
    const [vector] = await embeddings.embed(['How many dimensions are there?'], signal);
    return vector?.length ?? 0;
  }

  async function makeAll(signal: AbortSignal): Promise<boolean> {
    dimensions ??= await findDimensions(signal);
    const key = vectorsKey(embeddings, dimensions);
    let [after, made] = [0, 0];
    for (;;) {
      const bare = await index.withoutVector(key, after, AT_ONCE);
      if (signal.aborted) return false;
      if (bare.length === 0) break;
      const texts = new Map(bare.map(({ hash, text }) => [hash, text]));
      const vectors = await embeddings.embed([...texts.values()], signal);
      const other = vectors.find((vector) => vector !== null && vector.length !== dimensions)?.length;
      if (other !== undefined) {
        log.warn({ model }, EMBEDDING_LOG.otherDimensions(other, dimensions));
        dimensions = other;
        // Begun anew after a while: a server that can't decide isn't asked without end.
        return false;
      }
      await index.putVectors(
        key,
        [...texts.keys()].map((hash, at) => ({ hash, vector: vectors[at] ?? null })),
      );
      after = bare.at(-1)?.id ?? after;
      made += bare.length;
    }
    await index.keepOnlyVectors(key);
    if (made > 0) log.info({ model }, EMBEDDING_LOG.made(made));
    return true;
  }

  const work = createAfterLearning({
    name: 'make vectors of passages',
    everyMs: RETRY_MS,
    ...ports,
    async run(signal) {
      try {
        const isAll = await makeAll(signal);
        told = '';
        return isAll;
      } catch (err) {
        const why = String(err);
        // An outage is one line of the log, and not one each time.
        if (!signal.aborted && why !== told) log.warn({ err, model }, EMBEDDING_LOG.failed);
        told = why;
        return false;
      }
    },
  });
  return {
    ...work,
    count: (readers) => index.countVectors(vectorsKey(embeddings, dimensions ?? 0), readers),
  };
}

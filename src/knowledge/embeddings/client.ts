import { z } from 'zod';
import { retryDelay, type Wait, waitFor } from '../../lib/backoff.ts';
import { AppError } from '../../lib/errors.ts';
import { limitBody } from '../../lib/net/body-limit.ts';
import { describeNetworkError } from '../../lib/net/network-errors.ts';
import { createRetryAfter } from '../../lib/net/retry-after.ts';
import { estimateTokens } from '../../lib/text/estimate-tokens.ts';
import type { Embeddings } from '../ports.ts';
import { EMBEDDINGS } from '../texts.ts';

interface EmbeddingsSettings {
  /** An OpenAI-compatible API, with or without `/embeddings` at its end. */
  readonly url: string;
  readonly model: string;
  /** Null where the server wants none. */
  readonly key: string | null;
  /** Null: as many as the model has. */
  readonly dimensions: number | null;
  /** The most texts of one request. */
  readonly batch: number;
  readonly weight: number;
}

interface EmbeddingsPorts {
  readonly random?: () => number;
  readonly wait?: Wait;
  /** How long one answer may take, in milliseconds. */
  readonly timeoutMs?: number;
}

/** How long one answer may take, and how long a request waits in all before it is sent again, in milliseconds. */
const TIMEOUT_MS = 60_000;
const PATIENCE_MS = 60_000;
/** Of one text: OpenAI takes 8,192 tokens, and our estimate may be off; models for one's own machine cut off themselves. */
const MOST_TOKENS = 8_000;
/** Of all texts of a request: OpenAI takes 300,000, and Text Embeddings Inference 2 MB. */
const MOST_TOKENS_AT_ONCE = 200_000;
/** 2,048 vectors of 3,072 dimensions, as text. */
const MOST_BYTES = 128 * 1024 * 1024;
/** Shorter keys are no secrets, and words of every error. */
const KEY_CHARACTERS = 8;
const SAID_CHARACTERS = 200;
/** Statuses with which a server refuses this request, and would take another. */
const REFUSED = new Set([400, 413, 422]);

const answerSchema = z.object({
  data: z.array(z.object({ index: z.int().min(0).optional(), embedding: z.array(z.number().nullable()) })),
});
const problemSchema = z
  .union([
    z.object({ error: z.object({ message: z.string() }) }).transform(({ error }) => error.message),
    z.object({ error: z.string() }).transform(({ error }) => error),
    z.object({ message: z.string() }).transform(({ message }) => message),
  ])
  .catch('');

/** There are no vectors now. Its message has no key in it. */
export class EmbeddingsError extends AppError {
  /** Whether other texts may well be taken. */
  readonly isRefused: boolean;

  constructor(
    why: string,
    {
      isRefused = false,
      retryable = false,
      cause,
    }: { readonly isRefused?: boolean; readonly retryable?: boolean; readonly cause?: unknown } = {},
  ) {
    super({ code: 'no_vectors', userMessage: why, retryable, cause });
    this.isRefused = isRefused;
  }
}

/** Makes vectors by an OpenAI-compatible API: https://platform.openai.com/docs/api-reference/embeddings */
export function createEmbeddings(settings: EmbeddingsSettings, ports: EmbeddingsPorts = {}): Embeddings {
  const { model, dimensions, batch, weight } = settings;
  const ask = createAsk(settings, ports);
  /** How many texts a request has: fewer where the server has refused more. */
  let most = batch;

  /** A server that refuses many takes fewer, or it's one of them that it doesn't take. */
  async function embedSome(
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (Float32Array | null)[]> {
    try {
      return await ask(texts, signal);
    } catch (error) {
      if (!(error instanceof EmbeddingsError) || !error.isRefused) throw error;
      if (texts.length === 1) return [null];
      const half = Math.ceil(texts.length / 2);
      const made = [
        ...(await embedSome(texts.slice(0, half), signal)),
        ...(await embedSome(texts.slice(half), signal)),
      ];
      // None is taken: it's the request that is wrong, and not a text.
      if (made.every((vector) => vector === null)) throw error;
      if (made.every((vector) => vector !== null)) most = Math.min(most, half);
      return made;
    }
  }

  return {
    model: dimensions === null ? model : `${model}, ${dimensions} dimensions`,
    weight,
    async embed(texts, signal) {
      const vectors: (Float32Array | null)[] = [];
      while (vectors.length < texts.length) {
        const some = takeSome(texts.slice(vectors.length), most);
        vectors.push(...(await embedSome(some, signal)));
      }
      return vectors;
    },
  };
}

/** As many texts as fit into one request, each as long as it may be; at least one. */
function takeSome(texts: readonly string[], most: number): readonly string[] {
  const some: string[] = [];
  let tokens = 0;
  for (const text of texts.slice(0, most)) {
    const cut = clip(text);
    tokens += estimateTokens(cut);
    if (some.length > 0 && tokens > MOST_TOKENS_AT_ONCE) break;
    some.push(cut);
  }
  return some;
}

function clip(text: string): string {
  const tokens = estimateTokens(text);
  return tokens <= MOST_TOKENS
    ? text
    : text.slice(0, Math.floor((text.length * MOST_TOKENS) / tokens)).toWellFormed();
}

function createAsk(
  { url, model, key, dimensions }: EmbeddingsSettings,
  { random = Math.random, wait = waitFor, timeoutMs = TIMEOUT_MS }: EmbeddingsPorts,
) {
  const base = url.replace(/\/+$/, '');
  const address = new URL(base.endsWith('/embeddings') ? base : `${base}/embeddings`);
  const retryAfter = createRetryAfter();

  async function send(
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly (Float32Array | null)[]> {
    const response = await fetch(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key !== null && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({
        model,
        input: texts,
        encoding_format: 'float',
        ...(dimensions !== null && { dimensions }),
      }),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw new EmbeddingsError(EMBEDDINGS.unreachable(describeNetworkError(error, address)), {
        retryable: true,
        cause: error,
      });
    });
    retryAfter.note(response);
    const body = parseJson(await readText(response, signal));
    if (!response.ok) {
      const { status } = response;
      const said = problemSchema.parse(body).slice(0, SAID_CHARACTERS).toWellFormed();
      throw new EmbeddingsError(EMBEDDINGS.answered(status, mask(said, key)), {
        isRefused: REFUSED.has(status),
        retryable: status === 408 || status === 429 || status >= 500,
      });
    }
    return readVectors(body, texts.length);
  }

  async function readText(response: Response, signal: AbortSignal): Promise<string> {
    if (!response.body) return '';
    const from = address.host;
    const limit = { from, maxBytes: MOST_BYTES, isEventStream: false, onTooLarge: () => {} };
    return new Response(limitBody(response.body.getReader(), limit)).text().catch((cause: unknown) => {
      signal.throwIfAborted();
      throw new EmbeddingsError(EMBEDDINGS.brokeOff, { retryable: true, cause });
    });
  }

  return async (texts: readonly string[], signal: AbortSignal): Promise<readonly (Float32Array | null)[]> => {
    let waitedMs = 0;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await send(texts, signal);
      } catch (error) {
        if (!(error instanceof EmbeddingsError) || !error.retryable) throw error;
        const hint = { afterMs: retryAfter.fromNow(), withinMs: PATIENCE_MS };
        const ms = attempt > MOST_RETRIES ? null : retryDelay(attempt, hint, { waitedMs, random });
        if (ms === null) throw error;
        waitedMs += ms;
        await wait(ms, signal);
        signal.throwIfAborted();
      }
    }
  };
}

/** How often a request is sent again; what fails then is tried later, as a whole. */
const MOST_RETRIES = 4;

/** The vectors of an answer in the order of the texts, of length 1; null for a text that has none. */
function readVectors(body: unknown, count: number): readonly (Float32Array | null)[] {
  const answer = answerSchema.safeParse(body);
  if (!answer.success) throw new EmbeddingsError(EMBEDDINGS.unreadable);
  const vectors: (Float32Array | null | undefined)[] = Array.from({ length: count });
  for (const [at, { index = at, embedding }] of answer.data.data.entries()) {
    if (index >= count || vectors[index] !== undefined) throw new EmbeddingsError(EMBEDDINGS.unreadable);
    vectors[index] = toUnit(embedding);
  }
  const whole = vectors.filter((vector) => vector !== undefined);
  if (whole.length < count) throw new EmbeddingsError(EMBEDDINGS.tooFew(whole.length, count));
  const lengths = new Set(whole.flatMap((vector) => vector?.length ?? []));
  if (lengths.size !== 1)
    throw new EmbeddingsError(lengths.size === 0 ? EMBEDDINGS.noDirection : EMBEDDINGS.uneven);
  return whole;
}

/** Null for one of zeros, or that isn't all numbers: it's near to nothing. Some servers write NaN as null. */
function toUnit(values: readonly (number | null)[]): Float32Array | null {
  const length = Math.sqrt(values.reduce<number>((sum, value) => sum + (value ?? Number.NaN) ** 2, 0));
  return length > 0 && Number.isFinite(length)
    ? Float32Array.from(values, (value) => (value ?? 0) / length)
    : null;
}

function mask(text: string, key: string | null): string {
  return key === null || key.length < KEY_CHARACTERS ? text : text.replaceAll(key, '•••');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

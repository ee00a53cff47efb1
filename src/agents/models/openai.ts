import { ChatOpenAI } from '@langchain/openai';
import { modelError, RATE_LIMITED } from './errors.ts';
import { normalizeAnswers, withoutKey } from './wire/fetch.ts';
import { createPost } from './wire/post.ts';

/** Retries at a model that failed or is unreachable, before the run reports it. */
const RETRIES = 2;

interface ModelOptions {
  readonly apiKey: string;
  /** Any OpenAI-compatible API; null for OpenAI's own. */
  readonly baseUrl: string | null;
  readonly model: string;
  /** The timeout of one answer, in milliseconds. */
  readonly timeoutMs: number;
  /** @default the model's own */
  readonly temperature?: number;
}

export function createModel({ apiKey, baseUrl, model, timeoutMs, temperature }: ModelOptions): ChatOpenAI {
  return new ChatOpenAI({
    apiKey,
    model,
    timeout: timeoutMs,
    ...(temperature !== undefined && { temperature }),
    maxRetries: RETRIES,
    onFailedAttempt: refuseHopeless,
    streamUsage: true,
    configuration: {
      fetch: withoutKey(apiKey, normalizeAnswers(createPost())),
      ...(baseUrl !== null && { baseURL: baseUrl }),
    },
  });
}

/** Codes of errors where the person has waited long enough, or waits elsewhere: see `whileBusy`. */
const NOT_RETRIED = new Set(['model_timeout', RATE_LIMITED]);

/**
 * Rethrows an error where a retry at once wouldn't help, or where the person has waited long enough: retrying a
 * timeout makes them wait three times as long as the operator configured.
 */
function refuseHopeless(error: unknown): void {
  const { code, retryable } = modelError(error);
  if (!retryable || NOT_RETRIED.has(code) || isAbort(error)) throw error;
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'APIUserAbortError');
}

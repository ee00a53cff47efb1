import { classifyRateLimitError } from '@langchain/core/utils/async_caller';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';

/** Retries at a model that is busy or unreachable, before the run reports it. */
const RETRIES = 2;

interface ModelOptions {
  readonly apiKey: string;
  /** Any OpenAI-compatible API; null for OpenAI's own. */
  readonly baseUrl: string | null;
  readonly model: string;
  /** The timeout of one answer, in milliseconds. */
  readonly timeoutMs: number;
}

export function createModel({ apiKey, baseUrl, model, timeoutMs }: ModelOptions): ChatOpenAI {
  return new ChatOpenAI({
    apiKey,
    model,
    timeout: timeoutMs,
    maxRetries: RETRIES,
    onFailedAttempt: refuseHopeless,
    streamUsage: true,
    ...(baseUrl === null ? {} : { configuration: { baseURL: baseUrl } }),
  });
}

const failureSchema = z.object({ name: z.string().optional(), status: z.number().optional() });
const HOPELESS_NAMES = new Set([
  'AbortError',
  'TimeoutError',
  'APIConnectionTimeoutError',
  'APIUserAbortError',
]);

/**
 * Rethrows an error where a retry wouldn't help, or where the person has waited long enough: retrying a
 * timeout makes them wait three times as long as the operator configured.
 */
function refuseHopeless(error: unknown): void {
  const parsed = failureSchema.safeParse(error);
  const { name = '', status } = parsed.success ? parsed.data : {};
  if (HOPELESS_NAMES.has(name)) throw error;
  if (status === 429) {
    if (classifyRateLimitError(error)?.action !== 'wait') throw error;
  } else if (status !== undefined && status >= 400 && status < 500 && status !== 408) {
    throw error;
  }
}

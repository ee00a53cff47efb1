import { classifyRateLimitError } from '@langchain/core/utils/async_caller';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';

/** Attempts after the first at a model that is busy or out of reach, before the run says so. */
const RETRIES = 2;

export interface ModelOptions {
  readonly apiKey: string;
  /** Any OpenAI-compatible API; null for OpenAI's own. */
  readonly baseUrl: string | null;
  readonly model: string;
  /** For one answer, in milliseconds. */
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
 * Throws the error where another attempt would not help, or where the person has waited long enough: a
 * time-out that is tried again makes them wait three times as long as the operator said.
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

import { ChatOpenAI } from '@langchain/openai';

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
    streamUsage: true,
    ...(baseUrl === null ? {} : { configuration: { baseURL: baseUrl } }),
  });
}

import { classifyRateLimitError } from '@langchain/core/utils/async_caller';
import { z } from 'zod';
import { AppError, errorCauses, errorCode, errorMessage } from '../../lib/errors.ts';
import { MODEL_FAILED, UNREACHABLE } from '../texts.ts';
import { NO_COMPLETION } from './wire/fetch.ts';
import { readHttpStatus } from './wire/schemas.ts';

const providerErrorSchema = z.object({
  name: z.string().optional(),
  status: z.number().optional(),
  code: z.unknown().optional(),
});

/** The code of {@link modelError} for a conversation that is too long for the model. */
export const CONTEXT_TOO_LONG = 'model_context_too_long';
/** The code of {@link modelError} for a provider that wants us to wait. */
export const RATE_LIMITED = 'model_rate_limited';

/**
 * How providers say that a conversation is too long: the first line is OpenAI, OpenRouter, vLLM, llama.cpp, LM Studio
 * and MiniMax; then Anthropic, Bedrock, xAI, Groq, Kimi, and Gemini. Mistral and Cerebras only send the status 413.
 */
const TOO_LONG = new RegExp(
  [
    'context[ _](?:length|window|limit|size)',
    'prompt is too long',
    'input is too long',
    'maximum prompt length',
    'reduce the length of the messages',
    'exceeded model token limit',
    'token count.*exceeds',
    'input tokens exceed',
    'too many (?:input )?tokens',
  ].join('|'),
  'i',
);
const CONTENT_TOO_LARGE = 413;

/** Reasons why a model is unreachable, by the error codes of the system and the HTTP client. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', UNREACHABLE.refused],
  ['ENOTFOUND', UNREACHABLE.noHost],
  ['EAI_AGAIN', UNREACHABLE.noDns],
  ['EHOSTUNREACH', UNREACHABLE.host],
  ['ENETUNREACH', UNREACHABLE.network],
  ['ECONNRESET', UNREACHABLE.reset],
  ['UND_ERR_SOCKET', UNREACHABLE.reset],
  ['UND_ERR_CONNECT_TIMEOUT', UNREACHABLE.timeout],
  ['CERT_HAS_EXPIRED', UNREACHABLE.certificateExpired],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNREACHABLE.certificateUntrusted],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNREACHABLE.certificateUntrusted],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNREACHABLE.certificateUntrusted],
]);

/** What waiting doesn't help, though it may come as a 429: one request is over the limit of a minute (OpenAI, Groq). */
const TOO_LARGE = /request too large/i;

/** Whether the provider refused the request as it was, so that it would refuse it again; also for its length. */
export function isRefused(error: unknown): boolean {
  return error instanceof AppError && (error.code === REFUSED || error.code === CONTEXT_TOO_LONG);
}

const REFUSED = 'model_refused';

/** A failed model call as an error for the thread; the provider's own text stays in the cause. */
export function modelError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const parsed = providerErrorSchema.safeParse(error);
  const { name, code } = parsed.success ? parsed.data : {};
  const status = (parsed.success ? parsed.data.status : undefined) ?? readHttpStatus(error) ?? undefined;
  const retryable = (code: string, userMessage: string) =>
    new AppError({ code, userMessage, retryable: true, cause: error });
  const final = (code: string, userMessage: string) => new AppError({ code, userMessage, cause: error });
  if (isTooLong(error, status)) return final(CONTEXT_TOO_LONG, MODEL_FAILED.tooLong);
  if (code === 'content_filter') return final('model_filtered', MODEL_FAILED.filtered);
  if (code === NO_COMPLETION) return final('model_no_completion', MODEL_FAILED.noCompletion);
  if (isQuotaUsedUp(error, code)) return final('model_quota', MODEL_FAILED.quota);
  if (status === 429 || code === 'rate_limit_exceeded') {
    return retryable(RATE_LIMITED, MODEL_FAILED.rateLimited);
  }
  if (status === 401 || status === 403) return final('model_auth', MODEL_FAILED.auth);
  if (status === 404) return final('model_unknown', MODEL_FAILED.unknown);
  if (
    name === 'TimeoutError' ||
    name === 'APIConnectionTimeoutError' ||
    /time[d -]*out/i.test(errorMessage(error))
  ) {
    return retryable('model_timeout', MODEL_FAILED.timeout);
  }
  if (status !== undefined && status >= 400 && status < 500 && status !== 408) {
    return final(REFUSED, MODEL_FAILED.refused(status));
  }
  if (status !== undefined && status >= 500) return retryable('model_failed', MODEL_FAILED.provider(status));
  const why = errorCauses(error)
    .map((cause) => REASONS.get(errorCode(cause)))
    .find((reason) => reason !== undefined);
  if (why !== undefined) return retryable('model_unreachable', MODEL_FAILED.unreachable(why));
  return retryable('model_failed', MODEL_FAILED.other);
}

/** What the model takes, in tokens, if the provider says so when it refuses a conversation as too long; null if not. */
export function statedWindow(error: unknown): number | null {
  const texts = errorCauses(error).map((cause) => errorMessage(cause));
  const [, tokens] = texts.map((text) => STATED.exec(text)).find((found) => found !== null) ?? [];
  return tokens === undefined ? null : Number(tokens.replaceAll(',', ''));
}

/** OpenAI, OpenRouter, vLLM, DeepSeek and Groq; xAI; llama.cpp; Anthropic. */
const STATED =
  /(?:maximum context length (?:is|of) |maximum prompt length is |context size \(|tokens > )(\d[\d,]*)/i;

/** A rate limit speaks of tokens and limits too, but isn't about the length of this conversation. */
function isTooLong(error: unknown, status: number | undefined): boolean {
  const texts = errorCauses(error).map((cause) => `${errorCode(cause)} ${errorMessage(cause)}`);
  if (texts.some((text) => TOO_LARGE.test(text))) return true;
  return status === CONTENT_TOO_LARGE || (status !== 429 && texts.some((text) => TOO_LONG.test(text)));
}

function isQuotaUsedUp(error: unknown, code: unknown): boolean {
  return code === 'insufficient_quota' || classifyRateLimitError(error)?.action === 'stop';
}

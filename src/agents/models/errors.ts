import { z } from 'zod';
import { AppError, errorCauses, errorCode, errorMessage } from '../../lib/errors.ts';
import { MODEL_FAILED, UNREACHABLE } from '../texts.ts';

const providerErrorSchema = z.object({
  name: z.string().optional(),
  status: z.number().optional(),
  code: z.union([z.string(), z.null()]).optional(),
});

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

/** A failed model call as an error for the thread; the provider's own text stays in the cause. */
export function modelError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const parsed = providerErrorSchema.safeParse(error);
  const { status, name } = parsed.success ? parsed.data : {};
  const retryable = (code: string, userMessage: string) =>
    new AppError({ code, userMessage, retryable: true, cause: error });
  const final = (code: string, userMessage: string) => new AppError({ code, userMessage, cause: error });
  if (status === 429) return retryable('model_rate_limited', MODEL_FAILED.rateLimited);
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
    return final('model_refused', MODEL_FAILED.refused(status));
  }
  if (status !== undefined && status >= 500) return retryable('model_failed', MODEL_FAILED.provider(status));
  const why = errorCauses(error)
    .map((cause) => REASONS.get(errorCode(cause)))
    .find((reason) => reason !== undefined);
  if (why !== undefined) return retryable('model_unreachable', MODEL_FAILED.unreachable(why));
  return retryable('model_failed', MODEL_FAILED.other);
}

import { z } from 'zod';
import { AppError, errorCauses, errorCode, errorMessage } from '../../lib/errors.ts';

const providerErrorSchema = z.object({
  name: z.string().optional(),
  status: z.number().optional(),
  code: z.union([z.string(), z.null()]).optional(),
});

/** Reasons why a model is unreachable, by the error codes of the system and the HTTP client. */
const UNREACHABLE: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ENOTFOUND', 'no such host'],
  ['EAI_AGAIN', 'its name cannot be looked up for now'],
  ['EHOSTUNREACH', 'host unreachable'],
  ['ENETUNREACH', 'network unreachable'],
  ['ECONNRESET', 'it hung up'],
  ['UND_ERR_SOCKET', 'it hung up'],
  ['UND_ERR_CONNECT_TIMEOUT', 'it does not answer'],
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'nobody who is trusted here has signed its certificate'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'nobody who is trusted here has signed its certificate'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'nobody who is trusted here has signed its certificate'],
]);

/** A failed model call as an error for the thread; the provider's own text stays in the cause. */
export function modelError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const parsed = providerErrorSchema.safeParse(error);
  const { status, name } = parsed.success ? parsed.data : {};
  const make = (code: string, userMessage: string, retryable: boolean) =>
    new AppError({ code, userMessage, retryable, cause: error });
  if (status === 429) {
    return make(
      'model_rate_limited',
      'The model is at its rate limit, also after waiting and asking again. Your request was not finished; write again in a minute.',
      true,
    );
  }
  if (status === 401 || status === 403) {
    return make(
      'model_auth',
      'The model did not accept our key. Your request was not finished; an admin has to check OPENAI_API_KEY.',
      false,
    );
  }
  if (status === 404) {
    return make(
      'model_unknown',
      'The configured model does not exist at its provider. Your request was not finished; an admin has to check MODEL.',
      false,
    );
  }
  if (
    name === 'TimeoutError' ||
    name === 'APIConnectionTimeoutError' ||
    /time[d -]*out/i.test(errorMessage(error))
  ) {
    return make(
      'model_timeout',
      'The model did not answer in time. Your request was not finished; write again to retry.',
      true,
    );
  }
  if (status !== undefined && status >= 400 && status < 500 && status !== 408) {
    return make(
      'model_refused',
      `The model's provider refused the request (HTTP ${status}). Your request was not finished; an admin finds the reason in the log.`,
      false,
    );
  }
  if (status !== undefined && status >= 500) {
    return make(
      'model_failed',
      `The model's provider failed (HTTP ${status}). Your request was not finished; write again to retry.`,
      true,
    );
  }
  const why = errorCauses(error)
    .map((cause) => UNREACHABLE.get(errorCode(cause)))
    .find((words) => words !== undefined);
  if (why !== undefined) {
    return make(
      'model_unreachable',
      `The model cannot be reached (${why}). Your request was not finished; write again to retry. If it stays so, an admin has to check OPENAI_BASE_URL and the network.`,
      true,
    );
  }
  return make(
    'model_failed',
    'The model could not be reached or failed. Your request was not finished; write again to retry.',
    true,
  );
}

import { z } from 'zod';
import { AppError, messageOf } from '../../errors.ts';

const providerErrorSchema = z.object({
  name: z.string().optional(),
  status: z.number().optional(),
  code: z.union([z.string(), z.null()]).optional(),
});

/** A failed model call in words for the thread; the provider's own text stays in the cause. */
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
    /time[d -]*out/i.test(messageOf(error))
  ) {
    return make(
      'model_timeout',
      'The model did not answer in time. Your request was not finished; write again to retry.',
      true,
    );
  }
  return make(
    'model_failed',
    'The model could not be reached or failed. Your request was not finished; write again to retry.',
    true,
  );
}

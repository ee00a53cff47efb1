import { type FetchLike, OAuthError, OAuthErrorCode } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { AppError, errorCauses, errorCode } from '../lib/errors.ts';
import { authorizationRefused } from './texts.ts';

/** The error without any external text, which may repeat what was sent or quote what was received. */
export function redactSecrets(error: unknown): Error {
  if (error instanceof AppError) return error;
  if (error instanceof OAuthError) return new Error(authorizationRefused(error.code));
  const codes = errorCauses(error).map(errorCode);
  const name = error instanceof Error ? error.name : 'unknown error';
  return new Error([name, ...codes].filter((part) => part !== '').join(' '));
}

/** The authorization server refused what it was asked for, by OAuth's code. Nothing else of its answer is kept. */
class AuthorizationRefusedError extends AppError {
  readonly reason: string;

  constructor(reason: string) {
    super({ code: 'authorization_refused', userMessage: authorizationRefused(reason) });
    this.reason = reason;
  }
}

/** What says that the fault is that of how this program is registered there, and not the person's. */
const OF_CLIENT = new Set<string>([OAuthErrorCode.InvalidClient, OAuthErrorCode.UnauthorizedClient]);

/** Whether an authorization server doesn't take this program's id or secret: its error, or its code for it. */
export function isClientRefused(refusal: unknown): boolean {
  return OF_CLIENT.has(refusal instanceof AuthorizationRefusedError ? refusal.reason : String(refusal));
}

const RETRIED = new Set<string>([...OF_CLIENT, OAuthErrorCode.InvalidGrant]);
const refusalSchema = z.object({ error: z.string() });

/** The SDK asks once more, in vain, after these refusals, and prints them; here they are errors of ours. */
export function refusalsAsErrors(ask: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await ask(url, init);
    if (init?.method !== 'POST') return response;
    const body: unknown = await response
      .clone()
      .json()
      .catch(() => null);
    const { error } = refusalSchema.safeParse(body).data ?? {};
    if (error !== undefined && RETRIED.has(error)) throw new AuthorizationRefusedError(error);
    return response;
  };
}

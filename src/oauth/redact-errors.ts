import { OAuthError } from '@modelcontextprotocol/client';
import { AppError, errorCauses, errorCode } from '../lib/errors.ts';

/** What went wrong, without any text of others: that may repeat what was sent, or hold what was to be read. */
export function redactSecrets(error: unknown): Error {
  if (error instanceof AppError) return error;
  if (error instanceof OAuthError) return new Error(`the authorization server answered ${error.code}`);
  const codes = errorCauses(error).map(errorCode);
  const name = error instanceof Error ? error.name : 'unknown error';
  return new Error([name, ...codes].filter((part) => part !== '').join(' '));
}

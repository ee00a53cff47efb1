import { OAuthError } from '@modelcontextprotocol/client';
import { AppError, errorCauses, errorCode } from '../lib/errors.ts';

/** The error without any external text, which may repeat what was sent or quote what was received. */
export function redactSecrets(error: unknown): Error {
  if (error instanceof AppError) return error;
  if (error instanceof OAuthError) return new Error(`the authorization server answered ${error.code}`);
  const codes = errorCauses(error).map(errorCode);
  const name = error instanceof Error ? error.name : 'unknown error';
  return new Error([name, ...codes].filter((part) => part !== '').join(' '));
}

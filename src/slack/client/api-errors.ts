import { ErrorCode } from '@slack/web-api';
import { z } from 'zod';
import { AppError, errorMessage } from '../../lib/errors.ts';
import { UploadError } from './upload.ts';

/**
 * The kind of a failed attempt.
 * - `passing`: worth a retry after `waitMs`; nothing is known to have been done.
 * - `unclear`: the same, but the message itself may be the cause, so not for ever.
 * - `gone`: the message can't be changed any more; another can take its place.
 * - `refused`: a retry would change nothing.
 */
export type Failure =
  | { readonly kind: 'passing' | 'unclear'; readonly name: string; readonly waitMs: number }
  | { readonly kind: 'gone' | 'refused'; readonly name: string };

/** The delay before a retry where Slack names none, in milliseconds. */
const RETRY_MS = 2_000;
/** The delay before a retry that needs an operator to fix tokens or scopes, in milliseconds. */
const MEND_MS = 60_000;

const UNCLEAR = new Set(['internal_error', 'fatal_error']);
const PASSING = new Set([
  'service_unavailable',
  'request_timeout',
  'ratelimited',
  // Slack ends an idle stream itself.
  'streaming_state_conflict',
]);
const LOCKED_OUT = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'missing_scope',
  'org_login_required',
  'ekm_access_denied',
]);
const GONE = new Set(['message_not_found', 'cant_update_message', 'edit_window_closed']);

const slackErrorSchema = z.object({ code: z.enum(ErrorCode), retryAfter: z.number().optional() });
const platformErrorSchema = z.object({ data: z.object({ error: z.string() }) });

/** Classifies any error thrown while showing something in Slack. */
export function classifyFailure(error: unknown): Failure {
  if (error instanceof UploadError) return classifyUploadFailure(error);
  if (error instanceof AppError && error.retryable) return passing(error.code, RETRY_MS);
  const slack = slackErrorSchema.safeParse(error);
  if (!slack.success) return { kind: 'refused', name: errorMessage(error) };
  const { code, retryAfter = 1 } = slack.data;
  if (code === ErrorCode.RateLimitedError) return passing('ratelimited', retryAfter * 1_000);
  const platform = platformErrorSchema.safeParse(error);
  if (code !== ErrorCode.PlatformError || !platform.success) return passing(code, RETRY_MS);
  const name = platform.data.data.error;
  if (UNCLEAR.has(name)) return { kind: 'unclear', name, waitMs: RETRY_MS };
  if (PASSING.has(name)) return passing(name, RETRY_MS);
  if (LOCKED_OUT.has(name)) return passing(name, MEND_MS);
  return { kind: GONE.has(name) ? 'gone' : 'refused', name };
}

/**
 * Classifies an upload error. Slack has just given the address, so the cause may be this one file; it isn't
 * retried for ever.
 */
function classifyUploadFailure({ code, status, retryAfterMs }: UploadError): Failure {
  if (status === 429) return passing('ratelimited', retryAfterMs ?? RETRY_MS);
  const stumbled = status === null || status === 408 || status >= 500;
  return stumbled ? { kind: 'unclear', name: code, waitMs: RETRY_MS } : { kind: 'refused', name: code };
}

function passing(name: string, waitMs: number): Failure {
  return { kind: 'passing', name, waitMs };
}

import { ErrorCode } from '@slack/web-api';
import { z } from 'zod';
import { AppError, errorMessage } from '../../lib/errors.ts';
import { UploadError } from './upload.ts';

/**
 * What an attempt met. `passing`: worth trying again after `waitMs`, nothing is known to have been done;
 * `unclear`: so it is too, but it may be the message that Slack stumbles over, and not for ever.
 * `gone`: the message cannot be changed any more, another can take its place. `refused`: trying again
 * would change nothing.
 */
export type Failure =
  | { readonly kind: 'passing' | 'unclear'; readonly name: string; readonly waitMs: number }
  | { readonly kind: 'gone' | 'refused'; readonly name: string };

/** How long to wait where Slack does not say, in milliseconds. */
const RETRY_MS = 2_000;
/** How long to wait for an operator to mend tokens or scopes, in milliseconds. */
const MEND_MS = 60_000;

const UNCLEAR = new Set(['internal_error', 'fatal_error']);
const PASSING = new Set([
  'service_unavailable',
  'request_timeout',
  'ratelimited',
  // Slack ends an idle stream by itself.
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

/** Sorts anything that was thrown while something was being shown in Slack. */
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
 * Slack has just given the address of the upload: what it, or the way there, stumbles over may be this one file,
 * and is not tried for ever.
 */
function classifyUploadFailure({ code, status, retryAfterMs }: UploadError): Failure {
  if (status === 429) return passing('ratelimited', retryAfterMs ?? RETRY_MS);
  const stumbled = status === null || status === 408 || status >= 500;
  return stumbled ? { kind: 'unclear', name: code, waitMs: RETRY_MS } : { kind: 'refused', name: code };
}

function passing(name: string, waitMs: number): Failure {
  return { kind: 'passing', name, waitMs };
}

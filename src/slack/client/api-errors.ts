import { ErrorCode } from '@slack/web-api';
import { z } from 'zod';
import { AppError, errorMessage } from '../../lib/errors.ts';
import { HeldBackError } from './limited-client.ts';
import { UploadError } from './upload.ts';

/**
 * The kind of a failed attempt.
 * - `passing`: worth a retry after `waitMs`; nothing is known to have been done.
 * - `unclear`: the same, but the message itself may be the cause, so not for ever.
 * - `locked_out`: Slack refuses the app itself, until an operator does something; retried after `waitMs`.
 * - `gone`: the message can't be changed any more; another can take its place.
 * - `closed`: the conversation takes nothing from the app, whatever the message; another conversation may.
 * - `refused`: a retry would change nothing.
 */
export type Failure =
  | { readonly kind: 'passing' | 'unclear' | 'locked_out'; readonly name: string; readonly waitMs: number }
  | { readonly kind: 'gone' | 'closed' | 'refused'; readonly name: string };

/** The delay before a retry where Slack names none, in milliseconds. */
const RETRY_MS = 2_000;
/** The delay before a retry that needs an operator to fix tokens or scopes, in milliseconds. */
export const MEND_MS = 60_000;

const UNCLEAR = new Set(['internal_error', 'fatal_error']);
const PASSING = new Set([
  'service_unavailable',
  'request_timeout',
  'ratelimited',
  // Slack ends an idle stream itself.
  'streaming_state_conflict',
  // Both end with the migration of a channel or workspace.
  'external_channel_migrating',
  'team_added_to_org',
]);
const LOCKED_OUT = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'org_login_required',
  'ekm_access_denied',
]);
/** Without this scope nothing can be shown anywhere; every other missing one only stops what needs it. */
const SCOPE_TO_WRITE = 'chat:write';
const GONE = new Set(['message_not_found', 'cant_update_message', 'edit_window_closed']);
/**
 * About the conversation, not about the message. From the errors of `chat.postMessage` and `chat.update`
 * (docs.slack.dev/reference/methods), where `is_inactive` is an update in an archived channel; those that begin
 * with `restricted_action` are a channel's or workspace's posting permissions.
 */
const CLOSED = new Set([
  'access_denied',
  'cannot_dm_bot',
  'cannot_reply_to_message',
  'channel_not_found',
  'channel_type_not_supported',
  'is_archived',
  'is_inactive',
  'messages_tab_disabled',
  'no_permission',
  'not_in_channel',
  'team_access_not_granted',
  'team_not_found',
  'thread_not_found',
  'user_disabled',
  'user_is_restricted',
  'user_not_found',
]);

const slackErrorSchema = z.object({ code: z.enum(ErrorCode), retryAfter: z.number().optional() });
const platformErrorSchema = z.object({
  code: z.literal(ErrorCode.PlatformError),
  data: z.object({
    // Any other text, such as a page, is no error of Slack's.
    error: z.string().regex(/^\w{1,80}$/),
    /** The scopes of which one is missing, with commas. */
    needed: z.string().optional(),
  }),
});

/** The error that Slack answered a call with, such as `invalid_auth`; null where it didn't answer so. */
export function readPlatformError(error: unknown): string | null {
  const platform = platformErrorSchema.safeParse(error);
  return platform.success ? platform.data.data.error : null;
}

/** Classifies any error thrown while showing something in Slack. */
export function classifyFailure(error: unknown): Failure {
  if (error instanceof UploadError) return classifyUploadFailure(error);
  if (error instanceof HeldBackError) return passing(error.code, error.waitMs);
  if (error instanceof AppError && error.retryable) return passing(error.code, RETRY_MS);
  const slack = slackErrorSchema.safeParse(error);
  if (!slack.success) return { kind: 'refused', name: errorMessage(error) };
  const { code, retryAfter = 1 } = slack.data;
  if (code === ErrorCode.RateLimitedError) return passing('ratelimited', retryAfter * 1_000);
  const platform = platformErrorSchema.safeParse(error);
  if (!platform.success) return passing(code, RETRY_MS);
  const { error: name, needed } = platform.data.data;
  if (UNCLEAR.has(name)) return { kind: 'unclear', name, waitMs: RETRY_MS };
  if (PASSING.has(name)) return passing(name, RETRY_MS);
  if (LOCKED_OUT.has(name) || needed?.split(',').includes(SCOPE_TO_WRITE)) {
    return { kind: 'locked_out', name, waitMs: MEND_MS };
  }
  if (CLOSED.has(name) || name.startsWith('restricted_action')) return { kind: 'closed', name };
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

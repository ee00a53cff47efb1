import { z } from 'zod';
import type { Connector } from '../../mcp/ports.ts';
import { withStatus } from '../service/respond.ts';

/** Where tokens are given and revoked, below the API's address. */
export const TOKEN_METHOD = '/oauth.v2.user.access';
export const REVOCATION_METHOD = '/auth.revoke';

/**
 * The status that Slack's errors, which come with HTTP 200, have in HTTP; 400 is for all others, with which nothing was done.
 * With the errors of 500, something may have been.
 * @see https://docs.slack.dev/reference/methods/chat.postMessage#errors
 * @see https://docs.slack.dev/apis/web-api/rate-limits
 */
const STATUSES: Readonly<Record<string, number>> = {
  invalid_auth: 401,
  not_authed: 401,
  account_inactive: 401,
  token_expired: 401,
  token_revoked: 401,
  missing_scope: 403,
  channel_not_found: 404,
  user_not_found: 404,
  users_not_found: 404,
  thread_not_found: 404,
  ratelimited: 429,
  rate_limited: 429,
  fatal_error: 500,
  internal_error: 500,
  service_unavailable: 503,
};

/**
 * The errors of a token request, as OAuth's.
 * @see https://docs.slack.dev/reference/methods/oauth.v2.user.access#errors
 */
const TOKEN_ERRORS: Readonly<Record<string, string>> = {
  invalid_code: 'invalid_grant',
  invalid_refresh_token: 'invalid_grant',
  account_inactive: 'invalid_grant',
  token_expired: 'invalid_grant',
  token_revoked: 'invalid_grant',
  invalid_client_id: 'invalid_client',
  bad_client_secret: 'invalid_client',
};

const answerSchema = z.discriminatedUnion('ok', [
  z.looseObject({ ok: z.literal(true) }),
  z.object({ ok: z.literal(false), error: z.string().default(''), needed: z.string().default('') }),
]);
const tokensSchema = z.object({
  access_token: z.string(),
  refresh_token: z.string().optional(),
  expires_in: z.number().optional(),
  scope: z.string().optional(),
});

/** Slack's answers as HTTP and OAuth have them. */
export const adaptSlack: Connector['adapt'] = (fetch) => async (url, init) => {
  const response = await fetch(url, init);
  if (!response.ok) return response;
  const read = answerSchema.safeParse(
    await response
      .clone()
      .json()
      .catch(() => null),
  );
  if (!read.success) return response;
  const isForTokens = new URL(url).pathname.endsWith(TOKEN_METHOD);
  if (read.data.ok) return isForTokens ? tokenAnswer(read.data) : response;
  const { error, needed } = read.data;
  const status = STATUSES[error] ?? 400;
  if (isForTokens && status < 429) {
    return Response.json({ error: TOKEN_ERRORS[error] ?? 'invalid_request' }, { status: 400 });
  }
  return withStatus(response, status, status === 403 ? challenge(needed) : {});
};

/** Slack lists scopes with commas, and calls the type of token “user”. */
function tokenAnswer(given: unknown): Response {
  const read = tokensSchema.safeParse(given);
  if (!read.success) return new Response(null, { status: 502 });
  const { scope = '', ...tokens } = read.data;
  const scopes = listed(scope).join(' ');
  return Response.json({ ...tokens, token_type: 'Bearer', ...(scopes !== '' && { scope: scopes }) });
}

function challenge(needed: string): Readonly<Record<string, string>> {
  const scopes = listed(needed).join(' ');
  return { 'www-authenticate': `Bearer error="insufficient_scope"${scopes && `, scope="${scopes}"`}` };
}

function listed(scopes: string): string[] {
  return scopes.split(/[\s,]+/).filter((scope) => /^[\w:.]+$/.test(scope));
}

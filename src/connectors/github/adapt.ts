import { z } from 'zod';
import type { Connector } from '../../mcp/ports.ts';
import { withStatus } from '../service/respond.ts';

/** Where tokens are given, below the address of people's sign-in. */
export const TOKEN_PATH = '/login/oauth/access_token';
const REVOCATION_PATH = /\/applications\/[^/]+\/token$/;

/**
 * GitHub's errors of a token request, which come with HTTP 200, as OAuth's.
 * @see https://docs.github.com/en/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors
 * @see https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/refreshing-user-access-tokens
 */
const TOKEN_ERRORS: Readonly<Record<string, string>> = {
  bad_verification_code: 'invalid_grant',
  bad_refresh_token: 'invalid_grant',
  incorrect_client_credentials: 'invalid_client',
  redirect_uri_mismatch: 'invalid_request',
  unverified_user_email: 'access_denied',
};

const tokenAnswerSchema = z.looseObject({ error: z.string().optional(), scope: z.string().optional() });

/** GitHub's answers as HTTP and OAuth have them. */
export const adaptGitHub: Connector['adapt'] = (fetch) => async (url, init) => {
  const { pathname } = new URL(url);
  if (REVOCATION_PATH.test(pathname) && init?.body instanceof URLSearchParams) {
    return revoke(fetch, url, init, init.body);
  }
  const response = await fetch(url, init);
  if (pathname.endsWith(TOKEN_PATH)) return tokenAnswer(response);
  return (await busy(response)) ?? lackingScope(response) ?? response;
};

async function tokenAnswer(response: Response): Promise<Response> {
  const read = tokenAnswerSchema.safeParse(await response.json().catch(() => null));
  if (!read.success) return new Response(null, { status: 502 });
  const { error, scope, ...rest } = read.data;
  if (error !== undefined) return Response.json({ error: TOKEN_ERRORS[error] ?? error }, { status: 400 });
  // GitHub lists scopes with commas. A GitHub App has none.
  return Response.json({ ...rest, ...(scope && { scope: scope.split(/[\s,]+/).join(' ') }) });
}

/**
 * Revokes an access token in GitHub's way. Its refresh tokens can't be revoked, and end by themselves.
 * @see https://docs.github.com/en/rest/apps/oauth-applications#delete-an-app-token
 */
async function revoke(
  fetch: Parameters<Connector['adapt']>[0],
  url: string | URL,
  init: RequestInit,
  form: URLSearchParams,
): Promise<Response> {
  if (form.get('token_type_hint') === 'refresh_token') return new Response(null, { status: 200 });
  const headers = new Headers(init.headers);
  headers.set('Content-Type', 'application/json');
  headers.set('Accept', 'application/vnd.github+json');
  const body = JSON.stringify({ access_token: form.get('token') });
  return fetch(url, { ...init, method: 'DELETE', headers, body });
}

/**
 * The answer to a request beyond a rate limit, as 429 with the seconds to wait; null for any other.
 * @see https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#rate-limit-errors
 */
async function busy(response: Response): Promise<Response | null> {
  const { status, headers } = response;
  if (status !== 403 && status !== 429) return null;
  const isUsedUp = headers.get('x-ratelimit-remaining') === '0';
  const given = headers.get('retry-after');
  if (status === 403 && !isUsedUp && given === null && !(await saysSecondary(response))) return null;
  // By GitHub's own clock.
  const untilReset = Number(headers.get('x-ratelimit-reset')) - Date.parse(headers.get('date') ?? '') / 1_000;
  const seconds = given ?? String(isUsedUp && untilReset > 0 ? Math.ceil(untilReset) : LEAST_WAIT_S);
  return withStatus(response, 429, { 'retry-after': seconds });
}

/** How long to wait where GitHub doesn't say, in seconds. */
const LEAST_WAIT_S = 60;

async function saysSecondary(response: Response): Promise<boolean> {
  return (await response.clone().text()).includes('secondary rate limit');
}

/**
 * The answer to a token without the scopes that the request needs, one of those that GitHub lists; null for any other.
 * @see https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps
 */
function lackingScope(response: Response): Response | null {
  if (response.status !== 403) return null;
  const granted = listed(response.headers.get('x-oauth-scopes'));
  const accepted = listed(response.headers.get('x-accepted-oauth-scopes'));
  const [needed] = accepted;
  if (needed === undefined || accepted.some((scope) => granted.includes(scope))) return null;
  const challenge = `Bearer error="insufficient_scope", scope="${needed}"`;
  return withStatus(response, 403, { 'www-authenticate': challenge });
}

function listed(header: string | null): string[] {
  return (header ?? '').split(',').flatMap((scope) => (/^\s*[\w:]+\s*$/.test(scope) ? [scope.trim()] : []));
}

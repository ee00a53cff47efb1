import { z } from 'zod';
import type { Clock } from '../../../lib/clock.ts';
import { AppError } from '../../../lib/errors.ts';

/** How long one answer of Slack may take, in milliseconds. */
const ANSWER_WITHIN_MS = 10_000;
/** So far Slack's clock and ours may be apart, in milliseconds. */
const SKEW_MS = 60_000;

export interface OpenIdSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Another Slack API root than Slack's own, ending in a slash; its origin has the page to sign in on as well. */
  readonly apiUrl: string | null;
}

export interface Identity {
  readonly user: string;
  readonly team: string;
}

/** Slack did not say who it is, or not in a way that can be relied on: nobody is signed in. */
export class SignInError extends AppError {
  constructor(userMessage: string, cause?: unknown) {
    super({ code: 'sign_in_failed', userMessage, cause });
  }
}

const tokenSchema = z.object({ ok: z.literal(true), access_token: z.string(), id_token: z.string() });
const claims = {
  sub: z.string(),
  'https://slack.com/user_id': z.string(),
  'https://slack.com/team_id': z.string(),
};
const idTokenSchema = z.object({
  ...claims,
  iss: z.string(),
  aud: z.string(),
  /** Seconds since 1970. */
  exp: z.number(),
  nonce: z.string(),
});
const userInfoSchema = z.object({ ...claims, ok: z.literal(true) });
const refusalSchema = z.object({ ok: z.literal(false), error: z.string() });

/** “Sign in with Slack”, which is OpenID Connect (docs.slack.dev/authentication/sign-in-with-slack). */
export function createOpenId({ clientId, clientSecret, apiUrl }: OpenIdSettings, clock: Clock) {
  const api = apiUrl ?? 'https://slack.com/api/';
  const { origin } = new URL(api);

  async function ask<T>(
    method: string,
    schema: z.ZodType<T>,
    form: URLSearchParams,
    token?: string,
  ): Promise<T> {
    const answer = await answerOf(`${api}${method}`, form, token);
    const parsed = schema.safeParse(answer);
    if (parsed.success) return parsed.data;
    const refusal = refusalSchema.safeParse(answer);
    const why = refusal.success ? ` (${refusal.data.error.slice(0, 64)})` : '';
    throw new SignInError(`Slack did not confirm the sign-in${why}. Nothing was done; open the link again.`);
  }

  return {
    /** Where Slack asks who it is, in the team that the app is installed in. */
    authorizeUrl(asked: { state: string; nonce: string; redirectUrl: string; team: string }): string {
      const url = new URL('/openid/connect/authorize', origin);
      url.search = new URLSearchParams({
        response_type: 'code',
        scope: 'openid',
        client_id: clientId,
        state: asked.state,
        nonce: asked.nonce,
        team: asked.team,
        redirect_uri: asked.redirectUrl,
      }).toString();
      return url.href;
    },

    /**
     * Who came back with this code. The identity token comes from Slack itself, over its own connection, so that
     * its signature adds nothing (OpenID Connect Core 3.1.3.7); what it says must hold all the same, and
     * `openid.connect.userInfo` must say the same.
     * @throws SignInError
     */
    async identify(code: string, nonce: string, redirectUrl: string): Promise<Identity> {
      const form = new URLSearchParams({
        client_id: clientId,
        client_secret: clientSecret,
        code,
        grant_type: 'authorization_code',
        redirect_uri: redirectUrl,
      });
      const token = await ask('openid.connect.token', tokenSchema, form);
      const said = idTokenSchema.safeParse(payloadOf(token.id_token)).data;
      const isOurs =
        said?.iss === origin &&
        said.aud === clientId &&
        said.nonce === nonce &&
        said.exp * 1000 > clock() - SKEW_MS;
      if (!said || !isOurs)
        throw new SignInError('What Slack answered is not for this sign-in. Nothing was done.');
      const info = await ask(
        'openid.connect.userInfo',
        userInfoSchema,
        new URLSearchParams(),
        token.access_token,
      );
      const user = info['https://slack.com/user_id'];
      const team = info['https://slack.com/team_id'];
      const isSame = said['https://slack.com/user_id'] === user && said['https://slack.com/team_id'] === team;
      if (!isSame) throw new SignInError('Slack named two different people. Nothing was done.');
      return { user, team };
    },
  };
}
export type OpenId = ReturnType<typeof createOpenId>;

async function answerOf(url: string, form: URLSearchParams, token: string | undefined): Promise<unknown> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      body: form,
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
    });
    return await response.json();
  } catch (error) {
    throw new SignInError(
      'Slack could not be asked who you are. Nothing was done; try again in a moment.',
      error,
    );
  }
}

/** What a JSON Web Token says; null when it is none. */
function payloadOf(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}

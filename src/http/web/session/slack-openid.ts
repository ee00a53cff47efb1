import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretPost,
  Configuration,
  type CustomFetchOptions,
  clockSkew,
  clockTolerance,
  customFetch,
  enableNonRepudiationChecks,
  fetchUserInfo,
} from 'openid-client';
import { z } from 'zod';
import type { Clock } from '../../../lib/clock.ts';
import { AppError, errorCauses } from '../../../lib/errors.ts';
import { SIGN_IN } from '../texts.ts';

/** How long Slack may take to answer one request, in seconds. */
const TIMEOUT_SECONDS = 10;
/** How far Slack's clock and ours may be apart, in seconds. */
const CLOCK_TOLERANCE_SECONDS = 60;

interface OpenIdSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Another Slack API root than Slack's own, ending in a slash; the sign-in page has the same origin. */
  readonly apiUrl: string | null;
  /** The Slack workspace that people must be of. */
  readonly teamId: () => string;
}

/** Slack did not say who it is, or not in a way that can be relied on: nobody is signed in. */
export class SignInError extends AppError {
  constructor(userMessage: string, cause?: unknown) {
    super({ code: 'sign_in_failed', userMessage, cause });
  }
}

/** Slack's own claims (docs.slack.dev/authentication/sign-in-with-slack), in the token and in the user info. */
const claimsSchema = z.object({
  sub: z.string(),
  'https://slack.com/user_id': z.string(),
  'https://slack.com/team_id': z.string(),
});
const refusalSchema = z.object({ ok: z.literal(false), error: z.string() });

/** “Sign in with Slack”, which is OpenID Connect; `openid-client` checks what comes back. */
export function createOpenId({ clientId, clientSecret, apiUrl, teamId }: OpenIdSettings, clock: Clock) {
  const api = apiUrl ?? 'https://slack.com/api/';
  const { origin, protocol } = new URL(api);
  // As https://slack.com/.well-known/openid-configuration has it: known, so nobody waits for it.
  const server = {
    issuer: origin,
    authorization_endpoint: `${origin}/openid/connect/authorize`,
    token_endpoint: `${api}openid.connect.token`,
    userinfo_endpoint: `${api}openid.connect.userInfo`,
    jwks_uri: `${origin}/openid/connect/keys`,
  };

  /** A new one per sign-in: the library caches Slack's keys in it, and a withdrawn key must not count. */
  function configure(): Configuration {
    const client = {
      id_token_signed_response_alg: 'RS256',
      [clockSkew]: Math.round((clock() - Date.now()) / 1000),
      [clockTolerance]: CLOCK_TOLERANCE_SECONDS,
    };
    const config = new Configuration(server, clientId, client, ClientSecretPost(clientSecret));
    config.timeout = TIMEOUT_SECONDS;
    config[customFetch] = fetchSlack;
    // Checks the token's signature too.
    enableNonRepudiationChecks(config);
    // A stand-in for Slack on this machine.
    if (protocol === 'http:') allowInsecureRequests(config);
    return config;
  }

  return {
    /** The address of Slack's sign-in page, for the workspace. */
    authorizeUrl(asked: { state: string; nonce: string; redirectUrl: string }): string {
      return buildAuthorizationUrl(configure(), {
        scope: 'openid',
        state: asked.state,
        nonce: asked.nonce,
        team: teamId(),
        redirect_uri: asked.redirectUrl,
      }).href;
    },

    /**
     * Exchanges a code for the Slack user who came back with it. Checks the token's signature, issuer, audience, end
     * and nonce, that `openid.connect.userInfo` names the same person, and that they are of the workspace. The caller
     * has checked the state.
     * @throws SignInError
     */
    async identify(code: string, nonce: string, redirectUrl: string): Promise<string> {
      const config = configure();
      const callback = new URL(redirectUrl);
      callback.searchParams.set('code', code);
      try {
        const tokens = await authorizationCodeGrant(config, callback, { expectedNonce: nonce });
        const claims = claimsSchema.parse(tokens.claims());
        const info = claimsSchema.parse(await fetchUserInfo(config, tokens.access_token, claims.sub));
        const [user, team] = [info['https://slack.com/user_id'], info['https://slack.com/team_id']];
        const isSame =
          claims['https://slack.com/user_id'] === user && claims['https://slack.com/team_id'] === team;
        if (!isSame) throw new SignInError(SIGN_IN.differs);
        if (team !== teamId()) throw new SignInError(SIGN_IN.otherWorkspace);
        return user;
      } catch (error) {
        // The library wraps what `fetchSlack` throws.
        throw (
          errorCauses(error).find((it) => it instanceof SignInError) ??
          new SignInError(SIGN_IN.invalid, error)
        );
      }
    },
  };
}
export type OpenId = ReturnType<typeof createOpenId>;

/** Slack refuses with status 200 and `{"ok": false, "error": …}`, where OAuth has status 400. */
async function fetchSlack(url: string, options: CustomFetchOptions): Promise<Response> {
  const { response, body } = await readAnswer(url, options);
  const refusal = refusalSchema.safeParse(body);
  if (refusal.success) throw new SignInError(SIGN_IN.refused(refusal.data.error.slice(0, 64)));
  return response;
}

async function readAnswer(url: string, { body: form, signal, ...options }: CustomFetchOptions) {
  try {
    const sent = form instanceof URLSearchParams ? form : null;
    const response = await fetch(url, { ...options, body: sent, signal: signal ?? null });
    const body: unknown = await response.clone().json();
    return { response, body };
  } catch (error) {
    throw new SignInError(SIGN_IN.unreachable, error);
  }
}

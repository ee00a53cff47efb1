import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { SlackRefusal } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Workspace } from './types.ts';

/** How long a code may be taken to the token's method, in milliseconds: ten minutes, like Slack's. */
const CODE_MS = 10 * 60_000;
/** How long an identity token holds, in seconds. */
const TOKEN_SECONDS = 300;
const CLAIM = 'https://slack.com/';
/** Where apps read the keys that identity tokens are signed with; as in Slack's discovery document. */
export const KEYS_PATH = '/openid/connect/keys';
const KEY_ID = 'local';

/** What an app asks for when it sends somebody to sign in. */
export interface SignInRequest {
  readonly redirectUri: string;
  readonly state: string | null;
  readonly nonce: string | null;
}

interface Code extends SignInRequest {
  readonly user: string;
  readonly until: number;
  readonly used: boolean;
}

/** “Sign in with Slack”: who signed in, codes and tokens. None of it outlives the process. */
export function createOpenId(workspace: Workspace) {
  const codes = new Map<string, Code>();
  const users = new Map<string, string>();
  let redirectUrls: readonly string[] = [];
  let key: KeyObject | null = null;

  /** Made when it is first needed. */
  function signingKey(): KeyObject {
    key ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    return key;
  }

  /** An RS256 token, as Slack's are. */
  function signToken(claims: JsonObject): string {
    const parts = [{ alg: 'RS256', typ: 'JWT', kid: KEY_ID }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    const signed = parts.join('.');
    return `${signed}.${sign('sha256', Buffer.from(signed), signingKey()).toString('base64url')}`;
  }

  function identityClaims(user: string): JsonObject {
    return { sub: user, [`${CLAIM}user_id`]: user, [`${CLAIM}team_id`]: workspace.team.id };
  }

  return {
    /** Where browsers may be sent back to: these addresses and what is below them, as in the app's settings. */
    setRedirectUrls(urls: readonly string[]): void {
      redirectUrls = urls;
    },

    /** Reads what an app asks for. Throws SlackRefusal, for the page to say: nobody is sent back anywhere then. */
    readRequest(query: URLSearchParams): SignInRequest {
      const redirectUri = query.get('redirect_uri') ?? '';
      if (query.get('client_id') !== workspace.app.clientId) throw new SlackRefusal('invalid_client_id');
      if (
        !redirectUrls.some(
          (url) => redirectUri === url || redirectUri.startsWith(`${url.replace(/\/$/, '')}/`),
        )
      )
        throw new SlackRefusal('bad_redirect_uri');
      if (query.get('response_type') !== 'code') throw new SlackRefusal('invalid_response_type');
      const scopes = (query.get('scope') ?? '').split(/[ ,]+/);
      const isKnown = scopes.every((scope) => ['openid', 'profile', 'email'].includes(scope));
      if (!scopes.includes('openid') || !isKnown) throw new SlackRefusal('invalid_scope');
      const team = query.get('team');
      if (team !== null && team !== workspace.team.id)
        throw new SlackRefusal('invalid_team_for_non_distributed_app');
      return { redirectUri, state: query.get('state'), nonce: query.get('nonce') };
    },

    /** Where the browser of somebody who agreed is sent; null for somebody who is not a person of this workspace. */
    agree(request: SignInRequest, user: string): string | null {
      const person = workspace.people.get(user);
      if (person === undefined || person.isBot || person.deleted) return null;
      const code = `${randomBytes(16).toString('hex')}.${randomBytes(16).toString('hex')}`;
      codes.set(code, { ...request, user, until: workspace.clock.now() + CODE_MS, used: false });
      return backTo(request, { code });
    },
    refuse: (request: SignInRequest): string => backTo(request, { error: 'access_denied' }),

    /** `openid.connect.token`, by a client that has shown its secret. Throws SlackRefusal. */
    exchange(code: string, redirectUri: string | undefined): JsonObject {
      const given = codes.get(code);
      if (given === undefined) throw new SlackRefusal('invalid_code');
      if (given.used) throw new SlackRefusal('code_already_used');
      if (given.until <= workspace.clock.now()) throw new SlackRefusal('code_expired');
      if (redirectUri !== given.redirectUri) throw new SlackRefusal('bad_redirect_uri');
      codes.set(code, { ...given, used: true });
      const accessToken = `xoxp-local-${randomBytes(16).toString('hex')}`;
      users.set(accessToken, given.user);
      const now = Math.floor(workspace.clock.now() / 1000);
      return {
        access_token: accessToken,
        token_type: 'Bearer',
        id_token: signToken({
          iss: workspace.baseUrl(),
          aud: workspace.app.clientId,
          exp: now + TOKEN_SECONDS,
          iat: now,
          auth_time: now,
          ...(given.nonce === null ? {} : { nonce: given.nonce }),
          at_hash: createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url'),
          ...identityClaims(given.user),
        }),
      };
    },

    /**
     * The keys as a JSON Web Key Set, where Slack has it: `jwks_uri` of
     * https://slack.com/.well-known/openid-configuration.
     */
    keys(): JsonObject {
      const { kty = '', n = '', e = '' } = createPublicKey(signingKey()).export({ format: 'jwk' });
      return { keys: [{ kty, n, e, alg: 'RS256', kid: KEY_ID }] };
    },

    /** `openid.connect.userInfo`: whose token this is. */
    userInfo(accessToken: string): JsonObject | null {
      const user = users.get(accessToken);
      return user === undefined ? null : identityClaims(user);
    },
  };
}
export type OpenId = ReturnType<typeof createOpenId>;

function backTo({ redirectUri, state }: SignInRequest, answer: Record<string, string>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries({ ...answer, ...(state === null ? {} : { state }) }))
    url.searchParams.set(name, value);
  return url.href;
}

import type { AuthProvider, FetchLike } from '@modelcontextprotocol/client';
import type { Actor } from '../gate/types.ts';
import { ANY_SIGN_IN, readChallenge, SignInRequiredError } from './challenge.ts';
import type { Tokens } from './credentials.ts';
import type { TokenRefresher } from './refresh.ts';
import type { OAuthServer } from './server.ts';

/** What a transport needs to authenticate as one person. */
export interface BearerSession {
  readonly authProvider: AuthProvider;
  readonly fetch: FetchLike;
}

/**
 * An authenticated session for one person, with tokens refreshed when they expire. Never starts a sign-in
 * itself: a missing one is an error, and the call then waits for the person. So is another one than that made at
 * `signedInAt`, which may be with another account.
 *
 * @param ask for requests other than those of sign-ins
 */
export function createBearerSession(
  refresher: TokenRefresher,
  server: OAuthServer,
  { person, signedInAt }: { readonly person: Actor; readonly signedInAt: number | null },
  ask: FetchLike,
): BearerSession {
  /**
   * The token that each refused response was sent with. With several requests in flight it needn't be the
   * latest.
   */
  const sentWith = new WeakMap<Response, string>();
  let latest: string | undefined;

  async function currentTokens(refused?: string): Promise<Tokens | null> {
    const current = await refresher.currentTokens(server, person, refused);
    return current?.signedInAt === signedInAt ? current.tokens : null;
  }

  return {
    async fetch(url, init) {
      const response = await ask(url, init);
      const [, token] = /^Bearer (.+)$/.exec(new Headers(init?.headers).get('authorization') ?? '') ?? [];
      if (token !== undefined) sentWith.set(response, token);
      return response;
    },
    authProvider: {
      async token() {
        const tokens = await currentTokens();
        if (!tokens) throw new SignInRequiredError(server.name, ANY_SIGN_IN);
        latest = tokens.access_token;
        return latest;
      },
      async onUnauthorized({ response }) {
        const refused = sentWith.get(response) ?? latest;
        // The transport retries once with the current token. A second refusal is final.
        const tokens = await currentTokens(refused);
        if (!tokens) throw new SignInRequiredError(server.name, readChallenge(response));
      },
    },
  };
}

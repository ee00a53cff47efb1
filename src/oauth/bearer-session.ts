import type { AuthProvider, FetchLike } from '@modelcontextprotocol/client';
import type { Actor } from '../gate/types.ts';
import { ANY_SIGN_IN, readChallenge, SignInRequiredError } from './challenge.ts';
import type { Refresh } from './refresh.ts';
import type { OAuthServer } from './server.ts';

/** What a transport needs to speak for one person. */
export interface BearerSession {
  readonly authProvider: AuthProvider;
  readonly fetch: FetchLike;
}

/**
 * Speaks to a server as one person: with their tokens, renewed where they are over. Never begins a sign-in by
 * itself: that a person has to is an error, which the call then waits with.
 */
export function createBearerSession(refresh: Refresh, server: OAuthServer, person: Actor): BearerSession {
  const ask = server.fetch ?? fetch;
  /** Which token each refusal is about: with several requests under way it need not be the latest one. */
  const sentWith = new WeakMap<Response, string>();
  let latest: string | undefined;

  return {
    async fetch(url, init) {
      const response = await ask(url, init);
      const [, token] = /^Bearer (.+)$/.exec(new Headers(init?.headers).get('authorization') ?? '') ?? [];
      if (token !== undefined) sentWith.set(response, token);
      return response;
    },
    authProvider: {
      async token() {
        const tokens = await refresh.usable(server, person);
        if (!tokens) throw new SignInRequiredError(server.name, ANY_SIGN_IN);
        latest = tokens.access_token;
        return latest;
      },
      async onUnauthorized({ response }) {
        const refused = sentWith.get(response) ?? latest;
        // The transport tries once more with what is there then; a second refusal ends there.
        const tokens = await refresh.usable(server, person, refused);
        if (!tokens) throw new SignInRequiredError(server.name, readChallenge(response));
      },
    },
  };
}

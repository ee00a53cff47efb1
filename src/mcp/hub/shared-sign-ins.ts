import { ConfigError } from '../../lib/errors.ts';
import { isOneAccount } from '../../oauth/index.ts';
import type { McpServers } from '../config/schema.ts';
import type { Connectors } from '../ports.ts';
import { notOneSignIn } from '../texts/connection.ts';
import { findSignInPlace } from './sign-in-place.ts';

/**
 * Refuses servers that share a sign-in by its name, and not by what it is.
 * @throws ConfigError that names the two entries, and what differs
 */
export function refuseUnlikeSignIns(servers: McpServers, connectors: Connectors): void {
  const found = new Map<string, { readonly server: string; readonly place: SignInPlace }>();
  for (const [server, config] of Object.entries(servers)) {
    const place = config.disabled ? null : findSignInPlace(server, config, { fetch: undefined, connectors });
    if (place === null || place.signIn === 'never') continue;
    const before = found.get(place.account);
    if (before && !isOneAccount(toAccount(before.place), toAccount(place))) {
      throw new ConfigError(notOneSignIn({ account: place.account, server, before: before.server }));
    }
    found.set(place.account, before ?? { server, place });
  }
}

type SignInPlace = NonNullable<ReturnType<typeof findSignInPlace>>;

function toAccount({ url, terms: { oauth } }: SignInPlace) {
  return { url, oauth };
}

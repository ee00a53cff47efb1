import type { FetchLike } from '@modelcontextprotocol/client';
import { AppError } from '../../lib/errors.ts';
import { createGuardedFetch } from '../../lib/net/guarded-fetch.ts';
import type { Identify, SignInTerms } from '../../oauth/index.ts';
import { networkReach } from '../config/reach.ts';
import type { ConnectorConfig, HttpServerConfig, ServerConfig } from '../config/schema.ts';
import { currentCallCutOff } from '../connection/call-correlation.ts';
import type { Connector, Connectors } from '../ports.ts';
import { connectorEntry, noConnector } from '../texts/connection.ts';

/** Limit of one answer of a connector's service, in bytes. */
const MOST_SERVICE_BYTES = 8 * 1024 * 1024;

/** What people may sign in to: a server over HTTP, or a connector's service. */
interface SignInPlace {
  /** What people sign in to: the server, or the account that several connectors share. */
  readonly account: string;
  readonly url: string;
  readonly fetch: FetchLike;
  /** Whether everybody signs in to it for themselves: `if_asked` finds out. */
  readonly signIn: 'always' | 'if_asked' | 'never';
  readonly terms: SignInTerms;
  /** Whether it lists the same tools to everybody, who needn't be signed in for that. */
  readonly hasOpenList: boolean;
}

/**
 * The place that a server's requests go to; null for a process, and for a server that makes none.
 * @param fetch in place of the guarded one
 * @throws AppError `mcp_unknown_server` for a connector that doesn't exist.
 */
export function findSignInPlace(
  server: string,
  config: ServerConfig,
  { fetch, connectors }: { readonly fetch: FetchLike | undefined; readonly connectors: Connectors },
): SignInPlace | null {
  if ('url' in config) return placeOfServer(server, config, fetch);
  return 'connector' in config ? placeOfService(server, config, fetch, connectors) : null;
}

function placeOfServer(server: string, config: HttpServerConfig, fetch: FetchLike | undefined): SignInPlace {
  return {
    account: server,
    url: config.url,
    fetch: fetch ?? createGuardedFetch({ reach: networkReach(config), onStreamBegin: currentCallCutOff }),
    signIn: config.auth === 'oauth' ? 'always' : maySignIn(config) ? 'if_asked' : 'never',
    terms: { ...NO_SIGN_IN, oauth: config.oauth ?? {} },
    hasOpenList: false,
  };
}

function placeOfService(
  server: string,
  config: ConnectorConfig,
  given: FetchLike | undefined,
  connectors: Connectors,
): SignInPlace {
  const connector = connectors.get(config.connector);
  if (connector === undefined) {
    const userMessage = noConnector(config.connector, [...connectors.keys()]);
    throw new AppError({ code: 'mcp_unknown_server', userMessage });
  }
  const unset = config.missing ?? [];
  if ('createMailbox' in connector) {
    const absent = (['mailbox', 'owner'] as const).filter((key) => config[key] === undefined);
    const missing = [...absent.map((key) => connectorEntry(server, key)), ...unset];
    const terms = { ...NO_SIGN_IN, missing };
    const url = config.mailbox?.imap ?? '';
    return { account: server, url, fetch: askedByNobody, signIn: 'never', terms, hasOpenList: true };
  }
  const url = config.api_url ?? connector.apiUrl;
  const reach = networkReach({ ...config, url });
  const fetch = connector.adapt(
    given ?? createGuardedFetch({ reach, maxBytes: MOST_SERVICE_BYTES, isWhole: true }),
  );
  const { signIn } = connector;
  const { client_id: clientId, client_secret, scopes } = config.oauth ?? {};
  if (signIn === null) {
    const missing = config.key === undefined ? [connectorEntry(server, 'key')] : unset;
    const terms = { ...NO_SIGN_IN, missing };
    return { account: server, url, fetch, signIn: 'never', terms, hasOpenList: true };
  }
  // Who hosts the API hosts the sign-in, too.
  const signInUrl = config.sign_in_url ?? (config.api_url === undefined ? null : new URL(url).origin);
  const metadata = signIn.authorizationServer({ apiUrl: url, signInUrl, clientId: clientId ?? '' });
  return {
    account: signIn.account ?? server,
    // Connectors that share an account may have their APIs at different addresses.
    url: metadata.issuer,
    fetch,
    signIn: 'always',
    terms: {
      oauth: {
        client_id: clientId,
        client_secret,
        issuer: metadata.issuer,
        scopes: scopes ?? [...signIn.scopes],
      },
      metadata,
      missing: clientId === undefined ? [connectorEntry(server, 'oauth')] : unset,
      revokesAll: signIn.revokesAll,
      identify: signIn.identify ? [identifyBy(signIn.identify, url, fetch)] : [],
    },
    hasOpenList: true,
  };
}

const NO_SIGN_IN: SignInTerms = { oauth: {}, metadata: null, missing: [], revokesAll: false, identify: [] };

/** Asks a connector's service as whoever holds the token. */
function identifyBy(
  identify: NonNullable<NonNullable<Connector['signIn']>['identify']>,
  apiUrl: string,
  fetch: FetchLike,
): Identify {
  return (accessToken, signal) =>
    identify({
      apiUrl,
      fetch(url, { isRead: _isRead, ...init } = {}) {
        const headers = new Headers(init.headers);
        headers.set('authorization', `Bearer ${accessToken}`);
        return fetch(url, { ...init, headers, signal, redirect: 'error' });
      },
    });
}

/** A mailbox has no API. */
async function askedByNobody(): Promise<never> {
  throw new TypeError('a mailbox is not asked by HTTP');
}

/**
 * Whether people may sign in. An operator who configures an `Authorization` header means that key, not
 * people's own.
 */
function maySignIn({ auth, headers }: HttpServerConfig): boolean {
  return auth === undefined && !Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

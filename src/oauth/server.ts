import type { AuthorizationServerMetadata, FetchLike } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { Actor, SignedInAccount } from '../gate/types.ts';
import { ConfigError } from '../lib/errors.ts';
import { notOneAccount, SECRET_NEEDS_CLIENT } from './texts.ts';
import type { Binding } from './token-vault.ts';

/** Whether people sign in to the server with their own accounts. */
export const authSchema = z.enum(['none', 'oauth']);

/** OAuth settings for what the server doesn't announce. */
export const oauthSchema = z
  .strictObject({
    client_id: z.string().min(1).optional().describe('The id under which this program is registered there.'),
    client_secret: z.string().min(1).optional().describe('The secret that goes with it.'),
    issuer: z.url().optional().describe('The authorization server that the id, and the secret, are for.'),
    scopes: z
      .array(z.string().min(1))
      .optional()
      .describe('What to ask for; default: what the server names.'),
  })
  .refine(
    ({ client_id, client_secret, issuer }) =>
      client_secret === undefined || (client_id !== undefined && issuer !== undefined),
    {
      path: ['client_secret'],
      error: SECRET_NEEDS_CLIENT,
    },
  );
type OAuthConfig = z.infer<typeof oauthSchema>;

/**
 * Whether an `auth` or `oauth` key is meant for this program. Others use these names for their own sign-in
 * settings.
 */
export function isMeantForUs(key: string, value: unknown): boolean {
  if (key === 'auth') return authSchema.safeParse(value).success;
  return key !== 'oauth' || oauthSchema.safeParse(value).success;
}

/** Whose account the token is good for, as the service says. Rejects where it doesn't. */
export type Identify = (accessToken: string, signal: AbortSignal) => Promise<SignedInAccount>;

/** How people sign in to a server. */
export interface SignInTerms {
  readonly oauth: OAuthConfig;
  /** Its authorization server, where nothing announces it as MCP has it; null if it's to be discovered. */
  readonly metadata: AuthorizationServerMetadata | null;
  /** The variables that an admin must set before anybody can sign in to it. */
  readonly missing: readonly string[];
  /** Whether it ends all of a person's sign-ins with this client when one token is revoked. */
  readonly revokesAll: boolean;
  /** Whom to ask whose account a sign-in is, one after the other. */
  readonly identify: readonly Identify[];
}

/** A server that people sign in to with their own accounts. */
export interface OAuthServer extends SignInTerms {
  readonly name: string;
  /** The servers that this sign-in is for, by their names in the configuration. */
  readonly servers: readonly string[];
  readonly url: string;
  /** `fetch` for the server and its authorization server; undefined for the runtime's own. */
  readonly fetch: FetchLike | undefined;
}

type Registered = Pick<OAuthServer, 'url' | 'oauth'>;

/** Whether what two servers are signed in to can be one account: the same client at the same address. */
export function isOneAccount(one: Registered, other: Registered): boolean {
  return (
    one.url === other.url &&
    one.oauth.client_id === other.oauth.client_id &&
    one.oauth.client_secret === other.oauth.client_secret
  );
}

/** An account that two servers share. @throws ConfigError if it can't be one account. */
export function sharedAccount(one: OAuthServer, other: OAuthServer): OAuthServer {
  if (!isOneAccount(one, other)) throw new ConfigError(notOneAccount(one.name));
  const union = (a: readonly string[] = [], b: readonly string[] = []) => [...new Set([...a, ...b])];
  return {
    ...one,
    oauth: { ...one.oauth, scopes: union(one.oauth.scopes, other.oauth.scopes) },
    missing: union(one.missing, other.missing),
    identify: [...one.identify, ...other.identify],
    servers: union(one.servers, other.servers),
  };
}

/**
 * A `fetch` with one timeout for all requests of a sign-in or refresh together, in milliseconds. A silent
 * authorization server mustn't hold up whoever waits. Where the metadata is known, discovery gets it from here.
 */
export function fetchWithin(
  { fetch: ask = fetch, metadata }: Pick<OAuthServer, 'fetch' | 'metadata'>,
  ms: number,
): FetchLike {
  const timeout = AbortSignal.timeout(ms);
  return async (url, init) =>
    (metadata && answerDiscovery(metadata, new URL(url))) ??
    ask(url, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, timeout]) : timeout });
}

/** The answer to a request of discovery (RFC 8414, RFC 9728); null for any other request. */
function answerDiscovery(metadata: AuthorizationServerMetadata, { pathname }: URL): Response | null {
  if (!pathname.startsWith('/.well-known/')) return null;
  const isAsked = pathname.startsWith('/.well-known/oauth-authorization-server');
  return isAsked ? Response.json(metadata) : new Response(null, { status: 404 });
}

/** What a person's secret at a server is bound to (see {@link Binding}). */
export function secretBinding(
  kind: Binding['kind'],
  { url }: Pick<OAuthServer, 'url'>,
  person: Pick<Actor, 'id'>,
  issuer: string,
): Binding {
  const [where = '', ...rest] = person.id.split(':');
  // A person's id is `slack:{team}:{user}` or `api:{key name}`.
  const [team, user] = rest.length > 1 ? [rest[0] ?? '', rest.slice(1).join(':')] : [where, rest.join(':')];
  return { kind, team, user, issuer, resource: url };
}

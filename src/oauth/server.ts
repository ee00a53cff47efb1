import type { FetchLike } from '@modelcontextprotocol/client';
import type { Actor } from '../gate/types.ts';
import type { OAuthConfig } from './config.ts';
import type { Binding } from './token-vault.ts';

/** A server that people sign in to with their own accounts. */
export interface OAuthServer {
  readonly name: string;
  readonly url: string;
  readonly oauth: OAuthConfig;
  /** `fetch` for the server and its authorization server; undefined for the runtime's own. */
  readonly fetch: FetchLike | undefined;
}

/**
 * A `fetch` with one timeout for all requests of a sign-in or refresh together, in milliseconds. A silent
 * authorization server mustn't hold up whoever waits.
 */
export function fetchWithin({ fetch: ask = fetch }: Pick<OAuthServer, 'fetch'>, ms: number): FetchLike {
  const timeout = AbortSignal.timeout(ms);
  return (url, init) =>
    ask(url, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, timeout]) : timeout });
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

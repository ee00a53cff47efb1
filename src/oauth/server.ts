import type { FetchLike } from '@modelcontextprotocol/client';
import type { Actor } from '../gate/types.ts';
import type { OAuthConfig } from './config.ts';
import type { Binding } from './token-vault.ts';

/** A server that everybody signs in to for themselves. */
export interface OAuthServer {
  readonly name: string;
  readonly url: string;
  readonly oauth: OAuthConfig;
  /** For the server and for what it names as its authorization server; undefined: the runtime's own. */
  readonly fetch: FetchLike | undefined;
}

/**
 * For the questions of one sign-in or one refresh: all of them together take no longer than this, in milliseconds.
 * An authorization server that says nothing must not hold up whoever waits for it.
 */
export function fetchWithin({ fetch: ask = fetch }: Pick<OAuthServer, 'fetch'>, ms: number): FetchLike {
  const late = AbortSignal.timeout(ms);
  return (url, init) =>
    ask(url, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, late]) : late });
}

/** What a person's secret at a server is bound to. */
export function secretBinding(
  kind: Binding['kind'],
  { url }: Pick<OAuthServer, 'url'>,
  person: Pick<Actor, 'id'>,
  issuer: string,
): Binding {
  const [where = '', ...rest] = person.id.split(':');
  // `slack:{team}:{user}` or `api:{key name}`.
  const [team, user] = rest.length > 1 ? [rest[0] ?? '', rest.slice(1).join(':')] : [where, rest.join(':')];
  return { kind, team, user, issuer, resource: url };
}

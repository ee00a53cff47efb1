import { hostOf, type Reach } from '../../lib/net/guarded-fetch.ts';
import { addressKind } from '../../lib/net/ip-ranges.ts';
import type { HttpServerConfig } from './schema.ts';

/**
 * Where a server may be, by what its operator wrote: on this machine where the address names it, on a private
 * network where `allow_private_network` says so.
 */
export function networkReach(server: Pick<HttpServerConfig, 'url' | 'allow_private_network'>): Reach {
  if (server.allow_private_network) return 'private';
  const host = hostOf(new URL(server.url));
  return /(^|\.)localhost\.?$/.test(host) || addressKind(host) === 'loopback' ? 'loopback' : 'public';
}

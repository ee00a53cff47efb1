import { plainHost, type Reach } from '../../lib/net/guarded-address.ts';
import { addressKind } from '../../lib/net/ip-ranges.ts';
import type { HttpServerConfig } from './schema.ts';

/**
 * The network that a server's requests may reach (SSRF guard). Public addresses by default, this machine if
 * the configured address names it, a private network if `allow_private_network` is set.
 *
 * @example
 * networkReach({ url: 'http://localhost:3000/mcp', allow_private_network: false }); // 'loopback'
 */
export function networkReach(server: Pick<HttpServerConfig, 'url' | 'allow_private_network'>): Reach {
  if (server.allow_private_network) return 'private';
  const host = plainHost(new URL(server.url));
  return /(^|\.)localhost\.?$/.test(host) || addressKind(host) === 'loopback' ? 'loopback' : 'public';
}

import dns from 'node:dns';
import { isIP, connect as openPlain, type Socket } from 'node:net';
import { connect as openSecure } from 'node:tls';
import { guardedLookup, isWithin, type Reach, refusal, withinReach } from './guarded-address.ts';

interface SocketTarget {
  readonly host: string;
  readonly port: number;
  /**
   * - `tls`: from the first byte
   * - `starttls`: from when the protocol begins it, before anything secret is said
   * - `none`: for addresses that aren't public
   */
  readonly security: 'tls' | 'starttls' | 'none';
}

/**
 * Opens a connection with the guard of `createGuardedFetch`: never to an address outside of `reach`, and to a public one with TLS only.
 * The socket emits `error` with AddressRefusedError if it may not go there; of TLS, certificates are verified.
 *
 * @throws AddressRefusedError for an address, in place of a name, that is outside
 */
export function openGuardedSocket(
  { host, port, security }: SocketTarget,
  { reach, lookup = dns.lookup }: { readonly reach: Reach; readonly lookup?: typeof dns.lookup },
): Socket {
  const limits = withinReach(reach, { isSecure: security !== 'none' });
  // A name is looked up; an address is not.
  if (isIP(host) !== 0 && !isWithin(host, limits)) throw refusal(host, [host], limits);
  const to = { host, port, lookup: guardedLookup(lookup, limits) };
  if (security !== 'tls') return openPlain(to);
  return openSecure({ ...to, ...(isIP(host) === 0 && { servername: host }) });
}

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { NETWORKS_RULE } from './texts.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** A network: its address, and how many of its bits count. */
export type Network = readonly [Address, number];

/** IPv6 bits that an access line has for itself: whoever has one address of them has them all. */
const IPV6_OF_ONE_LINE = 64;

/** A list of addresses and networks, such as `10.0.0.0/8, ::1`; null if one of them is neither. */
export function parseNetworks(list: string): readonly Network[] | null {
  const networks = list.split(',').map((text) => parseNetwork(text.trim()));
  const found = networks.filter((network) => network !== null);
  return found.length === networks.length ? found : null;
}

/** The same for settings. */
export const networksSchema = z.string().transform((list, context): readonly Network[] => {
  const read = parseNetworks(list);
  if (read !== null) return read;
  context.addIssue({ code: 'custom', message: NETWORKS_RULE });
  return z.NEVER;
});

function parseNetwork(text: string): Network | null {
  if (isIP(text) !== 0) {
    const address = ipaddr.process(text);
    return [address, address.toByteArray().length * 8];
  }
  return ipaddr.isValidCIDR(text) ? ipaddr.parseCIDR(text) : null;
}

interface Connection {
  /** The address at the other end of the connection; undefined if there is none. */
  readonly peer: string | undefined;
  /** The header `X-Forwarded-For`; undefined without one. */
  readonly forwardedFor: string | undefined;
}

/**
 * The address that a request comes from: the connection's, or, where that is a trusted proxy's, the last one in
 * `X-Forwarded-For` that isn't. Whoever else sends that header could name any address. IPv6 counts by
 * its network of 64 bits. `unknown` where there is no address.
 */
export function clientAddress({ peer, forwardedFor }: Connection, trusted: readonly Network[]): string {
  const hops = [...(forwardedFor?.split(',') ?? []).map((hop) => hop.trim()), peer ?? ''];
  const from = hops.findLastIndex((hop) => !isTrusted(hop, trusted));
  // All of them are trusted: the first one is where it began.
  const address = parse(hops[Math.max(from, 0)] ?? '') ?? parse(hops[from + 1] ?? '');
  if (address === null) return 'unknown';
  if (address.kind() === 'ipv4') return address.toString();
  const bytes = address.toByteArray().map((byte, index) => (index * 8 < IPV6_OF_ONE_LINE ? byte : 0));
  return `${ipaddr.fromByteArray(bytes).toString()}/${IPV6_OF_ONE_LINE}`;
}

function parse(text: string): Address | null {
  // An IPv4 address that is written as IPv6, as sockets do, is an IPv4 address.
  return isIP(text) === 0 ? null : ipaddr.process(text);
}

function isTrusted(text: string, trusted: readonly Network[]): boolean {
  const address = parse(text);
  if (address === null) return false;
  return trusted.some(([net, bits]) => net.kind() === address.kind() && address.match(net, bits));
}

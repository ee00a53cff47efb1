import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The kind of an IP address. `forbidden`: no tool server can be there. That is link-local
 * addresses (where clouds answer with the machine's credentials), multicast, documentation, reserved ones.
 */
export type AddressKind = 'public' | 'private' | 'loopback' | 'forbidden';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** IANA's ranges, by ipaddr.js's names. All others are forbidden. */
const KINDS: Readonly<Record<string, AddressKind>> = {
  unicast: 'public',
  loopback: 'loopback',
  private: 'private',
  carrierGradeNat: 'private',
  uniqueLocal: 'private',
};

/** Exceptions: the metadata addresses of three clouds outside link-local, and two ranges of private networks. */
const EXCEPTIONS: readonly (readonly [kind: AddressKind, net: readonly [Address, number]])[] = [
  ['forbidden', ipaddr.parseCIDR('100.100.100.200/32')],
  ['forbidden', ipaddr.parseCIDR('168.63.129.16/32')],
  ['forbidden', ipaddr.parseCIDR('fd00:ec2::254/128')],
  ['private', ipaddr.parseCIDR('198.18.0.0/15')],
  ['private', ipaddr.parseCIDR('64:ff9b:1::/48')],
];

/** The part of IPv6 that is in public use. */
const IPV6_IN_USE = ipaddr.parseCIDR('2000::/3');

/** Prefixes of addresses that embed an IPv4 address, with its offset in bytes: mapped, deprecated, NAT64, 6to4. */
const CARRIERS = [
  { net: ipaddr.parseCIDR('::ffff:0:0/96'), at: 12 },
  { net: ipaddr.parseCIDR('::/96'), at: 12 },
  { net: ipaddr.parseCIDR('64:ff9b::/96'), at: 12 },
  { net: ipaddr.parseCIDR('2002::/16'), at: 2 },
] as const;

/** The kind of an IP address, given without brackets; `forbidden` if it isn't one. */
export function addressKind(address: string): AddressKind {
  if (isIPv4(address)) return kindByRange(ipaddr.IPv4.parse(address));
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return 'forbidden';
  const parsed = ipaddr.IPv6.parse(plain);
  if (parsed.range() === 'loopback') return 'loopback';
  return kindByRange(carriedIpv4(parsed) ?? parsed);
}

function kindByRange(address: Address): AddressKind {
  const exception = EXCEPTIONS.find(([, net]) => isIn(address, net));
  if (exception) return exception[0];
  const kind = KINDS[address.range()] ?? 'forbidden';
  return kind === 'public' && address.kind() === 'ipv6' && !isIn(address, IPV6_IN_USE) ? 'forbidden' : kind;
}

/** The IPv4 address that an IPv6 address stands for, such as 127.0.0.1 for `::ffff:7f00:1`; null if there's none. */
export function embeddedIpv4(address: string): string | null {
  return isIPv6(address) ? (carriedIpv4(ipaddr.IPv6.parse(address))?.toString() ?? null) : null;
}

function carriedIpv4(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  const carrier = CARRIERS.find(({ net }) => isIn(address, net));
  return carrier ? new ipaddr.IPv4(address.toByteArray().slice(carrier.at, carrier.at + 4)) : null;
}

function isIn(address: Address, [net, prefix]: readonly [Address, number]): boolean {
  return address.kind() === net.kind() && address.match(net, prefix);
}

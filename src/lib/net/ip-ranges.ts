import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * What an IP address is to whoever connects to it. `forbidden` is what nobody's tools run on: link-local
 * addresses (where clouds answer with the machine's credentials), multicast, documentation, reserved ones.
 */
export type AddressKind = 'public' | 'private' | 'loopback' | 'forbidden';

/** https://www.iana.org/assignments/iana-ipv4-special-registry, and three clouds' metadata outside of it. */
const IPV4: readonly (readonly [kind: AddressKind, net: string, prefix: number])[] = [
  ['loopback', '127.0.0.0', 8],
  ['forbidden', '100.100.100.200', 32],
  ['private', '10.0.0.0', 8],
  ['private', '100.64.0.0', 10],
  ['private', '172.16.0.0', 12],
  ['private', '192.168.0.0', 16],
  ['private', '198.18.0.0', 15],
  ['forbidden', '0.0.0.0', 8],
  ['forbidden', '168.63.129.16', 32],
  ['forbidden', '169.254.0.0', 16],
  ['forbidden', '192.0.0.0', 24],
  ['forbidden', '192.0.2.0', 24],
  ['forbidden', '192.88.99.0', 24],
  ['forbidden', '198.51.100.0', 24],
  ['forbidden', '203.0.113.0', 24],
  ['forbidden', '224.0.0.0', 3],
];

/** https://www.iana.org/assignments/iana-ipv6-special-registry; what is in none of these is not in use. */
const IPV6: readonly (readonly [kind: AddressKind, net: string, prefix: number])[] = [
  ['loopback', '::1', 128],
  ['forbidden', 'fd00:ec2::254', 128],
  ['private', 'fc00::', 7],
  ['private', '64:ff9b:1::', 48],
  ['forbidden', '2001::', 23],
  ['forbidden', '2001:db8::', 32],
  ['forbidden', '3fff::', 20],
  ['public', '2000::', 3],
];

/** Prefixes after which an IPv4 address stands that the packet goes to: mapped, NAT64, 6to4. */
const CARRIERS: readonly { readonly groups: readonly number[]; readonly at: number }[] = [
  { groups: [0, 0, 0, 0, 0, 0xffff], at: 6 },
  { groups: [0, 0, 0, 0, 0, 0], at: 6 },
  { groups: [0x64, 0xff9b, 0, 0, 0, 0], at: 6 },
  { groups: [0x2002], at: 1 },
];

const ipv4Lists = listsOf(IPV4, 'ipv4');
const ipv6Lists = listsOf(IPV6, 'ipv6');

/** The kind of an IP address, without brackets; `forbidden` for what is none. */
export function kindOfAddress(address: string): AddressKind {
  if (isIPv4(address)) return found(ipv4Lists, address, 'ipv4') ?? 'public';
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return 'forbidden';
  const own = found(ipv6Lists, plain, 'ipv6');
  if (own === 'loopback') return own;
  const carried = carriedIpv4(plain);
  return carried === null ? (own ?? 'forbidden') : kindOfAddress(carried);
}

function carriedIpv4(address: string): string | null {
  const groups = groupsOf(address);
  const carrier = CARRIERS.find((it) => it.groups.every((group, index) => groups[index] === group));
  if (carrier === undefined) return null;
  const [high = 0, low = 0] = groups.slice(carrier.at);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The eight groups of an IPv6 address; the URL parser brings every way of writing it to one. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [first, last] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''));
  const gap = tail === undefined ? 0 : 8 - (first?.length ?? 0) - (last?.length ?? 0);
  return [...(first ?? []), ...Array<string>(gap).fill('0'), ...(last ?? [])].map((it) =>
    Number.parseInt(it, 16),
  );
}

function listsOf(nets: typeof IPV4, family: 'ipv4' | 'ipv6') {
  return nets.map(([kind, net, prefix]) => {
    const list = new BlockList();
    list.addSubnet(net, prefix, family);
    return { kind, list };
  });
}

function found(
  lists: ReturnType<typeof listsOf>,
  address: string,
  family: 'ipv4' | 'ipv6',
): AddressKind | null {
  return lists.find(({ list }) => list.check(address, family))?.kind ?? null;
}

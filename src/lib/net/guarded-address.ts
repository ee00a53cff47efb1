import type dns from 'node:dns';
import type { LookupFunction } from 'node:net';
import { AppError } from '../errors.ts';
import { type AddressKind, addressKind } from './ip-ranges.ts';
import { forbiddenAddress, privateNetwork, publicNeedsTls } from './texts.ts';

/**
 * The addresses that a request may go to: `public` ones only; also this machine's (`loopback`); or also those
 * of `private` networks. Addresses that are not public may use plain HTTP too.
 */
export type Reach = 'public' | 'loopback' | 'private';

const WITHIN: Readonly<Record<Reach, ReadonlySet<AddressKind>>> = {
  public: new Set<AddressKind>(['public']),
  loopback: new Set<AddressKind>(['public', 'loopback']),
  private: new Set<AddressKind>(['public', 'loopback', 'private']),
};

/** The address is not allowed; nothing was sent. */
export class AddressRefusedError extends AppError {
  constructor(why: string) {
    super({ code: 'address_refused', userMessage: why });
  }
}

export function withinReach(reach: Reach, { isSecure }: { readonly isSecure: boolean }): Limits {
  return { kinds: WITHIN[reach], isSecure };
}

/** Where connections may go. Public addresses are reached over TLS only. */
interface Limits {
  readonly kinds: ReadonlySet<AddressKind>;
  readonly isSecure: boolean;
}

export function isWithin(address: string, { kinds, isSecure }: Limits): boolean {
  const kind = addressKind(address);
  return kinds.has(kind) && (isSecure || kind !== 'public');
}

/** Every address of the name must be within the limits, because the connector chooses which one to use. */
export function guardedLookup(lookup: typeof dns.lookup, limits: Limits): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const addresses = found.map(({ address }) => address);
      const [first] = found;
      if (first === undefined || !addresses.every((address) => isWithin(address, limits))) {
        return callback(refusal(hostname, addresses, limits), []);
      }
      if (options.all) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}

export function refusal(
  host: string,
  addresses: readonly string[],
  { isSecure }: Limits,
): AddressRefusedError {
  const kinds = addresses.map(addressKind);
  if (kinds.includes('forbidden')) return new AddressRefusedError(forbiddenAddress(host));
  const needsTls = !isSecure && kinds.includes('public');
  return new AddressRefusedError(needsTls ? publicNeedsTls(host) : privateNetwork(host));
}

/** The host without the brackets of an IPv6 address. */
export function plainHost({ hostname }: { readonly hostname: string }): string {
  return hostname.replace(/^\[|\]$/g, '');
}

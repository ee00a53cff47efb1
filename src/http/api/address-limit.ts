import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.ts';

/** Requests of one address in this time, in milliseconds, before anybody has signed in. */
const MOST = 120;
const WITHIN_MS = 10 * 60_000;
/** Addresses that are remembered. */
const ADDRESSES = 10_000;

/**
 * Bounds how much an address has us write or fetch, in this process: anybody may register a client, begin to sign in, and
 * name a client that is described elsewhere. The function returned counts a request, and says whether it may go on.
 */
export function createAddressLimit(clock: Clock): (address: string) => boolean {
  const counts = new LRUCache<string, { count: number }>({
    max: ADDRESSES,
    ttl: WITHIN_MS,
    ttlResolution: 0,
    perf: { now: clock },
  });
  return (address) => {
    const known = counts.get(address) ?? { count: 0 };
    if (known.count === 0) counts.set(address, known);
    known.count += 1;
    return known.count <= MOST;
  };
}

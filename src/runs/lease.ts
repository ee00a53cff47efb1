import { FencedError } from '../errors.ts';
import type { Clock, Fence } from '../gate/ports.ts';
import { absent, put, ref, type Store, unchanged } from '../storage/store.ts';
import { fences, leases } from './records.ts';

/** How long a lease holds without renewal, in milliseconds: longer than a garbage collection or a slow disk. */
export const LEASE_MS = 30_000;

export interface LeaseHolder {
  /** Unique to this process and this start of it. */
  readonly owner: string;
  /** Whether that owner is known to be gone, so that its lease need not be waited out. */
  readonly isGone: (owner: string) => boolean;
}

export interface Lease {
  readonly fence: Fence;
  /** Whether it was another holder's before, who did not give it back. */
  readonly takenOver: boolean;
  /** Aborted when the lease could not be renewed: whoever works under it must stop. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** Takes the thread for this worker, or returns null while another one has it. */
export async function takeLease(
  { store, clock, holder }: { store: Store; clock: Clock; holder: LeaseHolder },
  threadId: string,
): Promise<Lease | null> {
  const current = await store.get(leases, threadId);
  if (current && current.value.until > clock() && !holder.isGone(current.value.owner)) return null;
  const value = () => ({ owner: holder.owner, until: clock() + LEASE_MS });
  const taken = await store.commit({
    expect: [current ? unchanged(leases, current) : absent(leases, threadId)],
    put: [put(leases, threadId, value()), put(fences, threadId, { owner: holder.owner, at: clock() })],
  });
  if (!taken.committed) return null;

  const lost = new AbortController();
  const fence: Fence = {
    token: taken.version,
    expectation: { collection: fences.name, id: threadId, version: taken.version },
  };
  const renew = async (): Promise<void> => {
    const renewed = await store.commit({
      expect: [fence.expectation],
      put: [put(leases, threadId, value())],
    });
    if (!renewed.committed) lost.abort(new FencedError());
  };
  // A store that cannot be reached now may be back before the lease is over; the fence decides then.
  const timer = setInterval(() => renew().catch(() => undefined), LEASE_MS / 3);
  timer.unref();
  return {
    fence,
    takenOver: current !== null,
    lost: lost.signal,
    async release() {
      clearInterval(timer);
      await store.commit({ expect: [fence.expectation], delete: [ref(leases, threadId)] });
    },
  };
}

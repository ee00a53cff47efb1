import type { Clock } from '../../lib/clock.ts';
import { FencedError } from '../../lib/errors.ts';
import {
  absent,
  type Change,
  type Expectation,
  put,
  ref,
  type Store,
  type Stored,
  unchanged,
} from '../store.ts';
import { fences, type LeaseRecord, leases } from './collections.ts';
import type { Fence } from './types.ts';

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
  /** Whether the previous holder never released it, or not cleanly. */
  readonly takenOver: boolean;
  /**
   * Whether it was taken over from a process that isn't known to be gone: by a clock that is ahead of its own, a lease
   * is over too early.
   */
  readonly mayBeInUse: boolean;
  /** Aborted when the lease could not be renewed: all work under it must stop. */
  readonly lost: AbortSignal;
  /**
   * Resolves if the lease is still held, for what must not be done twice and can't be in a commit. It asks the store
   * only if the lease could be over by now: a process that stood still may find that another works on its thread.
   * Throws FencedError then, and aborts `lost`.
   */
  confirm(): Promise<void>;
  /**
   * Releases the lease, and commits `handOver` with it, unless the lease was lost. False, with nothing changed, if a
   * precondition of `handOver` failed: the lease is still held. Once it is released, this does nothing. Unless
   * `isClean`, the next holder learns by `takenOver` that something is left to find out.
   */
  release(handOver?: Change, options?: { readonly isClean: boolean }): Promise<boolean>;
}

interface LeaseOptions {
  /** Whether it's renewed while it is held; not needed where no other process can ask for it. @default true */
  readonly isRenewed?: boolean;
  /** See `Change.mayBeLost`: where whatever is done outside under the lease has a commit of its own before. */
  readonly mayBeLost?: boolean;
  /** Whether nobody is likely to have had it before: then the commit that takes it says whether that is so. */
  readonly isFirst?: boolean;
}

/**
 * Acquires the lease of a thread, or returns null while another worker holds it. A process acquires a given
 * lease once at a time, so a lease in its own name is a leftover: the store's answer to acquiring or
 * releasing it got lost.
 */
export async function takeLease(
  { store, clock, holder }: { store: Store; clock: Clock; holder: LeaseHolder },
  threadId: string,
  { isRenewed = true, mayBeLost = false, isFirst = false }: LeaseOptions = {},
): Promise<Lease | null> {
  const value = () => ({ owner: holder.owner, until: clock() + LEASE_MS });
  const take = (...expect: Expectation[]) =>
    store.commit({
      expect,
      put: [put(leases, threadId, value()), put(fences, threadId, { owner: holder.owner, at: clock() })],
      mayBeLost,
    });
  // Before it is asked for: the store's answer may take a while.
  let { until } = value();
  let current: Stored<LeaseRecord> | null = null;
  // It's free, most of the time.
  let taken = await take(absent(leases, threadId), ...(isFirst ? [absent(fences, threadId)] : []));
  if (!taken.committed) {
    current = await store.get(leases, threadId);
    if (current && current.value.until > clock() && !isAbandoned(current.value.owner, holder)) return null;
    taken = await take(current ? unchanged(leases, current) : absent(leases, threadId));
  }
  if (!taken.committed) return null;

  const lost = new AbortController();
  const fence: Fence = {
    token: taken.version,
    expectation: { collection: fences.name, id: threadId, version: taken.version },
  };
  const renew = async (): Promise<void> => {
    const next = value();
    const renewed = await store.commit({ expect: [fence.expectation], put: [put(leases, threadId, next)] });
    if (renewed.committed) until = next.until;
    else lost.abort(new FencedError());
  };
  // An unreachable store may be back before the lease expires; until then the fence protects the writes.
  const renewing = () =>
    isRenewed ? setInterval(() => renew().catch(() => undefined), LEASE_MS / 3).unref() : undefined;
  let timer = renewing();
  let isReleased = false;
  return {
    fence,
    takenOver: current !== null,
    mayBeInUse: current !== null && !isAbandoned(current.value.owner, holder),
    lost: lost.signal,
    async confirm() {
      if (!lost.signal.aborted && clock() >= until) await renew();
      if (lost.signal.aborted) throw new FencedError();
    },
    async release(handOver = {}, { isClean } = { isClean: true }) {
      if (isReleased) return true;
      // Renewed no more if this fails: whoever asks next waits it out.
      clearInterval(timer);
      const result = await store.commit({
        expect: [fence.expectation, ...(handOver.expect ?? [])],
        put: [
          ...(isClean ? [] : [put(leases, threadId, { owner: holder.owner, until: 0 })]),
          ...(handOver.put ?? []),
        ],
        delete: [...(isClean ? [ref(leases, threadId)] : []), ...(handOver.delete ?? [])],
      });
      isReleased = result.committed || result.conflict.collection === fences.name;
      if (!isReleased) timer = renewing();
      return isReleased;
    },
  };
}

function isAbandoned(owner: string, holder: LeaseHolder): boolean {
  return owner === holder.owner || holder.isGone(owner);
}

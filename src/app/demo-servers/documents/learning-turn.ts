import { hostname } from 'node:os';
import { type Clock, randomId } from '../../../lib/clock.ts';
import { localHolder } from '../../../storage/lease/holder.ts';
import { type Lease, takeLease } from '../../../storage/lease/lease.ts';
import type { Store } from '../../../storage/store.ts';
import { DOCUMENTS } from '../bundled.ts';

/** Of the processes that have an index of documents, one learns: whose turn it is, by a lease. */
export function createLearningTurn({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
  const holder = localHolder(hostname(), process.pid, randomId(), DOCUMENTS);
  let lease: Lease | null = null;
  let taking: Promise<Lease | null> | null = null;
  return {
    async isOurs(): Promise<boolean> {
      if (lease !== null && !lease.lost.aborted) return true;
      // It's asked for once at a time: in its own name, it would be a leftover.
      taking ??= takeLease({ store, clock, holder }, DOCUMENTS).finally(() => {
        taking = null;
      });
      lease = await taking;
      return lease !== null;
    },
    end: async () => void (await lease?.release()),
  };
}

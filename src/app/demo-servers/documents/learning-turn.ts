import { hostname } from 'node:os';
import { z } from 'zod';
import type { LearningTurn } from '../../../knowledge/index.ts';
import { type Clock, randomId } from '../../../lib/clock.ts';
import { fences } from '../../../storage/lease/collections.ts';
import { localHolder } from '../../../storage/lease/holder.ts';
import { type Lease, type LeaseHolder, takeLease } from '../../../storage/lease/lease.ts';
import { collection, put, type Store } from '../../../storage/store.ts';
import { DOCUMENTS } from '../bundled.ts';

/** The turn in which all folders were looked at, by its fencing token. */
const looks = collection({
  name: 'document_looks',
  schema: z.object({ token: z.number() }),
  indexes: {},
});

interface TurnOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** @default this process */
  readonly holder?: LeaseHolder;
}

/** Of the processes that have an index of documents, one learns: whose turn it is, by a lease. */
export function createLearningTurn({
  store,
  clock,
  holder = localHolder(hostname(), process.pid, randomId(), DOCUMENTS),
}: TurnOptions): LearningTurn & { end(): Promise<void> } {
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
    async hasLooked() {
      const [turn, look] = await Promise.all([store.get(fences, DOCUMENTS), store.get(looks, DOCUMENTS)]);
      return turn !== null && look?.value.token === turn.version;
    },
    async noteLooked() {
      if (lease === null) return;
      const { token, expectation } = lease.fence;
      // Where it's lost, the next one looks.
      await store.commit({ expect: [expectation], put: [put(looks, DOCUMENTS, { token })] });
    },
    async end() {
      const ended = lease;
      lease = null;
      await ended?.release();
    },
  };
}

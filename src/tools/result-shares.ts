import { z } from 'zod';
import { type Actor, type AuditAction, type AuditLog, actorSchema, RefusalError } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import { createListeners } from '../lib/listeners.ts';
import { absent, collection, put, ref, type Store, unchanged } from '../storage/store.ts';
import type { ResultShare, ResultShares } from './ports.ts';
import { NOTHING_WITHHELD } from './texts.ts';

/** How long after telling an owner that their results were withheld they are told again, in milliseconds. */
const TOLD_AGAIN_MS = 60 * 60_000;
/** Most threads of one person that are listed. */
const LISTED = 20;

/** One person's results in one thread, once they were withheld from somebody. The id is `{thread}#{owner}`. */
const resultShares = collection({
  name: 'result_shares',
  schema: z.object({
    threadId: z.string(),
    owner: actorSchema,
    /** The last person from whose run they were withheld. */
    asker: actorSchema,
    /** When the owner was last told so; in milliseconds since the epoch. */
    toldAt: z.number(),
    /** Since when they share them; null: they don't. */
    sharedAt: z.number().nullable(),
  }),
  indexes: {
    byOwner: (share) => [share.owner.id, share.toldAt],
    byTime: (share) => [share.toldAt],
  },
});

interface ResultSharesPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly audit: AuditLog;
}

/** Who shares their own results with everybody in a thread. See docs/decisions/0049. */
export function createResultShares({ store, clock, audit }: ResultSharesPorts): ResultShares {
  const withheld = createListeners<[ResultShare]>();

  async function change(threadId: string, owner: Actor, isShared: boolean): Promise<void> {
    const id = shareId(threadId, owner.id);
    const what: AuditAction = isShared ? 'results_shared' : 'results_withheld';
    for (;;) {
      const stored = await store.get(resultShares, id);
      if (!stored) throw new RefusalError('not_applicable', NOTHING_WITHHELD);
      if ((stored.value.sharedAt !== null) === isShared) return;
      const added = await audit.append([{ threadId, what, actor: owner }]);
      const { committed } = await store.commit({
        expect: [unchanged(resultShares, stored), ...added.expect],
        put: [put(resultShares, id, { ...stored.value, sharedAt: isShared ? clock() : null }), ...added.put],
      });
      if (committed) return;
    }
  }

  return {
    async sharing(threadId, owners) {
      const found = await store.getMany(
        resultShares,
        owners.map((owner) => shareId(threadId, owner)),
      );
      return new Set(found.flatMap((it) => (it && it.value.sharedAt !== null ? [it.value.owner.id] : [])));
    },

    async noteWithheld(threadId, owners, asker) {
      for (const owner of owners) {
        const id = shareId(threadId, owner.id);
        const stored = await store.get(resultShares, id);
        if (stored && clock() - stored.value.toldAt < TOLD_AGAIN_MS) continue;
        const share = { threadId, owner, asker, toldAt: clock(), sharedAt: stored?.value.sharedAt ?? null };
        const { committed } = await store.commit({
          expect: [stored ? unchanged(resultShares, stored) : absent(resultShares, id)],
          put: [put(resultShares, id, share)],
        });
        // Whoever was faster has told them, or they have just shared.
        if (committed) withheld.notify(share);
      }
    },

    share: (threadId, owner) => change(threadId, owner, true),
    stopSharing: (threadId, owner) => change(threadId, owner, false),

    async list(ownerId) {
      const range = { prefix: [ownerId], descending: true };
      const { items } = await store.query(resultShares, 'byOwner', range, LISTED);
      return items.map(({ value }) => value);
    },

    onWithheld: withheld.add,

    async forget(before, limit) {
      const { items } = await store.query(resultShares, 'byTime', { before: [before] }, limit);
      if (items.length > 0) await store.commit({ delete: items.map(({ id }) => ref(resultShares, id)) });
      return items.length;
    },
  };
}

function shareId(threadId: string, ownerId: string): string {
  return `${threadId}#${ownerId}`;
}

import type { RequestRecord } from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Put, put, type Store } from '../../storage/store.ts';
import { parseSlackThreadId, slackThreadId } from '../ids.ts';
import { type OutboxItem, type OutboxRow, outbox, posted } from './collections.ts';
import { hasList } from './enqueue.ts';
import { rowId } from './rows.ts';

interface RaiseListPorts {
  readonly store: Store;
  readonly clock: Clock;
  /** The request that a thread waits on; null when it waits on none. */
  readonly openIn: (
    threadId: string,
  ) => Promise<Pick<RequestRecord, 'requestId' | 'callIds' | 'plan'> | null>;
}

/** How long a list that is buried stays where it is, in milliseconds, so that what comes in one go moves it once. */
const RAISE_AFTER_MS = 1_000;

/**
 * Looks for a thread's list of waiting calls above which a row isn't to stay. Call it before the row is shown, under the lease
 * of its channel: a list that is posted later comes below by itself. Resolves with what then makes the row that moves the
 * list below the message `ts` (null where that isn't known), or null when no list stands above it. It is for the commit that
 * notes the message, so that no crash loses it. Of two lists in one place, the one that waited first stays last; see
 * docs/decisions/0084-the-list-stays-last.md.
 */
export function createListRaiser({ store, clock, openIn }: RaiseListPorts) {
  async function findList(threadIds: readonly string[]) {
    for (const threadId of threadIds) {
      const request = await openIn(threadId);
      if (request !== null && hasList(request)) return { threadId, requestId: request.requestId };
    }
    return null;
  }

  async function findAbove({ threadId, show }: OutboxRow) {
    const place = parseSlackThreadId(threadId);
    if (place === null || show.kind === 'raise') return null;
    const { beside, ...first } = place;
    const list = await findList([slackThreadId(first), ...(beside === undefined ? [] : [threadId])]);
    if (list === null || (show.kind === 'request' && show.requestId === list.requestId)) return null;
    // One that is still to be posted comes below by itself.
    const known = await store.get(posted, rowId({ kind: 'request', requestId: list.requestId }));
    return known === null ? null : list;
  }

  return async (row: OutboxRow): Promise<(ts: string | null) => Put | null> => {
    const list = await findAbove(row);
    return (ts) => {
      if (list === null) return null;
      const { channel, requester } = row;
      const { threadId, requestId } = list;
      const show: OutboxItem = { kind: 'raise', requestId, below: ts };
      return put(outbox, rowId(show), { channel, threadId, at: clock() + RAISE_AFTER_MS, show, requester });
    };
  };
}
export type RaiseList = ReturnType<typeof createListRaiser>;

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
 * Returns the row that moves a thread's list of waiting calls below the message `ts` (null where that isn't known), which
 * this row has put into the thread; null when no list stands above it. It is for the commit that notes the message, so
 * that no crash loses it. Of two lists in one place, the one that waited first stays last; see
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

  return async (
    { channel, threadId, requester, show }: OutboxRow,
    ts: string | null,
  ): Promise<Put | null> => {
    const place = parseSlackThreadId(threadId);
    if (place === null || show.kind === 'raise') return null;
    const { beside, ...first } = place;
    const list = await findList([slackThreadId(first), ...(beside === undefined ? [] : [threadId])]);
    if (list === null || (show.kind === 'request' && show.requestId === list.requestId)) return null;
    // One that is still to be posted comes below by itself.
    const known = await store.get(posted, rowId({ kind: 'request', requestId: list.requestId }));
    if (known === null) return null;
    const raise: OutboxItem = { kind: 'raise', requestId: list.requestId, below: ts };
    const at = clock() + RAISE_AFTER_MS;
    return put(outbox, rowId(raise), { channel, threadId: list.threadId, at, show: raise, requester });
  };
}
export type RaiseList = ReturnType<typeof createListRaiser>;

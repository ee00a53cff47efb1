import { EventEmitter } from 'node:events';
import type { GateEvent } from '../../gate/types.ts';
import type { Clock, Ids } from '../../lib/clock.ts';
import { type MailboxItem, planThreadId, type ThreadRecord } from '../../runs/index.ts';
import type { LiveEvent, RunEvent } from '../../runs/ports.ts';
import { type Put, put, ref, type Store } from '../../storage/store.ts';
import { MAX_CLOCK_SKEW_MS, threadEvents } from './collections.ts';
import type { LiveThreadEvent, ThreadEvent } from './schemas/events.ts';
import { toGateEvents, toLiveEvent, toRunEvents, toTaskEvents } from './to-thread-event.ts';

/** Events of a thread that one commit deletes. */
const FORGOTTEN_AT_ONCE = 200;

/** A listener's position in a thread's events. */
export interface FeedPosition {
  /** The commit that wrote the event, and what orders it among the events of that commit. */
  readonly version: number;
  readonly position: number;
  /** When it was written; 0 when that is not known any more. */
  readonly at: number;
}
export const FEED_START: FeedPosition = { version: 0, position: 0, at: 0 };

interface KeptEvent extends FeedPosition {
  readonly event: ThreadEvent;
}

/** `changed`: the record of the thread is another one, and there may be events to read. */
type FeedSignal = 'changed' | LiveThreadEvent;

/** Makes the writes that store events of a thread, in order. */
function createEventWriter({ clock, ids }: { readonly clock: Clock; readonly ids: Ids }) {
  /** Counted on for ever: changes that share a commit come from one process, and each is announced on its own. */
  let position = 0;
  return (threadId: string, events: readonly ThreadEvent[]): Put[] => {
    const at = clock();
    return events.map((event) => {
      position += 1;
      return put(threadEvents, ids(), { threadId, at, position, event });
    });
  };
}

/**
 * The events of HTTP threads: stored for later listeners, and passed on to current ones. What happens in the thread of an
 * agent of a team is an event of the one that its plan is for.
 */
export function createThreadFeed({
  store,
  clock,
  ids,
}: {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
}) {
  const listeners = new EventEmitter<Record<string, [FeedSignal]>>().setMaxListeners(0);
  const keep = createEventWriter({ clock, ids });

  function subscribe(threadId: string, listener: (signal: FeedSignal) => void): () => void {
    listeners.on(threadId, listener);
    return () => void listeners.off(threadId, listener);
  }

  return {
    /** The writes that record the event, for the commit in which it happens. */
    announceGate: (event: GateEvent, threadIds: readonly string[]): Put[] =>
      threadIds.flatMap((threadId) => keep(planThreadId(threadId), toGateEvents(partIn(threadId, event)))),
    announceRun: (thread: ThreadRecord, event: RunEvent): Put[] =>
      keep(
        planThreadId(thread.threadId),
        thread.task ? toTaskEvents(thread.task, event) : toRunEvents(event),
      ),

    /** Call this after that commit. */
    notifyGate(_event: GateEvent, threadIds: readonly string[]): void {
      for (const threadId of threadIds) listeners.emit(planThreadId(threadId), 'changed');
    },
    notifyRun: (thread: ThreadRecord): void => void listeners.emit(planThreadId(thread.threadId), 'changed'),
    observe(thread: ThreadRecord, _item: MailboxItem | null, event: LiveEvent): void {
      const live = toLiveEvent(thread, event);
      if (live !== null) listeners.emit(planThreadId(thread.threadId), live);
    },

    subscribe,

    /** Resolves when the thread has changed, after `timeoutMs`, or when `signal` aborts. */
    nextChange(threadId: string, timeoutMs: number, signal: AbortSignal): NextChange {
      const { promise, resolve } = Promise.withResolvers<void>();
      const cancel = (): void => {
        unsubscribe();
        clearTimeout(timer);
        signal.removeEventListener('abort', cancel);
        resolve();
      };
      const timer = setTimeout(cancel, Math.max(0, timeoutMs));
      const unsubscribe = subscribe(threadId, (signal) => {
        if (signal === 'changed') cancel();
      });
      signal.addEventListener('abort', cancel);
      if (signal.aborted) cancel();
      return { promise, cancel };
    },

    /** Deletes events of all threads that were written before `before`, at most `limit`; says how many. */
    async forget(before: number, limit: number): Promise<number> {
      const { items } = await store.query(threadEvents, 'byTime', { before: [before] }, limit);
      if (items.length > 0) await store.commit({ delete: items.map(({ id }) => ref(threadEvents, id)) });
      return items.length;
    },

    /** The events of a thread after a position, in the order in which they were committed. */
    async eventsAfter(threadId: string, after: FeedPosition): Promise<readonly KeptEvent[]> {
      // The index is ordered by clocks, events by commits: a slow clock may have written a later event.
      const from = [threadId, Math.max(0, after.at - MAX_CLOCK_SKEW_MS)];
      const found: KeptEvent[] = [];
      let cursor: string | null = null;
      do {
        const range = { prefix: [threadId], from, ...(cursor === null ? {} : { cursor }) };
        const page = await readPage(store, range);
        found.push(...page.events);
        cursor = page.next;
      } while (cursor !== null);
      return found.filter((event) => isAfter(event, after)).sort(byCommit);
    },
  };
}
export type ThreadFeed = ReturnType<typeof createThreadFeed>;

/** Deletes all events of a thread. */
export async function forgetThreadEvents(store: Store, threadId: string): Promise<void> {
  for (;;) {
    const { items } = await store.query(threadEvents, 'byThread', { prefix: [threadId] }, FORGOTTEN_AT_ONCE);
    if (items.length === 0) return;
    await store.commit({ delete: items.map(({ id }) => ref(threadEvents, id)) });
  }
}

interface NextChange {
  readonly promise: Promise<void>;
  cancel(): void;
}

async function readPage(
  store: Store,
  range: Parameters<Store['query']>[2],
): Promise<{ readonly events: readonly KeptEvent[]; readonly next: string | null }> {
  const page = await store.query(threadEvents, 'byThread', range, 500);
  const events = page.items.map(({ version, value: { at, position, event } }) => ({
    version,
    position,
    at,
    event,
  }));
  return { events, next: page.next };
}

export function isAfter(one: FeedPosition, other: FeedPosition): boolean {
  return byCommit(one, other) > 0;
}

function byCommit(one: FeedPosition, other: FeedPosition): number {
  return one.version - other.version || one.position - other.position;
}

/** What an event says of one thread: a decision may be about calls of several. */
function partIn(threadId: string, event: GateEvent): GateEvent {
  if (!('calls' in event)) return event;
  return { ...event, calls: event.calls.filter((call) => call.threadId === threadId) };
}

import type { Actor } from '../gate/types.ts';
import { RefusalError } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import {
  absent,
  type Change,
  type Put,
  put,
  ref,
  type Store,
  type Stored,
  unchanged,
} from '../storage/store.ts';
import {
  DEFAULT_GRAPH,
  type MailboxItem,
  mailbox,
  receivedEvents,
  type SurfaceAddress,
  type ThreadRecord,
  threads,
  work,
} from './collections.ts';
import type { RunEvent } from './ports.ts';
import { onlyOwnerStops } from './texts.ts';

export interface IncomingMessage {
  readonly threadId: string;
  readonly surface: SurfaceAddress;
  /** The graph of the thread, where the message begins it; default: the assistant. */
  readonly graph?: string;
  /** What the sender's system calls this message: the same message twice is received once. */
  readonly itemId: string;
  /** What that system calls the event that told of it, where there is one: an event counts once, too. */
  readonly eventId?: string;
  readonly actor: Actor;
  readonly text: string;
  /** When it was sent, by the sender's system, in milliseconds since the epoch: the order of the mailbox. */
  readonly at: number;
}

/** The mark that makes workers, and after a crash the sweep, look at a thread. */
export function markWork(threadId: string, clock: Clock): Put {
  return put(work, threadId, { threadId, since: clock() });
}

/** The mark as it stands; null when nobody has anything to do on the thread. */
export function workMark(store: Store, threadId: string): Promise<Stored<unknown> | null> {
  return store.get(work, threadId);
}

/** Takes the mark away that was there before the look; false when there is a newer one. */
export async function clearMark(
  store: Store,
  threadId: string,
  seen: Stored<unknown> | null,
): Promise<boolean> {
  const current = await store.get(work, threadId);
  if (!current) return true;
  if (current.version !== seen?.version) return false;
  const { committed } = await store.commit({
    expect: [unchanged(work, current)],
    delete: [ref(work, threadId)],
  });
  return committed;
}

/** What lands with that which an event causes, so that it causes it once. */
function onceFor(eventId: string | undefined, clock: Clock): Required<Pick<Change, 'expect' | 'put'>> {
  if (eventId === undefined) return { expect: [], put: [] };
  return {
    expect: [absent(receivedEvents, eventId)],
    put: [put(receivedEvents, eventId, { at: clock() })],
  };
}

/** Deletes what is known of events that were taken up before `before`, at most `limit`; says how many. */
export async function forgetEvents(store: Store, before: number, limit: number): Promise<number> {
  const { items } = await store.query(receivedEvents, 'byTime', { before: [before] }, limit);
  if (items.length > 0) await store.commit({ delete: items.map(({ id }) => ref(receivedEvents, id)) });
  return items.length;
}

/**
 * Makes the message durable, with its thread if that is new. False when it was received before, or by
 * another name with the same event.
 */
export async function receive(
  { store, clock }: { store: Store; clock: Clock },
  message: IncomingMessage,
): Promise<boolean> {
  const item: MailboxItem = {
    itemId: message.itemId,
    threadId: message.threadId,
    actor: message.actor,
    text: message.text,
    at: message.at,
    receivedAt: clock(),
    state: 'queued',
    runId: null,
    stoppedBy: null,
    response: null,
  };
  for (;;) {
    const [known, thread] = await Promise.all([
      store.get(mailbox, item.itemId),
      store.get(threads, item.threadId),
    ]);
    if (known) return false;
    const { surface, graph = DEFAULT_GRAPH } = message;
    const created: ThreadRecord = { threadId: item.threadId, surface, graph, createdAt: clock() };
    const once = onceFor(message.eventId, clock);
    const result = await store.commit({
      expect: [
        ...once.expect,
        absent(mailbox, item.itemId),
        ...(thread ? [] : [absent(threads, item.threadId)]),
      ],
      put: [
        ...once.put,
        put(mailbox, item.itemId, item),
        ...(thread ? [] : [put(threads, item.threadId, created)]),
        markWork(item.threadId, clock),
      ],
    });
    if (result.committed) return true;
    if (result.conflict.collection === receivedEvents.name) return false;
  }
}

/** The messages of a thread that are not done yet, in order. */
export async function openItems(store: Store, threadId: string): Promise<readonly Stored<MailboxItem>[]> {
  return (await store.query(mailbox, 'open', { prefix: [threadId] }, 100)).items;
}

/**
 * Asks for the run of this thread to be stopped, by the person for whom it runs. Returns the message it
 * works on; null when nothing runs, or the event that asks has stopped something before. Throws
 * RefusalError for anybody else.
 */
export async function askToStop(
  { store, clock }: { store: Store; clock: Clock },
  threadId: string,
  actor: Actor,
  eventId?: string,
): Promise<MailboxItem | null> {
  for (;;) {
    const stored = (await openItems(store, threadId)).find((item) => item.value.state === 'running');
    if (!stored) return null;
    const { actor: owner, stoppedBy } = stored.value;
    if (owner.id !== actor.id) {
      throw new RefusalError('not_allowed', onlyOwnerStops(owner.name));
    }
    if (stoppedBy) return stored.value;
    const item: MailboxItem = { ...stored.value, stoppedBy: actor };
    const once = onceFor(eventId, clock);
    const result = await store.commit({
      expect: [...once.expect, unchanged(mailbox, stored)],
      put: [...once.put, put(mailbox, item.itemId, item), markWork(threadId, clock)],
    });
    if (result.committed) return item;
    if (result.conflict.collection === receivedEvents.name) return null;
  }
}

/** What a change of an item is called when people are told; null when they are not. */
export function toRunEvent(item: MailboxItem): RunEvent | null {
  switch (item.state) {
    case 'running':
      return { type: 'started', item };
    case 'answered':
      return { type: 'answered', item };
    case 'failed':
      return { type: 'failed', item };
    case 'cancelled':
      return { type: 'cancelled', item };
    case 'queued':
    case 'held':
      return null;
  }
}

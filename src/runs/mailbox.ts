import type { Actor } from '../gate/types.ts';
import { RefusalError } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json.ts';
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
import type { Received, RunEvent } from './ports.ts';
import { NOTHING_TO_REPEAT, onlyOwnerStops, onlyWriterRepeats } from './texts.ts';

/** A message as a surface receives it. */
export interface IncomingMessage {
  readonly threadId: string;
  readonly surface: SurfaceAddress;
  /**
   * The graph of the thread that the message begins.
   * @default 'assistant'
   */
  readonly graph?: string;
  /** The message's id in the sender's system; a repeat is received once. */
  readonly itemId: string;
  /** The id of the event that carried it, if any; an event counts once, too. */
  readonly eventId?: string;
  readonly actor: Actor;
  readonly text: string;
  /**
   * The server whose prompt the text is, and what the sender typed in its form.
   * @default the sender wrote the text
   */
  readonly prompt?: MailboxItem['prompt'];
  /**
   * What the sender wrote themselves.
   * @default the text
   */
  readonly words?: string;
  /** What comes beside the text for the model, as data: nothing that the sender said. */
  readonly data?: JsonObject;
  /** When it was sent, by the sender's system, in milliseconds since the epoch; orders the mailbox. */
  readonly at: number;
  /** W3C's `traceparent` of the sender, if it has one. */
  readonly traceparent?: string | undefined;
}

/** The write that begins a thread in which nobody writes: for a call that no message asks for, or beside another thread. */
export function openThread(thread: Omit<ThreadRecord, 'createdAt'>, clock: Clock): Put {
  return put(threads, thread.threadId, { ...thread, createdAt: clock() });
}

/** The work mark, which makes workers, and after a crash the sweep, look at a thread. */
export function markWork(threadId: string, clock: Clock): Put {
  return put(work, threadId, { threadId, since: clock() });
}

/** A thread's work mark; null when there is nothing to do. */
export function workMark(store: Store, threadId: string): Promise<Stored<unknown> | null> {
  return store.get(work, threadId);
}

/** The change that clears the mark, which was read before the work was done; it fails if there is a newer one. */
export function clearMark(threadId: string, seen: Stored<unknown> | null): Change {
  return {
    expect: [{ ...ref(work, threadId), version: seen?.version ?? null }],
    delete: seen ? [ref(work, threadId)] : [],
  };
}

/** The precondition and write that make an event count once, for the commit of its effect. */
function onceFor(eventId: string | undefined, clock: Clock): Required<Pick<Change, 'expect' | 'put'>> {
  if (eventId === undefined) return { expect: [], put: [] };
  return {
    expect: [absent(receivedEvents, eventId)],
    put: [put(receivedEvents, eventId, { at: clock() })],
  };
}

/** Deletes the ids of events handled before `before`, at most `limit`; returns how many. */
export async function forgetEvents(store: Store, before: number, limit: number): Promise<number> {
  const { items } = await store.query(receivedEvents, 'byTime', { before: [before] }, limit);
  if (items.length > 0) await store.commit({ delete: items.map(({ id }) => ref(receivedEvents, id)) });
  return items.length;
}

/**
 * Makes the message durable, with its thread if that is new. Null when it was received before, or the same
 * event under another message id. `also` is committed with it.
 */
export async function receive(
  { store, clock }: { store: Store; clock: Clock },
  message: IncomingMessage,
  also: Change = {},
): Promise<Received | null> {
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
    ...(message.prompt !== undefined && { prompt: message.prompt }),
    ...(message.words !== undefined && message.words !== message.text && { words: message.words }),
    ...(message.data !== undefined && { data: message.data }),
    ...(message.traceparent !== undefined && { traceparent: message.traceparent }),
  };
  let thread: Stored<ThreadRecord> | null = null;
  for (;;) {
    const { surface, graph = DEFAULT_GRAPH } = message;
    const created: ThreadRecord = { threadId: item.threadId, surface, graph, createdAt: clock() };
    const once = onceFor(message.eventId, clock);
    const result = await store.commit({
      expect: [
        ...once.expect,
        ...(also.expect ?? []),
        absent(mailbox, item.itemId),
        // Taken for new before it is read. One that is removed at this moment is made anew.
        thread ? unchanged(threads, thread) : absent(threads, item.threadId),
      ],
      put: [
        ...once.put,
        ...(also.put ?? []),
        put(mailbox, item.itemId, item),
        ...(thread ? [] : [put(threads, item.threadId, created)]),
        markWork(item.threadId, clock),
      ],
      delete: also.delete ?? [],
    });
    if (result.committed) {
      const stored = { id: item.itemId, version: result.version, value: item };
      return { type: 'received', thread: thread?.value ?? created, item: stored, isFirst: thread === null };
    }
    if (result.conflict.collection !== threads.name) return null;
    thread = await store.get(threads, item.threadId);
  }
}

/**
 * Receives a message again whose run failed for a reason that passes, as its writer says: once, however often they do.
 * @throws RefusalError for anybody else, or when it did not fail so.
 */
export async function receiveAgain(
  ports: { readonly store: Store; readonly clock: Clock },
  itemId: string,
  actor: Actor,
): Promise<{ readonly threadId: string; readonly received: Received | null }> {
  const item = (await ports.store.get(mailbox, itemId))?.value;
  const thread = item && (await ports.store.get(threads, item.threadId))?.value;
  if (!item?.isPassing || !thread) throw new RefusalError('not_applicable', NOTHING_TO_REPEAT);
  if (item.actor.id !== actor.id) throw new RefusalError('not_allowed', onlyWriterRepeats(item.actor.name));
  const { text, prompt, words, data } = item;
  const { threadId, surface } = await whereToRepeat(ports.store, thread);
  const again = {
    threadId,
    surface,
    itemId: repeatId(itemId),
    actor,
    text,
    ...(prompt !== undefined && { prompt }),
    ...(words !== undefined && { words }),
    ...(data !== undefined && { data }),
    at: ports.clock(),
  };
  return { threadId, received: await receive(ports, again) };
}

/**
 * The thread that a message of this one is received in again: its own, but the one that it was answered beside once
 * that has taken over what was said here. Nothing joins it a second time.
 */
async function whereToRepeat(store: Store, thread: ThreadRecord): Promise<ThreadRecord> {
  const { besides } = thread;
  const joined = besides && (await store.get(mailbox, besides.itemId));
  if (!besides || joined?.value.state === 'beside' || joined?.value.state === 'queued') return thread;
  return (await store.get(threads, besides.threadId))?.value ?? thread;
}

/** The id of a message that is received again. */
export function repeatId(itemId: string): string {
  return `${itemId}+`;
}

/** The id that a message was first received under, whether it's worked on again or beside others. */
export function originalId(itemId: string): string {
  return itemId.replace(/[+~]+$/, '');
}

/** A thread's unfinished messages, in order. */
export async function openItems(store: Store, threadId: string): Promise<readonly Stored<MailboxItem>[]> {
  return (await store.query(mailbox, 'open', { prefix: [threadId] }, 100)).items;
}

/** How a run is stopped. */
export interface StopOptions {
  /** Of the event that asks for it, which does so once. @default none */
  readonly eventId?: string | undefined;
  /** What people are told of why, in place of who stopped it. @default that somebody did */
  readonly note?: string;
  /** The only messages that it may stop, by their ids. @default all */
  readonly only?: ReadonlySet<string>;
}

/**
 * Asks to stop this thread's run, for the person whose run it is. Returns the message in work; null when
 * nothing runs, or the event has stopped something before. Throws RefusalError for anybody else.
 */
export async function askToStop(
  { store, clock }: { store: Store; clock: Clock },
  threadId: string,
  actor: Actor,
  { eventId, note, only }: StopOptions = {},
): Promise<MailboxItem | null> {
  for (;;) {
    const stored = (await openItems(store, threadId)).find((item) => item.value.state === 'running');
    if (!stored || only?.has(stored.id) === false) return null;
    const { actor: owner, stoppedBy } = stored.value;
    if (owner.id !== actor.id) {
      throw new RefusalError('not_allowed', onlyOwnerStops(owner.name));
    }
    if (stoppedBy) return stored.value;
    const item: MailboxItem = { ...stored.value, stoppedBy: actor, stopNote: note };
    const once = onceFor(eventId, clock);
    const result = await store.commit({
      expect: [...once.expect, unchanged(mailbox, stored)],
      put: [...once.put, put(mailbox, item.itemId, item), markWork(threadId, clock)],
    });
    if (result.committed) return item;
    if (result.conflict.collection === receivedEvents.name) return null;
  }
}

/** Asks to end this person's messages in a thread that nothing has been done for yet; returns them. */
export async function dropUnbegun(
  { store, clock }: { store: Store; clock: Clock },
  threadId: string,
  actor: Actor,
  { note, only }: Pick<StopOptions, 'note' | 'only'> = {},
): Promise<readonly MailboxItem[]> {
  const isTheirs = ({ id, value }: Stored<MailboxItem>) =>
    isUnbegun(value) && value.actor.id === actor.id && value.stoppedBy === null && only?.has(id) !== false;
  const dropped: MailboxItem[] = [];
  for (;;) {
    const stored = (await openItems(store, threadId)).find(isTheirs);
    if (!stored) return dropped;
    const item: MailboxItem = { ...stored.value, stoppedBy: actor, stopNote: note };
    const { committed } = await store.commit({
      expect: [unchanged(mailbox, stored)],
      put: [put(mailbox, item.itemId, item), markWork(threadId, clock)],
    });
    if (committed) dropped.push(item);
  }
}

/** Whether a message waits for its turn, and is answered nowhere else. */
export function isUnbegun({ state, beside }: MailboxItem): boolean {
  return state === 'held' || (state === 'queued' && beside === undefined);
}

/** The event that announces a message's state; null when nobody is notified. */
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
    case 'held':
      return { type: 'held', item };
    case 'queued':
    case 'beside':
      return null;
  }
}

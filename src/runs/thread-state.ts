import type { Gate } from '../gate/index.ts';
import type { Actor, DecisionInput, ExtraWrites, RequestRecord } from '../gate/types.ts';
import { RefusalError, recordKey } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import { assertFenced } from '../storage/lease/fence.ts';
import type { Fence } from '../storage/lease/types.ts';
import { type Put, put, type Store, type Stored, unchanged } from '../storage/store.ts';
import { besideItemId, endBeside } from './beside.ts';
import { type MailboxItem, mailbox, type ThreadRecord } from './collections.ts';
import { markWork, openItems, openThread, toRunEvent } from './mailbox.ts';
import type { Facts } from './next-step.ts';
import type { RunEvent, ThreadChange } from './ports.ts';
import { findSurface, type Surface } from './surface.ts';
import { NOTHING_WAITS, unknownGraph } from './texts.ts';

export interface ThreadPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly surfaces: readonly Surface[];
  readonly log: { error(details: object, message: string): void };
}

/** The records that a thread's next step depends on. */
export interface ThreadState extends Pick<Facts, 'request' | 'calls'> {
  /** Unfinished messages, in order. */
  readonly items: readonly Stored<MailboxItem>[];
}

/**
 * Reads a thread's records. `likely`: the request that is probably still open, whose calls are read together with
 * everything else.
 */
export async function readThreadState(
  { store, gate }: ThreadPorts,
  threadId: string,
  likely: RequestRecord | null,
): Promise<ThreadState> {
  const [request, likelyCalls, items] = await Promise.all([
    gate.requests.openIn(threadId),
    likely ? gate.calls.inThread(threadId, likely.callIds) : [],
    openItems(store, threadId),
  ]);
  // A request's calls stay the same.
  const isLikely = request?.requestId === likely?.requestId;
  const calls = !request || isLikely ? likelyCalls : await gate.calls.inThread(threadId, request.callIds);
  return { request, calls: request ? calls.filter((call) => call !== null) : [], items };
}

/** The tools of a request's calls of which it's unclear whether they have happened. */
export async function listUnclear(
  { calls }: Pick<Gate, 'calls'>,
  request: RequestRecord | null,
): Promise<readonly string[]> {
  const asked = request ? await calls.inThread(request.threadId, request.callIds) : [];
  return asked.flatMap((call) =>
    call?.state === 'in_doubt' ? [`${call.tool.server}.${call.tool.name}`] : [],
  );
}

/** The records with this message as it is now. */
export function withItem(state: ThreadState, changed: Stored<MailboxItem>): ThreadState {
  const isOpen = mailbox.indexes.open?.(changed.value) !== null;
  const items = state.items.flatMap((item) => (item.id !== changed.id ? item : isOpen ? changed : []));
  return { ...state, items };
}

/** The records of a thread with what a commit changed. */
export function withChange(state: ThreadState, event: ThreadChange): ThreadState {
  if (event.type === 'received') {
    const items = [...state.items, event.item].toSorted(
      ({ value: one }, { value: other }) => one.at - other.at,
    );
    return { ...state, items };
  }
  if (event.type === 'opened') return { ...state, request: event.request, calls: event.calls };
  if (event.type === 'closed') {
    const isOurs = state.request?.requestId === event.request.requestId;
    return isOurs ? { ...state, request: null, calls: [] } : state;
  }
  if (event.type === 'replanned') return state;
  const changed = new Map(
    ('calls' in event ? event.calls : [event.call]).map((call) => [recordKey(call), call]),
  );
  const isClosed = 'closed' in event && event.closed?.some((id) => id === state.request?.requestId);
  if (isClosed) return { ...state, request: null, calls: [] };
  return { ...state, calls: state.calls.map((call) => changed.get(recordKey(call)) ?? call) };
}

/** The message in work, if any. */
export function findRunning(items: readonly MailboxItem[]): MailboxItem | null {
  return items.find(({ state }) => state === 'running') ?? null;
}

type ItemPorts = Pick<ThreadPorts, 'store' | 'surfaces' | 'clock'>;

/** An update of a message's record. */
export interface ItemUpdate {
  readonly itemId: string;
  /** The record as it was read before, which may have changed. */
  readonly known?: Stored<MailboxItem> | null;
  /** The states in which the update applies. */
  readonly from: readonly MailboxItem['state'][];
  readonly change: Partial<MailboxItem>;
  /**
   * The event to announce.
   * @default the event of the new state
   */
  readonly event?: (item: MailboxItem) => RunEvent | null;
  /** What else is committed with it. */
  readonly also?: () => readonly Put[];
}

/** The writes of an update, with those that notify people. */
interface ItemChange extends ExtraWrites {
  readonly item: MailboxItem;
}

/**
 * Updates a message's record and notifies people, in one commit. Returns the new record; null, with nothing
 * changed, when it is no longer in one of the states `from`. Throws FencedError when another worker holds the
 * thread.
 */
export async function updateItem(
  ports: ItemPorts,
  fence: Fence,
  thread: ThreadRecord,
  update: ItemUpdate,
): Promise<Stored<MailboxItem> | null> {
  for (let { known = null } = update; ; known = null) {
    const changed = await prepareUpdate(ports, thread, { ...update, known });
    if (!changed) return null;
    const expect = [...changed.expect, fence.expectation];
    // A message that begins: what comes of it has commits of its own before anybody sees it.
    const mayBeLost = changed.item.state === 'running';
    const result = await ports.store.commit({ expect, put: changed.put, mayBeLost });
    if (!result.committed) {
      await assertFenced(ports, fence);
      continue;
    }
    changed.notify();
    return { id: changed.item.itemId, version: result.version, value: changed.item };
  }
}

async function prepareUpdate(
  ports: ItemPorts,
  thread: ThreadRecord,
  { itemId, known = null, from, change, event = toRunEvent, also }: ItemUpdate,
): Promise<ItemChange | null> {
  const isKnown = known !== null && from.includes(known.value.state);
  const stored = isKnown ? known : await ports.store.get(mailbox, itemId);
  if (!stored || !from.includes(stored.value.state)) return null;
  const item: MailboxItem = { ...stored.value, ...change };
  if (stored.value.state === 'held') item.wasHeld = true;
  const runEvent = event(item);
  const surface = findSurface(ports.surfaces, thread);
  const ended = mailbox.indexes.open?.(item) === null ? await endBeside(ports, thread, itemId) : {};
  return {
    item,
    expect: [unchanged(mailbox, stored), ...(ended.expect ?? [])],
    put: [
      put(mailbox, itemId, item),
      ...(ended.put ?? []),
      ...((runEvent && surface?.announceRun(thread, runEvent)) ?? []),
      ...(also?.() ?? []),
    ],
    notify: () => void (runEvent && surface?.notifyRun(thread, runEvent)),
  };
}

/**
 * Notifies people that this process doesn't have the thread's graph, once per waiting message. Everything
 * else stays for a process that does: the active run, its open request, the conversation.
 */
export async function refuseUnknownGraph(
  ports: ItemPorts & Pick<ThreadPorts, 'log'>,
  thread: ThreadRecord,
  fence: Fence,
): Promise<void> {
  const { threadId, graph } = thread;
  ports.log.error({ threadId, graph }, 'unknown graph: the thread is left as it is');
  for (const { id } of await openItems(ports.store, threadId)) {
    const refused = { state: 'failed', response: unknownGraph(graph) } as const;
    await updateItem(ports, fence, thread, { itemId: id, from: ['queued', 'held'], change: refused });
  }
}

/**
 * Decides calls with a message in the state `from`. The decisions are committed with the end of the message,
 * so that it is used exactly once.
 * @throws RefusalError when a call can't be decided like this, or the message is in another state by now.
 */
export async function decideByMessage(
  ports: ItemPorts & Pick<ThreadPorts, 'gate'>,
  { thread, item, from }: MessageUse,
  inputs: readonly DecisionInput[],
  actor: Actor,
): Promise<void> {
  const usedAs = inputs.some(({ type }) => type === 'answer') ? 'answer' : 'feedback';
  await ports.gate.decisions.decide(inputs, actor, {
    also: async () => {
      const change = { state: 'answered', usedAs } as const;
      const changed = await prepareUpdate(ports, thread, { itemId: item.itemId, from: [from], change });
      if (!changed) throw nothingWaits();
      return changed;
    },
  });
}

/** Ends a held message as a comment: nothing is done with it, and its notice says so. */
export async function dropHeld(ports: ItemPorts, thread: ThreadRecord, itemId: string): Promise<void> {
  await endHeld(ports, thread, itemId, { change: { state: 'answered', usedAs: 'comment' } });
}

async function endHeld(
  ports: ItemPorts,
  thread: ThreadRecord,
  itemId: string,
  update: Pick<ItemUpdate, 'change' | 'also'>,
): Promise<void> {
  for (;;) {
    const changed = await prepareUpdate(ports, thread, {
      ...update,
      itemId,
      from: ['held'],
      // Whoever waits for the request goes on waiting.
      event: (item) => ({ type: 'held', item }),
    });
    if (!changed) throw nothingWaits();
    const { expect, put: puts } = changed;
    if ((await ports.store.commit({ expect, put: puts })).committed) return changed.notify();
  }
}

/**
 * Begins a thread, under the id `beside`, that answers a held message beside its own, which goes on waiting. It has the same
 * place and graph.
 */
export async function runBeside(
  ports: ItemPorts,
  thread: ThreadRecord,
  { item, beside }: { readonly item: MailboxItem; readonly beside: string },
): Promise<void> {
  const { threadId, surface, graph } = thread;
  const own: MailboxItem = { ...item, itemId: besideItemId(item.itemId), threadId: beside, state: 'queued' };
  const besides = { threadId, itemId: item.itemId };
  await endHeld(ports, thread, item.itemId, {
    change: { state: 'beside', usedAs: 'beside', beside },
    also: () => [
      openThread({ threadId: beside, surface, graph, besides }, ports.clock),
      put(mailbox, own.itemId, own),
      markWork(beside, ports.clock),
    ],
  });
}

interface MessageUse {
  readonly thread: ThreadRecord;
  readonly item: MailboxItem;
  readonly from: MailboxItem['state'];
}

export function nothingWaits(): RefusalError {
  return new RefusalError('already_decided', NOTHING_WAITS);
}

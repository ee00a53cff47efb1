import type { Gate } from '../gate/index.ts';
import type { Actor, DecisionInput, ExtraWrites } from '../gate/types.ts';
import { RefusalError } from '../gate/types.ts';
import { assertFenced } from '../storage/lease/fence.ts';
import type { Fence } from '../storage/lease/types.ts';
import { type Put, put, type Store, unchanged } from '../storage/store.ts';
import { type MailboxItem, mailbox, type ThreadRecord } from './collections.ts';
import { openItems, toRunEvent } from './mailbox.ts';
import type { Facts } from './next-step.ts';
import type { RunEvent } from './ports.ts';
import { findSurface, type Surface } from './surface.ts';
import { NOTHING_WAITS } from './texts.ts';

export interface ThreadPorts {
  readonly store: Store;
  readonly gate: Gate;
  readonly surfaces: readonly Surface[];
  readonly log: { error(details: object, message: string): void };
}

/** The records that a thread's next step depends on. */
export type ThreadState = Pick<Facts, 'request' | 'calls' | 'items'>;

export async function readThreadState({ store, gate }: ThreadPorts, threadId: string): Promise<ThreadState> {
  const [{ request, calls }, items] = await Promise.all([
    readOpenRequest(gate, threadId),
    openItems(store, threadId),
  ]);
  return { request, calls, items: items.map((item) => item.value) };
}

/** The request that a thread waits on, with its calls; null if none is open. */
async function readOpenRequest({ requests, calls }: Gate, threadId: string) {
  const request = await requests.openIn(threadId);
  const found = request ? await calls.inThread(threadId, request.callIds) : [];
  return { request, calls: found.filter((call) => call !== null) };
}

/** The message in work, if any. */
export function findRunning(items: readonly MailboxItem[]): MailboxItem | null {
  return items.find(({ state }) => state === 'running') ?? null;
}

type ItemPorts = Pick<ThreadPorts, 'store' | 'surfaces'>;

/** An update of a message's record. */
export interface ItemUpdate {
  readonly itemId: string;
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
): Promise<MailboxItem | null> {
  for (;;) {
    const changed = await prepareUpdate(ports, thread, update);
    if (!changed) return null;
    const expect = [...changed.expect, fence.expectation];
    const { committed } = await ports.store.commit({ expect, put: changed.put });
    if (!committed) {
      await assertFenced(ports, fence);
      continue;
    }
    changed.notify();
    return changed.item;
  }
}

async function prepareUpdate(
  ports: ItemPorts,
  thread: ThreadRecord,
  { itemId, from, change, event = toRunEvent, also }: ItemUpdate,
): Promise<ItemChange | null> {
  const stored = await ports.store.get(mailbox, itemId);
  if (!stored || !from.includes(stored.value.state)) return null;
  const item: MailboxItem = { ...stored.value, ...change };
  if (stored.value.state === 'held') item.wasHeld = true;
  const runEvent = event(item);
  const surface = findSurface(ports.surfaces, thread);
  return {
    item,
    expect: [unchanged(mailbox, stored)],
    put: [
      put(mailbox, itemId, item),
      ...((runEvent && surface?.announceRun(thread, runEvent)) ?? []),
      ...(also?.() ?? []),
    ],
    notify: () => void (runEvent && surface?.notifyRun(thread, runEvent)),
  };
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

interface MessageUse {
  readonly thread: ThreadRecord;
  readonly item: MailboxItem;
  readonly from: MailboxItem['state'];
}

export function nothingWaits(): RefusalError {
  return new RefusalError('already_decided', NOTHING_WAITS);
}

import type { Clock } from '../lib/clock.ts';
import { type Change, put, type Store, unchanged } from '../storage/store.ts';
import { type MailboxItem, mailbox, type ThreadRecord } from './collections.ts';
import { markWork, openItems } from './mailbox.ts';
import type { RunInput, Side } from './ports.ts';

interface BesidePorts {
  readonly store: Store;
  readonly clock: Clock;
}

/**
 * The change that lets what was said beside a thread join it, once the message has its end, or has the thread look whose
 * plan's task it was; nothing in other threads.
 */
export async function endBeside(
  { store, clock }: BesidePorts,
  { besides, task }: ThreadRecord,
  itemId: string,
): Promise<Pick<Change, 'expect' | 'put'>> {
  if (task) return { put: [markWork(task.threadId, clock)] };
  const stored = besides && (await store.get(mailbox, besides.itemId));
  if (stored?.value.state !== 'beside' || itemId !== besideItemId(stored.id)) return {};
  const item: MailboxItem = { ...stored.value, state: 'queued' };
  return {
    expect: [unchanged(mailbox, stored)],
    put: [put(mailbox, stored.id, item), markWork(item.threadId, clock)],
  };
}

/** A message's id in the thread that answers it beside its own. */
export function besideItemId(itemId: string): string {
  return `${itemId}~`;
}

/** The thread `beside`, which answers the message `itemId` of another thread. */
export function toSide(beside: string, itemId: string): Side {
  return { threadId: beside, itemId: besideItemId(itemId) };
}

/** The conversation that a thread's own begins with, if it answers a message beside another; nothing in other threads. */
export async function readBesides(
  store: Store,
  { besides }: ThreadRecord,
): Promise<Pick<RunInput & { readonly kind: 'message' }, 'besides'>> {
  if (!besides) return {};
  const items = await openItems(store, besides.threadId);
  const ended = items.flatMap(({ value: { state, beside, itemId } }) =>
    state === 'queued' && beside !== undefined ? [toSide(beside, itemId)] : [],
  );
  return { besides: { threadId: besides.threadId, ended } };
}

import type { Gate } from '../gate/index.ts';
import type { Actor, DecisionInput, ExtraWrites } from '../gate/types.ts';
import { RefusalError } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import { assertFenced } from '../storage/lease/fence.ts';
import type { Fence } from '../storage/lease/types.ts';
import { put, type Store, unchanged } from '../storage/store.ts';
import { type MailboxItem, mailbox, type ThreadRecord } from './collections.ts';
import { eventOf, openItems } from './mailbox.ts';
import type { Facts } from './next-step.ts';
import type { Agent, RunEvent } from './ports.ts';
import { findSurface, type Surface } from './surface.ts';

export interface ThreadPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly agent: Agent;
  readonly surfaces: readonly Surface[];
}

/** Reads what the next step depends on. */
export async function survey(
  { store, gate, agent, surfaces }: ThreadPorts,
  thread: ThreadRecord,
  sending: ReadonlySet<string>,
): Promise<Facts> {
  const [request, { items, state }] = await Promise.all([
    gate.requests.openIn(thread.threadId),
    openItems(store, thread.threadId).then(async (items) => {
      const running = items.find(({ value }) => value.state === 'running');
      return { items, state: await agent.inspect(thread.threadId, running?.value.actor ?? null) };
    }),
  ]);
  const calls = request ? await gate.calls.inThread(thread.threadId, request.callIds) : [];
  return {
    thread,
    newMessage: findSurface(surfaces, thread)?.newMessage ?? 'hold',
    request,
    calls: calls.filter((call) => call !== null),
    sending,
    agent: state,
    items: items.map((item) => item.value),
  };
}

type ItemPorts = Pick<ThreadPorts, 'store' | 'surfaces'>;

/** The change of a message's record, with what tells people of it, to be committed. */
interface ItemChange extends ExtraWrites {
  readonly item: MailboxItem;
}

/**
 * Changes a message's record and tells people, in one commit. Returns the record as it is after; it is
 * left alone when it is no longer in one of the states `from`. Throws FencedError when another worker has
 * the thread.
 */
export async function updateItem(
  ports: ItemPorts,
  fence: Fence,
  thread: ThreadRecord,
  itemId: string,
  from: readonly MailboxItem['state'][],
  change: Partial<MailboxItem>,
  event: (item: MailboxItem) => RunEvent | null = eventOf,
): Promise<MailboxItem | null> {
  for (;;) {
    const changed = await changeOf(ports, thread, itemId, from, change, event);
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

async function changeOf(
  ports: ItemPorts,
  thread: ThreadRecord,
  itemId: string,
  from: readonly MailboxItem['state'][],
  change: Partial<MailboxItem>,
  event: (item: MailboxItem) => RunEvent | null,
): Promise<ItemChange | null> {
  const stored = await ports.store.get(mailbox, itemId);
  if (!stored || !from.includes(stored.value.state)) return null;
  const item = { ...stored.value, ...change };
  const told = event(item);
  const surface = findSurface(ports.surfaces, thread);
  return {
    item,
    expect: [unchanged(mailbox, stored)],
    put: [put(mailbox, itemId, item), ...((told && surface?.announceRun(thread, told)) ?? [])],
    notify: () => void (told && surface?.notifyRun(thread, told)),
  };
}

/**
 * Decides calls by what a message in the state `from` says. The decisions land with the end of the message,
 * or not at all, so that it is used once whatever happens.
 * @throws RefusalError when a call cannot be decided like this, or the message is in another state by now.
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
      const used = { state: 'answered', usedAs } as const;
      const changed = await changeOf(ports, thread, item.itemId, [from], used, eventOf);
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
  return new RefusalError('already_decided', 'Nothing waits here any more. Nothing was changed.');
}

/** What people are told of a run that was stopped, with the calls of it that may have happened. */
export async function stopInWords(
  { gate }: Pick<ThreadPorts, 'gate'>,
  { thread, request }: Facts,
  by: Actor,
): Promise<string> {
  const calls = request ? await gate.calls.inThread(thread.threadId, request.callIds) : [];
  const unclear = calls.flatMap((call) => (call?.state === 'in_doubt' ? [`“${call.tool.title}”`] : []));
  const stopped = `Stopped by ${by.name}. What had already run is not undone.`;
  return unclear.length === 0 ? stopped : `${stopped} It is unclear whether ${unclear.join(', ')} happened.`;
}

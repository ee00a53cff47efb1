import type { Actor } from '../gate/types.ts';
import type { Put } from '../storage/store.ts';
import { type MailboxItem, mailbox, type ThreadRecord, threads } from './collections.ts';
import { Dispatcher, type DispatcherPorts } from './dispatcher.ts';
import { createHeldMessages } from './held-messages.ts';
import { askToStop, forgetEvents, type IncomingMessage, markWork, openItems, receive } from './mailbox.ts';

/** Whoever wrote none of so many newest messages of a thread has to address the bot again. */
const REMEMBERED_ITEMS = 200;
/** Unfinished messages of one person that are listed. */
const LISTED_ITEMS = 200;

export type RunsPorts = DispatcherPorts;

/** Threads, their mailboxes, and the work on them. */
export function createRuns(ports: RunsPorts) {
  const dispatcher = new Dispatcher(ports);
  return {
    ...createWork(ports, dispatcher),
    ...createMailbox(ports, dispatcher),
    ...createHeldMessages(ports),
  };
}
export type Runs = ReturnType<typeof createRuns>;

function createWork({ clock, wakeUps }: RunsPorts, dispatcher: Dispatcher) {
  return {
    start: () => dispatcher.start(),
    /** As {@link Dispatcher.sweep}: done at start and every few seconds. */
    sweep: () => dispatcher.sweep(),
    /** As {@link Dispatcher.stop}; `withinMs` null waits as long as it takes. */
    stop: (withinMs: number | null = null) => dispatcher.stop(withinMs),
    /** Resolves when this process works on nothing: for tests and for drain. */
    idle: () => dispatcher.idle(),
    /** The write that makes a thread be looked at; to be committed with the reason for it. */
    markWork: (threadId: string): Put => markWork(threadId, clock),
    wake: (threadId: string): void => wakeUps.wake(threadId),
  };
}

function createMailbox(ports: RunsPorts, dispatcher: Dispatcher) {
  const { store } = ports;
  return {
    /** Makes a message durable and starts on it. False when it was received before. */
    async receive(message: IncomingMessage): Promise<boolean> {
      const isNew = await receive(ports, message);
      ports.wakeUps.wake(message.threadId);
      return isNew;
    },

    /**
     * Stops what a thread works on: what waits is cancelled, what is being sent is aborted and in doubt.
     * False when nothing runs, or `eventId` has stopped something before. Throws RefusalError for anybody but
     * the person for whom it runs.
     */
    async cancel(threadId: string, actor: Actor, eventId?: string): Promise<boolean> {
      const item = await ports.gate.audit.watch({ actor, attempt: 'stop', threadId }, () =>
        askToStop(ports, threadId, actor, eventId),
      );
      if (!item) return false;
      dispatcher.stopRun(threadId, item.itemId);
      // What waits must not be decided any more from now on, whenever a worker comes to it.
      const request = await ports.gate.requests.openIn(threadId);
      if (request) await ports.gate.requests.cancel(request.requestId, actor, { as: 'cancelled' });
      ports.wakeUps.wake(threadId);
      return true;
    },

    async item(itemId: string): Promise<MailboxItem | null> {
      return (await store.get(mailbox, itemId))?.value ?? null;
    },
    async thread(threadId: string): Promise<ThreadRecord | null> {
      return (await store.get(threads, threadId))?.value ?? null;
    },
    /** Whether this person wrote one of the thread's newest messages. */
    async hasWritten(threadId: string, actorId: string): Promise<boolean> {
      const newest = { prefix: [threadId], descending: true };
      const page = await store.query(mailbox, 'byThread', newest, REMEMBERED_ITEMS);
      return page.items.some((item) => item.value.actor.id === actorId);
    },
    async openItems(threadId: string): Promise<readonly MailboxItem[]> {
      return (await openItems(store, threadId)).map((item) => item.value);
    },
    /** What somebody wrote and is not done yet, oldest first. */
    async openItemsOf(actorId: string): Promise<readonly MailboxItem[]> {
      const page = await store.query(mailbox, 'openByActor', { prefix: [actorId] }, LISTED_ITEMS);
      return page.items.map((item) => item.value);
    },

    /** As {@link forgetEvents}. */
    forgetEvents: (before: number, limit: number): Promise<number> => forgetEvents(store, before, limit),
  };
}

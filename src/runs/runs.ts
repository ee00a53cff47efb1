import { type Actor, ownsRequest } from '../gate/types.ts';
import { readQueueDepth } from '../storage/queue-depth.ts';
import { reindex } from '../storage/reindex.ts';
import type { Change, Put } from '../storage/store.ts';
import {
  DEFAULT_GRAPH,
  type MailboxItem,
  mailbox,
  type ThreadRecord,
  teamPlans,
  threads,
} from './collections.ts';
import { Dispatcher, type DispatcherPorts } from './dispatcher.ts';
import { createHeldMessages } from './held-messages.ts';
import {
  askToStop,
  dropUnbegun,
  forgetEvents,
  type IncomingMessage,
  markWork,
  openItems,
  openThread,
  receive,
  receiveAgain,
  type StopOptions,
} from './mailbox.ts';
import type { AgentName } from './ports.ts';
import { findAccount } from './surface.ts';
import { stopTasks } from './team/stop.ts';
import { readTasks } from './team/tasks.ts';
import { readTeamView, type TeamView } from './team/view.ts';
import { readWaits } from './team/waits.ts';
import type { LimitReached } from './texts.ts';

/**
 * How many of a thread's newest messages are searched: whoever wrote none of them must address the bot again.
 */
const REMEMBERED_ITEMS = 200;
/** The most unfinished messages of one person that are listed. */
const LISTED_ITEMS = 200;

type RunsPorts = DispatcherPorts;

/** Threads, their mailboxes, and the work on them. */
export function createRuns(ports: RunsPorts) {
  const dispatcher = new Dispatcher(ports);
  return {
    ...createWork(ports, dispatcher),
    ...createMailbox(ports, dispatcher),
    ...createReadings(ports),
    ...createHeldMessages(ports),
  };
}
export type Runs = ReturnType<typeof createRuns>;

function createWork({ clock, wakeUps }: RunsPorts, dispatcher: Dispatcher) {
  return {
    start: () => dispatcher.start(),
    /** See {@link Dispatcher.sweep}: runs at start and every few seconds. */
    sweep: () => dispatcher.sweep(),
    /** See {@link Dispatcher.stop}; `withinMs` null waits as long as it takes. */
    stop: (withinMs: number | null = null) => dispatcher.stop(withinMs),
    inflightCalls: () => dispatcher.inflightCalls(),
    /** How many threads this process has under lease. */
    threads: () => dispatcher.threads,
    /** Resolves when this process works on nothing; for tests and for draining. */
    idle: () => dispatcher.idle(),
    /** The write that marks a thread as having work; commit it with the cause. */
    markWork: (threadId: string): Put => markWork(threadId, clock),
    wake: (threadId: string): void => wakeUps.wake(threadId),
    /** See {@link openThread}; commit it with what there is to do. */
    openThread: (thread: Parameters<typeof openThread>[0]): Put => openThread(thread, clock),
  };
}

function createMailbox(ports: RunsPorts, dispatcher: Dispatcher) {
  /** Whether people have to decide before anything more runs for this person in the thread. */
  async function waitsForPeople(threadId: string, actor: Actor): Promise<boolean> {
    const { waits, goesOn } = await readWaits(ports, threadId);
    return !goesOn && waits.every(({ request }) => ownsRequest(request, actor));
  }

  /** The thread beside this one in which something runs for this person; else this one. */
  async function atWork(threadId: string, actor: Actor): Promise<string> {
    for (const { value } of await openItems(ports.store, threadId)) {
      if (value.state !== 'beside' || value.beside === undefined || value.actor.id !== actor.id) continue;
      const beside = await atWork(value.beside, actor);
      if (!(await waitsForPeople(beside, actor))) return beside;
    }
    return threadId;
  }

  return {
    /**
     * Makes a message durable and starts on it. False when it was received before, or when a precondition of `also` failed,
     * which is committed with it. A prompt brings its own.
     */
    async receive(message: IncomingMessage, also?: Change): Promise<boolean> {
      const { prompt, threadId, itemId, graph: agent = DEFAULT_GRAPH } = message;
      const ofPrompt = prompt && ports.gate.risk.beginWithPrompt({ ...prompt, threadId, itemId, agent });
      const received = await receive(ports, message, also ?? ofPrompt);
      ports.wakeUps.wake(threadId, received ?? undefined);
      return received !== null;
    },

    /** See {@link receiveAgain}. */
    async receiveAgain(itemId: string, actor: Actor): Promise<void> {
      const { threadId, received } = await receiveAgain(ports, itemId, actor);
      ports.wakeUps.wake(threadId, received ?? undefined);
    },

    /**
     * Stops a thread's run: waiting calls are cancelled, calls in flight are aborted and in doubt. False when
     * nothing runs, or `eventId` has stopped something before. Throws RefusalError for anybody but the person
     * whose run it is.
     */
    async cancel(threadId: string, actor: Actor, options: StopOptions = {}): Promise<boolean> {
      const item = await ports.gate.audit.watch({ actor, attempt: 'stop', threadId }, () =>
        askToStop(ports, threadId, actor, options),
      );
      if (!item) return false;
      dispatcher.stopRun(item);
      // Waiting calls must not be decided from now on, whenever a worker gets to them.
      const request = await ports.gate.requests.openIn(threadId);
      if (request) await ports.gate.requests.cancel(request.requestId, actor, { as: 'cancelled' });
      const plan = (await ports.store.get(teamPlans, item.itemId))?.value.plan;
      const tasks = plan ? await readTasks(ports.store, item, plan) : [];
      for (const id of await stopTasks(ports, tasks, actor)) ports.wakeUps.wake(id);
      ports.wakeUps.wake(threadId);
      return true;
    },

    /** See {@link dropUnbegun}. */
    async drop(
      threadId: string,
      actor: Actor,
      options: Pick<StopOptions, 'note' | 'only'> = {},
    ): Promise<readonly MailboxItem[]> {
      const dropped = await dropUnbegun(ports, threadId, actor, options);
      if (dropped.length > 0) ports.wakeUps.wake(threadId);
      return dropped;
    },

    waitsForPeople,
    atWork,
  };
}

/** What is on record of threads and their messages. */
function createReadings(ports: RunsPorts) {
  const { store } = ports;
  return {
    async item(itemId: string): Promise<MailboxItem | null> {
      return (await store.get(mailbox, itemId))?.value ?? null;
    },
    /** See {@link readTeamView}. */
    async team(itemId: string): Promise<TeamView | null> {
      const item = (await store.get(mailbox, itemId))?.value;
      return item ? readTeamView(ports, item) : null;
    },
    /** See {@link readWaits}. */
    waits: (threadId: string) => readWaits(ports, threadId),
    /** Whether conversations can be with this agent here: the team only where its agents are declared. */
    hasAgent: (agent: AgentName): boolean => ports.agents.has(agent),
    async thread(threadId: string): Promise<ThreadRecord | null> {
      return (await store.get(threads, threadId))?.value ?? null;
    },
    /** A thread's first messages, oldest first, at most `limit`. */
    async messages(threadId: string, limit: number): Promise<readonly MailboxItem[]> {
      const page = await store.query(mailbox, 'byThread', { prefix: [threadId] }, limit);
      return page.items.map((item) => item.value);
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
    /** A person's unfinished messages, oldest first. */
    async openItemsByActor(actorId: string): Promise<readonly MailboxItem[]> {
      const page = await store.query(mailbox, 'openByActor', { prefix: [actorId] }, LISTED_ITEMS);
      return page.items.map((item) => item.value);
    },

    /** Puts messages of an earlier version where `queues` finds them; returns how many. Runs at start. */
    migrate: () => reindex(ports, { collection: mailbox, index: 'open' }),

    /** What waits for a worker, or is with one, over all processes; `held`: until people have decided something else. */
    async queues() {
      const depth = (state: MailboxItem['state']) =>
        readQueueDepth(
          store,
          { collection: mailbox, index: 'openByState', range: { prefix: [state] } },
          ({ receivedAt }) => receivedAt,
        );
      const [messages, held, running, calls, people] = await Promise.all([
        depth('queued'),
        depth('held'),
        depth('running'),
        ports.gate.calls.unsent(),
        ports.gate.calls.waiting(),
      ]);
      return { messages, held, running, people, calls };
    },

    /** Why this person's message would not be worked on now; null if it would. */
    findReachedLimit: (
      thread: Pick<ThreadRecord, 'threadId' | 'surface'>,
      actor: Actor,
    ): Promise<LimitReached | null> => ports.limits.findReached(findAccount(ports.surfaces, thread, actor)),

    /** See {@link forgetEvents}. */
    forgetEvents: (before: number, limit: number): Promise<number> => forgetEvents(store, before, limit),
  };
}

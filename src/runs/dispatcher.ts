import { setTimeout as after } from 'node:timers/promises';
import type { Actor, CallRecord, RequestRecord } from '../gate/types.ts';
import { callKey } from '../gate/types.ts';
import { errorMessage, FencedError } from '../lib/errors.ts';
import { scanIndex, withoutSchema } from '../storage/scan.ts';
import type { Put } from '../storage/store.ts';
import { type MailboxItem, mailbox, type ThreadRecord, threads, work } from './collections.ts';
import { askToStop, forgetEvents, type IncomingMessage, markWork, openItems, receive } from './mailbox.ts';
import type { WakeUps } from './ports.ts';
import { decideByMessage, nothingWaits } from './thread-state.ts';
import { type Shift, startShift, type WorkerPorts } from './worker.ts';

/** How often the sweep looks for what no wake-up told of, in milliseconds. */
const SWEEP_MS = 15_000;
/** How often threads that are worked on here are looked at for marks of other processes, in milliseconds. */
const MARKS_MS = 1_000;
/** Whoever wrote none of so many newest messages of a thread has to address the bot again. */
const REMEMBERED_ITEMS = 200;
/** Threads that one process works on at the same time; the rest waits for a place. */
const MAX_SHIFTS = 64;

export interface RunsPorts extends WorkerPorts {
  readonly wakeUps: WakeUps;
}

/** Threads, their mailboxes, and the work on them. */
export function createRuns(ports: RunsPorts) {
  const shifts = new Map<string, Shift>();
  const waiting = new Set<string>();
  const timers: NodeJS.Timeout[] = [];
  /** Versions of the marks at the last look, by thread. */
  let seenMarks = new Map<string, number>();
  let stopped = false;

  function take(threadId: string): void {
    if (stopped) return;
    const active = shifts.get(threadId);
    if (active) active.nudge();
    if (active || shifts.size >= MAX_SHIFTS) {
      waiting.add(threadId);
      return;
    }
    waiting.delete(threadId);
    const shift = startShift(ports, threadId);
    shifts.set(threadId, shift);
    shift.done
      .catch((error: unknown) => {
        if (error instanceof FencedError) return;
        ports.log.error({ threadId, err: error }, `work on a thread stopped: ${errorMessage(error)}`);
      })
      .finally(() => {
        shifts.delete(threadId);
        for (const next of waiting) {
          if (shifts.size >= MAX_SHIFTS) break;
          take(next);
        }
      });
  }

  /** Each part by itself: whatever keeps one from its end must not keep threads from being taken up. */
  async function sweep(): Promise<void> {
    const found = new Set<string>();
    await part('what nobody decided in time', () => ports.gate.requests.expire());
    await part('reminders', () => ports.gate.requests.escalate());
    await part('threads with unfinished calls', async () => {
      for (const threadId of await ports.gate.calls.unfinishedThreads()) found.add(threadId);
    });
    await part('threads with something to do', async () => {
      for await (const { id } of scanIndex(ports.store, withoutSchema(work), 'since', {})) found.add(id);
    });
    for (const threadId of found) take(threadId);
  }

  async function part(name: string, look: () => Promise<unknown>): Promise<void> {
    await look().catch((error: unknown) =>
      ports.log.error({ err: error, part: name }, `a part of the sweep failed; it runs again: ${name}`),
    );
  }

  /** Nobody else can take a thread that is worked on here, so that what others mark has to be noticed. */
  async function lookAtMarks(): Promise<void> {
    const active = [...shifts.keys()];
    if (active.length === 0) return;
    const marks = (await ports.store.getMany(work, active)).filter((mark) => mark !== null);
    for (const { id, version } of marks) {
      if (seenMarks.get(id) !== version) shifts.get(id)?.nudge();
    }
    seenMarks = new Map(marks.map(({ id, version }) => [id, version]));
  }

  return {
    start(): void {
      ports.wakeUps.subscribe(take);
      void sweep();
      timers.push(setInterval(sweep, SWEEP_MS));
      // A store that cannot be read now is read again in a moment.
      timers.push(setInterval(() => lookAtMarks().catch(() => undefined), MARKS_MS));
    },

    /**
     * Finds everything that has something to do, whoever knew of it: run at start and every few seconds. Never
     * rejects: what could not be looked for is told of in the log, and looked for the next time.
     */
    sweep,

    /**
     * Takes no new work, and waits until what runs has come to a durable point, for at most `withinMs`
     * milliseconds. What is left to do is told to other processes.
     */
    async stop(withinMs: number | null = null): Promise<void> {
      stopped = true;
      for (const timer of timers) clearInterval(timer);
      const left = new Set([...shifts.keys(), ...waiting]);
      for (const shift of shifts.values()) shift.drain();
      const drained = Promise.allSettled([...shifts.values()].map((shift) => shift.done));
      await (withinMs === null
        ? drained
        : Promise.race([drained, after(withinMs, undefined, { ref: false })]));
      for (const threadId of left) ports.wakeUps.wake(threadId);
    },

    /** Resolves when this process works on nothing: for tests and for drain. */
    async idle(): Promise<void> {
      while (shifts.size > 0) await Promise.allSettled([...shifts.values()].map((shift) => shift.done));
    },

    /** The write that makes a thread be looked at; to be committed with the reason for it. */
    markWork: (threadId: string): Put => markWork(threadId, ports.clock),
    wake: (threadId: string): void => ports.wakeUps.wake(threadId),

    /** Makes a message durable and starts on it. False when it was received before. */
    async receive(message: IncomingMessage): Promise<boolean> {
      const isNew = await receive(ports, message);
      ports.wakeUps.wake(message.threadId);
      return isNew;
    },

    /** As {@link forgetEvents}. */
    forgetEvents: (before: number, limit: number): Promise<number> =>
      forgetEvents(ports.store, before, limit),

    async item(itemId: string): Promise<MailboxItem | null> {
      return (await ports.store.get(mailbox, itemId))?.value ?? null;
    },
    async thread(threadId: string) {
      return (await ports.store.get(threads, threadId))?.value ?? null;
    },
    /** Whether this person wrote one of the thread's newest messages. */
    async hasWritten(threadId: string, actorId: string): Promise<boolean> {
      const newest = { prefix: [threadId], descending: true };
      const page = await ports.store.query(mailbox, 'byThread', newest, REMEMBERED_ITEMS);
      return page.items.some((item) => item.value.actor.id === actorId);
    },
    async openItems(threadId: string): Promise<readonly MailboxItem[]> {
      return (await openItems(ports.store, threadId)).map((item) => item.value);
    },

    /** What somebody wrote and is not done yet, oldest first. */
    async openItemsOf(actorId: string): Promise<readonly MailboxItem[]> {
      const page = await ports.store.query(mailbox, 'openByActor', { prefix: [actorId] }, 200);
      return page.items.map((item) => item.value);
    },

    /** Rejects what waits in the thread with a held message's text as the feedback. */
    async useAsFeedback(itemId: string, actor: Actor): Promise<void> {
      const held = await heldItem(itemId);
      await decideByHeld(held, await undecided(held, 'tool'), 'reject', actor);
    },

    /** Answers the question that waits in the thread with a held message's text. */
    async useAsAnswer(itemId: string, actor: Actor): Promise<void> {
      const held = await heldItem(itemId);
      const [question, ...others] = await undecided(held, 'question');
      await decideByHeld(held, question && others.length === 0 ? [question] : [], 'answer', actor);
    },

    /** Withdraws what waits in the thread, so that a held message has its turn. */
    async withdrawFor(itemId: string, actor: Actor): Promise<void> {
      const { request } = await heldItem(itemId);
      await ports.gate.requests.withdraw(request.requestId, actor);
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
      shifts.get(threadId)?.stop(item.itemId);
      // What waits must not be decided any more from now on, whenever a worker comes to it.
      const request = await ports.gate.requests.openIn(threadId);
      if (request) await ports.gate.requests.cancel(request.requestId, actor, { as: 'cancelled' });
      ports.wakeUps.wake(threadId);
      return true;
    },
  };

  async function heldItem(itemId: string): Promise<HeldItem> {
    const item = (await ports.store.get(mailbox, itemId))?.value;
    const thread = item ? (await ports.store.get(threads, item.threadId))?.value : null;
    const request = item ? await ports.gate.requests.openIn(item.threadId) : null;
    if (item?.state !== 'held' || !thread || !request) throw nothingWaits();
    return { thread, item, request };
  }

  async function undecided({ item, request }: HeldItem, kind: CallRecord['kind']): Promise<CallRecord[]> {
    const calls = await ports.gate.calls.inThread(item.threadId, request.callIds);
    return calls
      .filter((call) => call !== null)
      .filter((call) => call.state === 'pending' && call.kind === kind);
  }

  async function decideByHeld(
    { thread, item }: HeldItem,
    calls: readonly CallRecord[],
    type: 'reject' | 'answer',
    actor: Actor,
  ): Promise<void> {
    if (calls.length === 0) throw nothingWaits();
    const decisions = calls.map(({ threadId, callId }) => {
      return { callKey: callKey(threadId, callId), digest: null, type, feedback: item.text };
    });
    await decideByMessage(ports, { thread, item, from: 'held' }, decisions, actor);
  }
}
export type Runs = ReturnType<typeof createRuns>;

/** A message that is kept until what waits in its thread has ended. */
interface HeldItem {
  readonly thread: ThreadRecord;
  readonly item: MailboxItem;
  readonly request: RequestRecord;
}

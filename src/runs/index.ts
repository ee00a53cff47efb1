import { setTimeout as after } from 'node:timers/promises';
import { FencedError, messageOf } from '../errors.ts';
import { RefusalError } from '../gate/decisions.ts';
import { callKey } from '../gate/index.ts';
import { everyOf } from '../gate/pages.ts';
import type { Actor, RequestRecord } from '../gate/types.ts';
import type { Put } from '../storage/store.ts';
import { askToStop, type IncomingMessage, markWork, openItems, receive } from './mailbox.ts';
import type { WakeUps } from './ports.ts';
import { type MailboxItem, mailbox, threads, work } from './records.ts';
import { updateItem } from './thread.ts';
import { type Shift, startShift, type WorkerPorts } from './worker.ts';

/** How often the sweep looks for what no wake-up told of, in milliseconds. */
const SWEEP_MS = 15_000;
/** How often threads that are worked on here are looked at for marks of other processes, in milliseconds. */
const MARKS_MS = 1_000;
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
        ports.log.error({ threadId, err: error }, `work on a thread stopped: ${messageOf(error)}`);
      })
      .finally(() => {
        shifts.delete(threadId);
        for (const next of waiting) {
          if (shifts.size >= MAX_SHIFTS) break;
          take(next);
        }
      });
  }

  async function sweep(): Promise<void> {
    await ports.gate.expire();
    const found = new Set(await ports.gate.unfinishedThreads());
    for await (const { id } of everyOf(ports.store, work, 'since', {})) found.add(id);
    for (const threadId of found) take(threadId);
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
      const safely = () =>
        sweep().catch((error: unknown) => ports.log.error({ err: error }, 'the sweep failed; it runs again'));
      void safely();
      timers.push(setInterval(safely, SWEEP_MS));
      // A store that cannot be read now is read again in a moment.
      timers.push(setInterval(() => lookAtMarks().catch(() => undefined), MARKS_MS));
    },

    /** Finds everything that has something to do, whoever knew of it: run at start and every few seconds. */
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

    async item(itemId: string): Promise<MailboxItem | null> {
      return (await ports.store.get(mailbox, itemId))?.value ?? null;
    },
    async thread(threadId: string) {
      return (await ports.store.get(threads, threadId))?.value ?? null;
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
      const { item, request } = await heldItem(itemId);
      const calls = (await ports.gate.callsOf(item.threadId, request.callIds)).filter(
        (call) => call?.state === 'pending' && call.kind === 'tool',
      );
      if (calls.length === 0) throw nothingWaits();
      await ports.gate.decide(
        calls.flatMap((call) =>
          call
            ? {
                callKey: callKey(call.threadId, call.callId),
                digest: null,
                type: 'reject',
                feedback: item.text,
              }
            : [],
        ),
        actor,
      );
      const thread = await ports.store.get(threads, item.threadId);
      if (thread) await updateItem(ports, thread.value, itemId, ['held'], { state: 'answered' });
    },

    /** Withdraws what waits in the thread, so that a held message has its turn. */
    async withdrawFor(itemId: string, actor: Actor): Promise<void> {
      const { request } = await heldItem(itemId);
      if (request.requester.id !== actor.id) {
        const { name } = request.requester;
        throw new RefusalError('not_allowed', `Only ${name} may withdraw this. Nothing was changed.`);
      }
      await ports.gate.withdraw(request.requestId, 'cancelled', actor);
    },

    /**
     * Stops what a thread works on: what waits is cancelled, what is being sent is aborted and in doubt.
     * False when nothing runs. Throws RefusalError for anybody but the person for whom it runs.
     */
    async cancel(threadId: string, actor: Actor): Promise<boolean> {
      const item = await askToStop(ports, threadId, actor);
      if (!item) return false;
      shifts.get(threadId)?.stop(item.itemId);
      // What waits must not be decided any more from now on, whenever a worker comes to it.
      const request = await ports.gate.openRequest(threadId);
      if (request) await ports.gate.withdraw(request.requestId, 'cancelled', actor);
      ports.wakeUps.wake(threadId);
      return true;
    },
  };

  async function heldItem(itemId: string): Promise<{ item: MailboxItem; request: RequestRecord }> {
    const item = (await ports.store.get(mailbox, itemId))?.value;
    const request = item ? await ports.gate.openRequest(item.threadId) : null;
    if (item?.state !== 'held' || !request) {
      throw nothingWaits();
    }
    return { item, request };
  }
}
export type Runs = ReturnType<typeof createRuns>;

function nothingWaits(): RefusalError {
  return new RefusalError('already_decided', 'Nothing waits here any more. Nothing was changed.');
}

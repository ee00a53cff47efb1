import { setTimeout as after } from 'node:timers/promises';
import { errorMessage, FencedError } from '../lib/errors.ts';
import { createPeriodic, type Periodic } from '../lib/periodic.ts';
import { FairSlots } from '../lib/slots/fair-slots.ts';
import type { Nudges } from '../storage/lease/nudges.ts';
import { scanIndex, withoutSchema } from '../storage/scan.ts';
import { type MailboxItem, type ThreadRecord, threads, work } from './collections.ts';
import { WorkerSlot } from './limits/worker-slot.ts';
import { openItems } from './mailbox.ts';
import type { Received, ThreadChange, WakeUps } from './ports.ts';
import { findSurface } from './surface.ts';
import { waitingForOthers } from './texts.ts';
import { ThreadWorker, type WorkerPorts } from './thread-worker.ts';

/** Interval of the sweep, which finds work without a wake-up, in milliseconds. */
const SWEEP_MS = 15_000;
/** Interval of the check for other processes' marks on threads in work here, in milliseconds. */
const MARKS_MS = 1_000;
/** The most threads that one process has in memory and under lease, with those that wait for a tool or the model. */
const MAX_THREADS = 256;
/**
 * The most threads that one process works on at a time. One that waits for a tool, a server's list or the model isn't
 * counted, so that this is processor time and commits: more of them would only be in each other's way.
 */
const MAX_WORKERS = 16;
/** Whose share a thread counts against that has no message left. */
const NOBODY = '';

export interface DispatcherPorts extends WorkerPorts {
  readonly wakeUps: WakeUps;
  readonly nudges: Nudges;
  /**
   * The most threads that this process holds at a time, and how many of them it works on.
   * @default 256, and 16
   */
  readonly slots?: { readonly threads: number; readonly workers: number };
}

/** A thread that this process was woken for. */
interface Taken {
  /** Null while it waits for its turn. */
  worker: ThreadWorker | null;
  done: Promise<void>;
}

/**
 * Gives each thread with work to do a worker, up to a limit at a time. Whoever has many threads can't keep the
 * others' waiting: both limits are shared fairly among those who wrote, see {@link FairSlots}.
 */
export class Dispatcher {
  readonly #ports: DispatcherPorts;
  readonly #taken = new Map<string, Taken>();
  readonly #threads: FairSlots;
  readonly #workers: FairSlots;
  readonly #stopping = new AbortController();
  readonly #sweep: Periodic;
  readonly #markCheck: Periodic;
  #isIdling = false;

  constructor(ports: DispatcherPorts) {
    this.#ports = ports;
    const { log, slots = { threads: MAX_THREADS, workers: MAX_WORKERS } } = ports;
    this.#threads = new FairSlots(slots.threads);
    this.#workers = new FairSlots(slots.workers);
    const run = () => this.#findWork();
    this.#sweep = createPeriodic({ name: 'work sweep', everyMs: SWEEP_MS, run, log });
    // Failures aren't logged: if the store can't be read now, it is read again in a moment.
    this.#markCheck = createPeriodic({
      name: 'mark check',
      everyMs: MARKS_MS,
      run: () => this.#checkMarks(),
    });
  }

  start(): void {
    this.#ports.wakeUps.subscribe((threadId, change) => this.#workOn(threadId, change));
    this.#ports.nudges.receive((threadId) => this.#taken.get(threadId)?.worker?.nudge());
    void this.#sweep.start();
    void this.#markCheck.start();
  }

  /** Finds all threads with work to do, without relying on wake-ups. Never rejects. */
  sweep(): Promise<void> {
    return this.#sweep.runNow();
  }

  /**
   * Takes no new work, and waits up to `withinMs` milliseconds until running work reaches a durable point;
   * null: as long as it takes. Remaining work is signalled to other processes.
   */
  async stop(withinMs: number | null): Promise<void> {
    const left = [...this.#taken.keys()];
    for (const { worker } of this.#taken.values()) worker?.drain();
    this.#stopping.abort();
    const drained = Promise.all([this.#settled(), this.#sweep.stop(), this.#markCheck.stop()]);
    await (withinMs === null ? drained : Promise.race([drained, after(withinMs, undefined, { ref: false })]));
    for (const threadId of left) this.#ports.wakeUps.offer(threadId);
  }

  /** Resolves when this process works on nothing, and holds no thread. */
  async idle(): Promise<void> {
    this.#isIdling = true;
    while (this.#taken.size > 0) {
      this.#leaveIdle();
      await this.#settled();
    }
    this.#isIdling = false;
  }

  /** How many threads this process has under lease. */
  get threads(): number {
    return this.#taken.size;
  }

  /** How many calls this process has sent that are not back. */
  inflightCalls(): number {
    return [...this.#taken.values()].reduce((sum, { worker }) => sum + (worker?.calls.count ?? 0), 0);
  }

  /** Aborts what this process runs for a message, which is marked to be stopped. */
  stopRun(item: MailboxItem): void {
    this.#taken.get(item.threadId)?.worker?.stop(item);
  }

  /** Gives threads back that are held with nothing to do. */
  #leaveIdle(): void {
    for (const { worker } of this.#taken.values()) worker?.leave();
  }

  #settled(): Promise<unknown> {
    return Promise.all([...this.#taken.values()].map(({ done }) => done));
  }

  #workOn(threadId: string, change: ThreadChange | null = null): void {
    if (this.#stopping.signal.aborted) return;
    const known = this.#taken.get(threadId);
    if (known) {
      known.worker?.nudge(change);
      return;
    }
    const taken: Taken = { worker: null, done: Promise.resolve() };
    this.#taken.set(threadId, taken);
    const received = change?.type === 'received' ? change : null;
    taken.done = this.#work(threadId, taken, received)
      .catch((error: unknown) => {
        if (error instanceof FencedError || this.#stopping.signal.aborted) return;
        this.#ports.log.error({ threadId, err: error }, `thread work broke off: ${errorMessage(error)}`);
      })
      .finally(() => {
        this.#taken.delete(threadId);
        if (taken.worker?.isNudged) this.#workOn(threadId);
      });
  }

  async #work(threadId: string, taken: Taken, received: Received | null): Promise<void> {
    const found = received
      ? { thread: received.thread, next: received.item.value }
      : await this.#find(threadId);
    if (!found) return;
    const { thread, next } = found;
    const owner = next?.actor.id ?? NOBODY;
    const { signal } = this.#stopping;
    const slot = new WorkerSlot(this.#workers, owner);
    const leave = await this.#threads.acquire({
      owner,
      signal,
      onWait: ({ count }) => {
        this.#leaveIdle();
        this.#tellOfWait(thread, next, count);
        this.#ports.wakeUps.offer(threadId);
      },
    });
    try {
      await slot.take({ signal, onWait: () => this.#ports.wakeUps.offer(threadId) });
      signal.throwIfAborted();
      const mayRest = () => !this.#isIdling && !this.#threads.isAwaited;
      taken.worker = new ThreadWorker(this.#ports, thread, { slot, mayRest, received });
      await taken.worker.done;
    } finally {
      slot.give();
      leave();
    }
  }

  /** A thread, and the message that is worked on now or next. */
  async #find(threadId: string) {
    const { store } = this.#ports;
    const [thread, open] = await Promise.all([store.get(threads, threadId), openItems(store, threadId)]);
    const items = open.map(({ value }) => value);
    const next = items.find(({ state }) => state === 'running') ?? items[0] ?? null;
    return thread && { thread: thread.value, next };
  }

  #tellOfWait(thread: ThreadRecord, item: MailboxItem | null, others: number): void {
    const surface = findSurface(this.#ports.surfaces, thread);
    surface?.observe?.(thread, item, { type: 'status', text: waitingForOthers(others) });
  }

  /** Each part on its own: one that fails must not keep threads from getting a worker. */
  async #findWork(): Promise<void> {
    const { gate, store } = this.#ports;
    const found = new Set<string>();
    await this.#part('expiry', () => gate.requests.expire());
    await this.#part('escalation', () => gate.requests.escalate());
    await this.#part('unfinished calls', async () => {
      for (const threadId of await gate.calls.unfinishedThreads()) found.add(threadId);
    });
    await this.#part('work marks', async () => {
      for await (const { id } of scanIndex(store, withoutSchema(work), 'since', {})) found.add(id);
    });
    for (const threadId of found) this.#workOn(threadId);
  }

  async #part(name: string, run: () => Promise<unknown>): Promise<void> {
    await run().catch((error: unknown) =>
      this.#ports.log.error({ err: error, part: name }, `work sweep: ${name} failed; it runs again`),
    );
  }

  /** Nobody else can take a thread that is in work here, so their marks must be noticed here. */
  async #checkMarks(): Promise<void> {
    const active = [...this.#taken.keys()];
    if (active.length === 0) return;
    const marks = await this.#ports.store.getMany(work, active);
    for (const mark of marks) if (mark) this.#taken.get(mark.id)?.worker?.noticeMark(mark.version);
  }
}

import { setTimeout as after } from 'node:timers/promises';
import { errorMessage, FencedError } from '../lib/errors.ts';
import { createPeriodic, type Periodic } from '../lib/periodic.ts';
import { scanIndex, withoutSchema } from '../storage/scan.ts';
import { work } from './collections.ts';
import type { WakeUps } from './ports.ts';
import { ThreadWorker, type WorkerPorts } from './thread-worker.ts';

/** Interval of the sweep, which finds work without a wake-up, in milliseconds. */
const SWEEP_MS = 15_000;
/** Interval of the check for other processes' marks on threads in work here, in milliseconds. */
const MARKS_MS = 1_000;
/** The most threads that one process works on at a time; the rest wait. */
const MAX_WORKERS = 64;

export interface DispatcherPorts extends WorkerPorts {
  readonly wakeUps: WakeUps;
}

/** Gives each thread with work to do a worker, up to a limit at a time. */
export class Dispatcher {
  readonly #ports: DispatcherPorts;
  readonly #workers = new Map<string, ThreadWorker>();
  readonly #waiting = new Set<string>();
  readonly #sweep: Periodic;
  readonly #markCheck: Periodic;
  /** Versions of the marks at the last check, by thread. */
  #seenMarks = new Map<string, number>();
  #isStopped = false;

  constructor(ports: DispatcherPorts) {
    this.#ports = ports;
    const { log } = ports;
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
    this.#ports.wakeUps.subscribe((threadId) => this.#workOn(threadId));
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
    this.#isStopped = true;
    const left = new Set([...this.#workers.keys(), ...this.#waiting]);
    for (const worker of this.#workers.values()) worker.drain();
    const drained = Promise.all([this.#settled(), this.#sweep.stop(), this.#markCheck.stop()]);
    await (withinMs === null ? drained : Promise.race([drained, after(withinMs, undefined, { ref: false })]));
    for (const threadId of left) this.#ports.wakeUps.wake(threadId);
  }

  /** Resolves when this process works on nothing. */
  async idle(): Promise<void> {
    while (this.#workers.size > 0) await this.#settled();
  }

  /** Aborts what this process runs for a message, which is marked to be stopped. */
  stopRun(threadId: string, itemId: string): void {
    this.#workers.get(threadId)?.stop(itemId);
  }

  #settled(): Promise<unknown> {
    return Promise.allSettled([...this.#workers.values()].map((worker) => worker.done));
  }

  #workOn(threadId: string): void {
    if (this.#isStopped) return;
    const active = this.#workers.get(threadId);
    if (active) active.nudge();
    if (active || this.#workers.size >= MAX_WORKERS) {
      this.#waiting.add(threadId);
      return;
    }
    this.#waiting.delete(threadId);
    const worker = new ThreadWorker(this.#ports, threadId);
    this.#workers.set(threadId, worker);
    worker.done
      .catch((error: unknown) => {
        if (error instanceof FencedError) return;
        this.#ports.log.error({ threadId, err: error }, `thread work broke off: ${errorMessage(error)}`);
      })
      .finally(() => {
        this.#workers.delete(threadId);
        for (const next of this.#waiting) {
          if (this.#workers.size >= MAX_WORKERS) break;
          this.#workOn(next);
        }
      });
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
    const active = [...this.#workers.keys()];
    if (active.length === 0) return;
    const marks = (await this.#ports.store.getMany(work, active)).filter((mark) => mark !== null);
    for (const { id, version } of marks) {
      if (this.#seenMarks.get(id) !== version) this.#workers.get(id)?.nudge();
    }
    this.#seenMarks = new Map(marks.map(({ id, version }) => [id, version]));
  }
}

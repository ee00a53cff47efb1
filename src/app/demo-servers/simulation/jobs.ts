import type { Clock, Ids } from '../../../lib/clock.ts';
import { errorMessage } from '../../../lib/errors.ts';
import { ToolProblem } from '../../../lib/text/tool-answers.ts';

type JobState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

/** A piece of work in the background, as it is now. */
export interface Job<Result> {
  readonly id: string;
  readonly state: JobState;
  /** How many of `total` parts are done. */
  readonly done: number;
  readonly total: number;
  /** For how long it has run, in milliseconds. */
  readonly ranForMs: number;
  /** Only of one that succeeded. */
  readonly result: Result | null;
  /** Why it failed. */
  readonly error: string | null;
}

interface Entry<Result> {
  readonly id: string;
  readonly total: number;
  readonly work: () => Generator<number, Result>;
  state: JobState;
  done: number;
  startedAt: number | null;
  endedAt: number | null;
  result: Result | null;
  error: string | null;
  readonly listeners: Set<() => void>;
}

/** Jobs that wait or run at the same time, and jobs that are kept after their end. */
const MOST_OPEN = 5;
const MOST_ENDED = 20;
/** The longest that a job may run, in milliseconds: minutes more than thousands of subjects take. */
const RUNS_FOR_MS = 10 * 60 * 1000;
/** How long a job is kept after its end, in milliseconds. */
const KEPT_FOR_MS = 60 * 60 * 1000;

const TOO_LONG = 'it took longer than ten minutes; simulate fewer subjects, or a shorter time';

interface JobsPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  /** Awaited between pieces of work. */
  readonly giveWay: () => Promise<void>;
}

/**
 * Jobs of this process, which run one after the other, in slices between which timers and sockets have their turn. They
 * end with the process.
 */
export class Jobs<Result> {
  readonly #ports: JobsPorts;
  readonly #entries = new Map<string, Entry<Result>>();
  #isRunning = false;

  constructor(ports: JobsPorts) {
    this.#ports = ports;
  }

  /**
   * Starts a job, or lets it wait for the one that runs.
   *
   * @param work yields how many of `total` parts are done, after some milliseconds at most.
   * @throws ToolProblem when too many wait.
   */
  start(total: number, work: () => Generator<number, Result>): Job<Result> {
    this.#forgetOld();
    const open = [...this.#entries.values()].filter(({ endedAt }) => endedAt === null);
    if (open.length >= MOST_OPEN) {
      const ids = open.map(({ id }) => id).join(', ');
      throw new ToolProblem(`${MOST_OPEN} jobs wait or run (${ids}); wait for one to end, or cancel one`);
    }
    const entry: Entry<Result> = {
      ...{ id: this.#ports.ids(), total, work, state: 'queued', done: 0, startedAt: null, endedAt: null },
      ...{ result: null, error: null, listeners: new Set() },
    };
    this.#entries.set(entry.id, entry);
    if (!this.#isRunning) void this.#run();
    return this.#view(entry);
  }

  /** @throws ToolProblem for a job that isn't there. */
  get(id: string): Job<Result> {
    return this.#view(this.#find(id));
  }

  /** Ends a job; one that has ended stays as it is. */
  cancel(id: string): Job<Result> {
    const entry = this.#find(id);
    if (entry.endedAt === null) this.#end(entry, 'cancelled');
    return this.#view(entry);
  }

  /** Waits until the job has ended, or for so long; calls back whenever more of it is done. */
  async wait(id: string, { ms, signal, onProgress }: WaitOptions<Result>): Promise<Job<Result>> {
    const entry = this.#find(id);
    if (entry.endedAt !== null || ms <= 0) return this.#view(entry);
    await new Promise<void>((resolve) => {
      const listen = () => {
        onProgress(this.#view(entry));
        if (entry.endedAt !== null) leave();
      };
      const leave = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        entry.listeners.delete(listen);
        resolve();
      };
      const timer = setTimeout(leave, ms);
      entry.listeners.add(listen);
      signal.addEventListener('abort', leave);
      if (signal.aborted) leave();
      else onProgress(this.#view(entry));
    });
    return this.#view(entry);
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let next = this.#nextQueued(); next !== undefined; next = this.#nextQueued()) await this.#work(next);
    this.#isRunning = false;
  }

  #nextQueued(): Entry<Result> | undefined {
    return [...this.#entries.values()].find(({ state }) => state === 'queued');
  }

  async #work(entry: Entry<Result>): Promise<void> {
    entry.state = 'running';
    const startedAt = this.#ports.clock();
    entry.startedAt = startedAt;
    try {
      const pieces = entry.work();
      for (let piece = pieces.next(); ; piece = pieces.next()) {
        if (piece.done) {
          entry.result = piece.value;
          entry.done = entry.total;
          this.#end(entry, 'succeeded');
          return;
        }
        const hasMore = piece.value > entry.done;
        entry.done = piece.value;
        if (hasMore) this.#tell(entry);
        await this.#ports.giveWay();
        if (entry.endedAt !== null) return;
        if (this.#ports.clock() - startedAt > RUNS_FOR_MS) throw new ToolProblem(TOO_LONG);
      }
    } catch (error) {
      entry.error = errorMessage(error);
      this.#end(entry, 'failed');
    }
  }

  #end(entry: Entry<Result>, state: JobState): void {
    entry.state = state;
    entry.endedAt = this.#ports.clock();
    this.#tell(entry);
  }

  #tell(entry: Entry<Result>): void {
    for (const listener of [...entry.listeners]) listener();
  }

  #find(id: string): Entry<Result> {
    this.#forgetOld();
    const found = this.#entries.get(id);
    if (found !== undefined) return found;
    throw new ToolProblem(
      `there is no job ${id}; jobs are kept for an hour after their end, and not when the server restarts`,
    );
  }

  #forgetOld(): void {
    const ended = [...this.#entries.values()].filter(({ endedAt }) => endedAt !== null);
    const tooMany = ended.slice(0, Math.max(0, ended.length - MOST_ENDED));
    const since = this.#ports.clock() - KEPT_FOR_MS;
    for (const entry of ended) {
      if (tooMany.includes(entry) || (entry.endedAt ?? 0) < since) this.#entries.delete(entry.id);
    }
  }

  #view({ id, state, done, total, startedAt, endedAt, result, error }: Entry<Result>): Job<Result> {
    const ranForMs = startedAt === null ? 0 : (endedAt ?? this.#ports.clock()) - startedAt;
    return { id, state, done, total, ranForMs, result, error };
  }
}

interface WaitOptions<Result> {
  readonly ms: number;
  readonly signal: AbortSignal;
  readonly onProgress: (job: Job<Result>) => void;
}

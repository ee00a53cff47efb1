import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, send, unexpected } from './http.ts';
import { GATE } from './texts.ts';

/** How one call ended, as `/agent/end` takes it. */
interface Report {
  readonly session_id: string;
  readonly call_id: string;
  readonly status: 'ok' | 'error';
  readonly duration_ms: number;
  readonly result_summary: string;
}

interface ReportsOptions {
  readonly address: Address;
  readonly onProblem: (problem: Error) => void;
}

/** How many reports wait for the gate at most. Each holds a summary of up to a million characters. */
const MAX_WAITING = 1_000;

/** How long one attempt takes at most, in milliseconds. */
const ATTEMPT_MS = 10_000;

/** How long is waited after the first failure, twice as long after each next one, and at most, in milliseconds. */
const BACKOFF = { first: 250, most: 30_000 };

/** How long the end of the process waits for reports, in milliseconds: most supervisors kill after 10 s. */
const EXIT_MS = { beforeExit: 5_000, signal: 2_000 };

/**
 * Reports how calls ended, one after the other, in the background. It keeps no process from ending: while reports wait,
 * it tries once more before the process exits, and at SIGTERM.
 */
export class Reports {
  readonly #options: ReportsOptions;
  readonly #waiting: Report[] = [];
  #worker: Promise<void> | null = null;
  /** Ends the pause after a failure. */
  #hurry = new AbortController();

  constructor(options: ReportsOptions) {
    this.#options = options;
  }

  /** Reports it soon. With too many waiting, it is dropped and the problem told. */
  add(report: Report): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#options.onProblem(new Error(GATE.tooManyReports(MAX_WAITING)));
      return;
    }
    this.#waiting.push(report);
    this.#worker ??= this.#work();
  }

  /** Waits until all is reported, `withinMs` at most. Returns how many reports the gate has not taken. */
  async flush(withinMs: number): Promise<number> {
    this.#hurry.abort();
    const over = new AbortController();
    const late = sleep(withinMs, null, { signal: over.signal }).catch(() => null);
    await Promise.race([this.#worker, late]);
    over.abort();
    return this.#waiting.length;
  }

  async #work(): Promise<void> {
    process.on('beforeExit', this.#beforeExit);
    process.once('SIGTERM', this.#onSignal);
    for (let failures = 0, next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const pauseMs = await this.#try(next, failures);
      // It may have been given up meanwhile.
      if (pauseMs === null && this.#waiting[0] === next) this.#waiting.shift();
      const isHurried = pauseMs !== null && (await this.#pause(pauseMs));
      failures = pauseMs === null || isHurried ? 0 : failures + 1;
    }
    process.off('beforeExit', this.#beforeExit);
    process.off('SIGTERM', this.#onSignal);
    this.#worker = null;
  }

  /** Resolves with null when the report is done with, else with how long to wait before the next attempt. */
  async #try(report: Report, failures: number): Promise<number | null> {
    const { address, onProblem } = this.#options;
    const backoffMs = Math.min(BACKOFF.most, BACKOFF.first * 2 ** failures) * (0.5 + Math.random() / 2);
    try {
      const answer = await send(address, { path: 'agent/end', body: report, withinMs: ATTEMPT_MS });
      if (answer.status === 200) return null;
      if (answer.status === 429 || answer.status >= 500) {
        return Math.min(answer.retryAfterMs ?? backoffMs, BACKOFF.most);
      }
      // It would be refused again.
      onProblem(unexpected(address, answer));
      return null;
    } catch {
      return backoffMs;
    }
  }

  /** Resolves with whether the pause was ended early. */
  async #pause(ms: number): Promise<boolean> {
    const { signal } = this.#hurry;
    await sleep(ms, null, { signal, ref: false }).catch(() => null);
    if (signal.aborted) this.#hurry = new AbortController();
    return signal.aborted;
  }

  readonly #beforeExit = (): void => {
    void this.#flushAtExit(EXIT_MS.beforeExit);
  };

  /** Node ends a process at SIGTERM only where nobody listens: then the signal goes on its way after the reports. */
  readonly #onSignal = async (signal: NodeJS.Signals): Promise<void> => {
    const isOurs = process.listenerCount(signal) === 0;
    await this.#flushAtExit(EXIT_MS.signal);
    if (isOurs) process.kill(process.pid, signal);
  };

  async #flushAtExit(withinMs: number): Promise<void> {
    const left = await this.flush(withinMs);
    if (left === 0) return;
    // Or the event loop, which is empty again, would ask for ever.
    this.#waiting.length = 0;
    this.#hurry.abort();
    this.#options.onProblem(new Error(GATE.reportsLost(left)));
  }
}

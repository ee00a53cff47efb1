import type { CallRecord } from '../gate/types.ts';

/** Whether a worker sends the call, unless it has done so. */
export function isSendable({ state }: CallRecord): boolean {
  return state === 'approved' || state === 'allowed' || state === 'executing';
}

/** The calls in flight of one worker. */
export class InflightCalls {
  readonly lookedUp = new Set<string>();
  readonly #left = new AbortController();
  readonly #onBack: (callId: string) => void;
  readonly #running = new Map<string, Promise<void>>();
  #failure: { readonly error: unknown } | null = null;

  /** @param onBack called when one has come back, whatever its outcome. */
  constructor(onBack: (callId: string) => void) {
    this.#onBack = onBack;
  }

  get count(): number {
    return this.#running.size;
  }

  /** Without what is only looked up, for which nothing waits. */
  callIds(): ReadonlySet<string> {
    return new Set([...this.#running.keys()].filter((id) => !this.lookedUp.has(id)));
  }

  /** What is only looked up about a call, by the id for that; which ones those were is kept. */
  lookUp(id: string, send: (left: AbortSignal) => Promise<void>): void {
    this.lookedUp.add(id);
    this.add(id, send(this.#left.signal));
  }

  add(callId: string, sent: Promise<void>): void {
    const settled = sent
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#running.delete(callId);
        this.#onBack(callId);
      });
    this.#running.set(callId, settled);
  }

  /**
   * Throws the error of a call that couldn't be sent, or whose outcome couldn't be recorded: only a worker
   * with a new fencing token can continue from there.
   */
  throwIfFailed(): void {
    if (this.#failure) throw this.#failure.error;
  }

  /** Resolves when all have come back, whatever their outcome. What is only looked up is left. */
  async settled(): Promise<void> {
    this.#left.abort(new Error('the worker leaves the thread'));
    await Promise.all(this.#running.values());
  }
}

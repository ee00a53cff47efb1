import type { FairSlots, ReleaseSlot } from '../../lib/slots/fair-slots.ts';

/** The worker slot of one thread. It is held while the thread works, and not while it waits. */
export class WorkerSlot {
  readonly #slots: FairSlots;
  readonly #owner: string;
  #release: ReleaseSlot | null = null;

  constructor(slots: FairSlots, owner: string) {
    this.#slots = slots;
    this.#owner = owner;
  }

  /** Rejects with the signal's reason when that is aborted first; `onWait` is called if there is no slot at once. */
  async take(options: { readonly signal?: AbortSignal; readonly onWait?: () => void } = {}): Promise<void> {
    this.#release ??= await this.#slots.acquire({ owner: this.#owner, ...options });
  }

  give(): void {
    this.#release?.();
    this.#release = null;
  }

  /** Does `wait` without the slot, and takes one again before it goes on. */
  async during<T>(wait: () => Promise<T>): Promise<T> {
    this.give();
    try {
      return await wait();
    } finally {
      await this.take();
    }
  }
}

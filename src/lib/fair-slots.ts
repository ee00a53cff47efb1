/** A slot, until it is given back. Giving it back twice does nothing. */
export type ReleaseSlot = () => void;

interface SlotRequest {
  /** Whose share the slot counts against. */
  readonly owner: string;
  /** The most slots that this owner may hold. @default as many as are shared out fairly */
  readonly atMost?: number | null;
  /** Aborted when the slot is no longer wanted. */
  readonly signal?: AbortSignal;
  /** Called if there is no slot at once. `held`: the slots that the same owner holds meanwhile. */
  readonly onWait?: (held: number) => void;
}

interface Waiter {
  readonly atMost: number;
  readonly give: () => void;
}

/**
 * Slots for work, shared fairly by owner. An owner holds at most as many as are left free (dynamic thresholds,
 * Choudhury and Hahne, 1998): one alone gets half, and however many an owner asks for, the next one finds some.
 * Owners that wait get slots in turn, one each.
 */
export class FairSlots {
  #free: number;
  readonly #held = new Map<string, number>();
  /** By owner, in the order of their turns. */
  readonly #waiting = new Map<string, Set<Waiter>>();

  constructor(total: number) {
    this.#free = total;
  }

  /** Resolves with how to give the slot back; rejects with the signal's reason when that is aborted first. */
  acquire({ owner, atMost, signal, onWait }: SlotRequest): Promise<ReleaseSlot> {
    signal?.throwIfAborted();
    const most = atMost ?? Number.POSITIVE_INFINITY;
    if (!this.#waiting.has(owner) && this.#mayHold(owner, most)) return Promise.resolve(this.take(owner));
    onWait?.(this.#heldBy(owner));
    const { promise, resolve, reject } = Promise.withResolvers<ReleaseSlot>();
    const give = () => {
      signal?.removeEventListener('abort', leave);
      resolve(this.take(owner));
    };
    const waiter = { atMost: most, give };
    const leave = () => {
      this.#leave(owner, waiter);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
    const queue = this.#waiting.get(owner) ?? new Set();
    this.#waiting.set(owner, queue.add(waiter));
    return promise;
  }

  /** Holds a slot at once, also beyond the owner's share: for work that must be able to end. */
  take(owner: string): ReleaseSlot {
    this.#free -= 1;
    this.#held.set(owner, this.#heldBy(owner) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#free += 1;
      const left = this.#heldBy(owner) - 1;
      if (left > 0) this.#held.set(owner, left);
      else this.#held.delete(owner);
      this.#giveOut();
    };
  }

  #mayHold(owner: string, atMost: number): boolean {
    const held = this.#heldBy(owner);
    return held < this.#free && held < atMost;
  }

  #heldBy(owner: string): number {
    return this.#held.get(owner) ?? 0;
  }

  #giveOut(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      const { owner, waiter } = next;
      const queue = this.#leave(owner, waiter);
      // Whoever got one comes last.
      if (queue !== null) {
        this.#waiting.delete(owner);
        this.#waiting.set(owner, queue);
      }
      waiter.give();
    }
  }

  #next(): { readonly owner: string; readonly waiter: Waiter } | null {
    for (const [owner, queue] of this.#waiting) {
      for (const waiter of queue) {
        if (this.#mayHold(owner, waiter.atMost)) return { owner, waiter };
        break;
      }
    }
    return null;
  }

  /** Takes a waiter out; returns the rest of the owner's queue, null if it was the last. */
  #leave(owner: string, waiter: Waiter): Set<Waiter> | null {
    const queue = this.#waiting.get(owner);
    queue?.delete(waiter);
    if (queue !== undefined && queue.size > 0) return queue;
    this.#waiting.delete(owner);
    return null;
  }
}

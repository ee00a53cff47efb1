/** A slot, until it is given back. Giving it back twice does nothing. */
export type ReleaseSlot = () => void;

interface SlotRequest {
  /** Whose share the slot counts against. */
  readonly owner: string;
  /** The most slots that this owner may hold, with the places that it keeps. @default as many as are shared out fairly */
  readonly atMost?: number | null;
  /** A group, such as a channel, that may hold so many slots, whoever in it holds them. @default none */
  readonly group?: SlotGroup | null;
  /** Aborted when the slot is no longer wanted. */
  readonly signal?: AbortSignal;
  /** Called if there is no slot at once. */
  readonly onWait?: (others: SlotsHeld) => void;
}

/** People whose slots are counted together. */
export interface SlotGroup {
  readonly name: string;
  readonly atMost: number;
}

/** What whoever waits for a slot waits for: the slots of the same owner, or of a group that has no more. */
export interface SlotsHeld {
  readonly by: 'owner' | 'group';
  readonly count: number;
}

interface Waiter {
  readonly atMost: number;
  readonly group: SlotGroup | null;
  readonly give: () => void;
}

/**
 * Slots for work, shared fairly by owner. An owner holds at most as many as are left free (dynamic thresholds,
 * Choudhury and Hahne, 1998): one alone gets half, and however many an owner asks for, the next one finds some.
 * Owners that wait get slots in turn, one each.
 */
export class FairSlots {
  #free: number;
  readonly #held = new Counts();
  /** What owners have without a slot, see {@link keepPlace}. */
  readonly #places = new Counts();
  readonly #heldInGroup = new Counts();
  /** By owner, in the order of their turns. */
  readonly #waiting = new Map<string, Set<Waiter>>();

  constructor(total: number) {
    this.#free = total;
  }

  /** Whether anybody waits for a slot. */
  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  /** Resolves with how to give the slot back; rejects with the signal's reason when that is aborted first. */
  acquire({ owner, atMost, group = null, signal, onWait }: SlotRequest): Promise<ReleaseSlot> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<ReleaseSlot>();
    let isGiven = false;
    const give = () => {
      isGiven = true;
      signal?.removeEventListener('abort', leave);
      resolve(this.take(owner, group));
    };
    const waiter = { atMost: atMost ?? Number.POSITIVE_INFINITY, group, give };
    const leave = () => {
      this.#leave(owner, waiter);
      reject(signal?.reason);
    };
    const queue = this.#waiting.get(owner) ?? new Set();
    this.#waiting.set(owner, queue.add(waiter));
    this.#giveOut();
    if (!isGiven) {
      signal?.addEventListener('abort', leave, { once: true });
      onWait?.(this.#heldBefore(owner, group));
    }
    return promise;
  }

  /**
   * Holds a slot at once, also beyond the shares of owner and group: for work that must be able to end. What is beyond
   * the owner's share is nobody else's: the others find as many free as before.
   */
  take(owner: string, group: SlotGroup | null = null): ReleaseSlot {
    const isShare = this.#held.get(owner) < this.#free;
    if (isShare) this.#free -= 1;
    this.#held.add(owner, 1);
    if (group !== null) this.#heldInGroup.add(group.name, 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      if (isShare) this.#free += 1;
      this.#held.add(owner, -1);
      if (group !== null) this.#heldInGroup.add(group.name, -1);
      this.#giveOut();
    };
  }

  /**
   * Counts against the most of owner and group without holding a slot: for work that somebody else goes on with meanwhile.
   * It may be more than they may hold.
   */
  keepPlace(owner: string, group: SlotGroup | null = null): ReleaseSlot {
    this.#places.add(owner, 1);
    if (group !== null) this.#heldInGroup.add(group.name, 1);
    let isKept = true;
    return () => {
      if (!isKept) return;
      isKept = false;
      this.#places.add(owner, -1);
      if (group !== null) this.#heldInGroup.add(group.name, -1);
      this.#giveOut();
    };
  }

  #heldBefore(owner: string, group: SlotGroup | null): SlotsHeld {
    return group !== null && this.#isFull(group)
      ? { by: 'group', count: this.#heldInGroup.get(group.name) }
      : { by: 'owner', count: this.#held.get(owner) + this.#places.get(owner) };
  }

  #isFull({ name, atMost }: SlotGroup): boolean {
    return this.#heldInGroup.get(name) >= atMost;
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
      const held = this.#held.get(owner);
      if (held >= this.#free) continue;
      for (const waiter of queue) {
        if (held + this.#places.get(owner) >= waiter.atMost) break;
        // Those behind one that waits for its group don't.
        if (waiter.group === null || !this.#isFull(waiter.group)) return { owner, waiter };
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

/** Counts by name; a name is forgotten at zero. */
class Counts {
  readonly #counts = new Map<string, number>();

  get(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, amount: number): void {
    const count = this.get(name) + amount;
    if (count > 0) this.#counts.set(name, count);
    else this.#counts.delete(name);
  }
}

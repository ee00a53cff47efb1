import type { Clock } from '../../lib/clock.ts';
import { assertHeld } from '../../storage/lease/fence.ts';
import { type Lease, type LeaseHolder, takeLease } from '../../storage/lease/lease.ts';
import { scanIndex } from '../../storage/scan.ts';
import type { Put, Store } from '../../storage/store.ts';
import { outbox } from './collections.ts';
import { type ChannelTurns, createChannelTurns, type RateLimit } from './rate-limit.ts';

export interface ChannelHoldsPorts {
  readonly store: Store;
  readonly clock: Clock;
  /** This process as a lease holder: one process at a time delivers to a channel. */
  readonly holder: LeaseHolder;
  /** Whether other processes may ask for a channel. */
  readonly hasOthers: boolean;
  /** The rate limit of messages in one channel. */
  readonly rateLimit: RateLimit;
  /** How long the workspace's limit lets the next call of a method wait, in milliseconds. */
  readonly timeUntilCall: (method: string) => number;
  readonly stopping: AbortSignal;
}

/** A channel that this process holds the lease of. */
export interface ChannelHold {
  readonly lease: Lease;
  readonly turns: ChannelTurns;
  /** Notes of posts, and rows that follow from them, that are still to be committed, by their keys. */
  readonly notes: Map<string, Put>;
  /**
   * Rows that waited when the channel was taken from a process that hadn't given it back: they may have been posted.
   * A process doesn't note a post before it makes it, since its row stays until the post is noted.
   */
  readonly unclear: Set<string>;
  /** Throws FencedError if another process has the channel by now. */
  readonly assertHeld: () => Promise<void>;
  /** Whether what its earlier holder was posting has arrived by now, as far as anybody can tell. */
  readonly isSettled: () => boolean;
}

/**
 * How long a post of a channel's earlier holder may be under way, in milliseconds: longer than Slack nearly always takes.
 * Whoever looks for it sooner doesn't find it, and posts it a second time.
 */
export const SETTLE_MS = 2_000;

/** How long a quiet channel is kept, in milliseconds: shorter than a renewal of its lease, which would cost as much. */
const KEEP_MS = 8_000;

/** The lease of a channel. */
export const channelLease = (channel: string): string => `${PREFIX}${channel}`;
/** The channel of a lease; null if it is something else's. */
export const leasedChannel = (lease: string): string | null =>
  lease.startsWith(PREFIX) ? lease.slice(PREFIX.length) : null;
const PREFIX = 'outbox:';

/**
 * The channels that this process holds. Each is kept from one row to the next, and given back after a quiet while;
 * where there are no other processes, at the stop.
 */
export class ChannelHolds {
  readonly #ports: ChannelHoldsPorts;
  readonly #held = new Map<string, ChannelHold>();
  readonly #quiet = new Map<string, NodeJS.Timeout>();
  readonly #leaving = new Map<string, Promise<unknown>>();

  constructor(ports: ChannelHoldsPorts) {
    this.#ports = ports;
  }

  /** The channel as it is held now. */
  get(channel: string): ChannelHold | undefined {
    return this.#held.get(channel);
  }

  /**
   * The channel, kept or taken now; null while another process holds it. What is read `beside` is read under the lease, in
   * one go with what is known of the channel, if it's taken now.
   */
  async take(channel: string, beside: () => Promise<unknown>): Promise<ChannelHold | null> {
    clearTimeout(this.#quiet.get(channel));
    // If it couldn't be given back, it's a leftover of our own.
    await this.#leaving.get(channel)?.catch(() => undefined);
    const known = this.#held.get(channel);
    if (known && !known.lease.lost.aborted) return known;
    await this.giveBack(channel);
    const { hasOthers } = this.#ports;
    const lease = await takeLease(this.#ports, channelLease(channel), { isRenewed: hasOthers });
    if (!lease) return null;
    try {
      const [hold] = await Promise.all([this.#open(channel, lease), beside()]);
      this.#held.set(channel, hold);
      return hold;
    } catch (error) {
      await lease.release({}, { isClean: false });
      throw error;
    }
  }

  async #open(channel: string, lease: Lease): Promise<ChannelHold> {
    const { store } = this.#ports;
    const turns = await createChannelTurns(this.#ports, channel);
    const unclear = new Set<string>();
    if (lease.takenOver) {
      for await (const { id } of scanIndex(store, outbox, 'byTurn', { prefix: [channel] })) unclear.add(id);
    }
    let isSettled = !lease.mayBeInUse;
    const settle = () => {
      isSettled = true;
    };
    if (!isSettled) setTimeout(settle, SETTLE_MS).unref();
    return {
      lease,
      turns,
      isSettled: () => isSettled,
      notes: new Map(),
      unclear,
      assertHeld: () => assertHeld(this.#ports, lease.fence),
    };
  }

  /** Keeps the channel for the next row, for a while. */
  keep(channel: string): void {
    if (!this.#held.has(channel) || !this.#ports.hasOthers) return;
    clearTimeout(this.#quiet.get(channel));
    // If it fails, whoever asks next waits it out.
    const leave = () => void this.giveBack(channel).catch(() => undefined);
    this.#quiet.set(channel, setTimeout(leave, KEEP_MS).unref());
  }

  /** Gives the channel back, if it is held; not `isClean` if a post may have been made and isn't noted. */
  async giveBack(channel: string, { isClean } = { isClean: true }): Promise<void> {
    const hold = this.#held.get(channel);
    if (!hold) return;
    clearTimeout(this.#quiet.get(channel));
    this.#quiet.delete(channel);
    this.#held.delete(channel);
    const { lease, turns, unclear } = hold;
    const leaving = lease.release({ put: turns.handOver() }, { isClean: isClean && unclear.size === 0 });
    this.#leaving.set(channel, leaving);
    await leaving.finally(() => this.#leaving.delete(channel));
  }

  /** Gives all of them back. */
  async stop(): Promise<void> {
    await Promise.all([...this.#held.keys()].map((channel) => this.giveBack(channel)));
  }
}

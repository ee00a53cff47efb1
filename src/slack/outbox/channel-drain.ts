import type { Clock } from '../../lib/clock.ts';
import { type LeaseHolder, takeLease } from '../../storage/lease/lease.ts';
import { ref, type Store, type Stored, unchanged } from '../../storage/store.ts';
import type { Pause } from './channel-pumps.ts';
import { type OutboxRow, outbox } from './collections.ts';
import { type ChannelHold, createDelivery, type DeliveryPorts } from './delivery.ts';
import { SUPERSEDED_WITHIN_MS } from './enqueue.ts';
import { type ChannelTurns, createChannelTurns, type RateLimit } from './rate-limit.ts';

export interface ChannelDrainPorts extends DeliveryPorts {
  readonly store: Store;
  readonly clock: Clock;
  /** This process as a lease holder: one process at a time delivers to a channel. */
  readonly holder: LeaseHolder;
  /** The rate limit of messages in one channel. */
  readonly rateLimit: RateLimit;
  /** How long the workspace's limit lets the next call of a method wait, in milliseconds. */
  readonly timeUntilCall: (method: string) => number;
}

/** How long until a channel held by another process is tried again, in milliseconds. */
const TAKEN_MS = 500;
/** How long a row is left to its owning process, in milliseconds: a live one needs far less. */
const LEFT_TO_OWNER_MS = 30_000;

/**
 * Delivers the rows of a channel that are due, under its lease, first in, first out. Null when none is left;
 * else the pause before the next attempt.
 */
export function createChannelDrain(ports: ChannelDrainPorts): (channel: string) => Promise<Pause | null> {
  const { store, clock, holder, stopping } = ports;
  const deliver = createDelivery(ports);
  /** By channel: when this process last showed something there, in milliseconds since the epoch. */
  const shownAt = new Map<string, number>();

  async function deliverAll(channel: string, hold: ChannelHold): Promise<Pause | null> {
    while (!stopping.aborted && !hold.lease.lost.aborted) {
      const row = await firstRow(store, channel);
      if (!row) return null;
      const early = pauseBefore(row.value);
      if (early) return early;
      const waitMs = await deliver(row, hold);
      const put = hold.notes.splice(0);
      if (waitMs === null) shownAt.set(channel, clock());
      const isDone =
        waitMs === null &&
        (await store.commit({ expect: [unchanged(outbox, row)], put, delete: [ref(outbox, row.id)] }))
          .committed;
      // A row that was rewritten meanwhile stands for something newer, and stays.
      if (!isDone && put.length > 0) await store.commit({ put });
      if (waitMs !== null) return firmly(waitMs);
    }
    return null;
  }

  /** The pause before a row that isn't due, or that another process delivers; null when it can be delivered. */
  function pauseBefore(row: OutboxRow): Pause | null {
    // Fractions only order the rows of one commit.
    const dueInMs = Math.floor(row.at) - clock();
    // Much further ahead only another process's clock puts it.
    if (dueInMs > 0 && dueInMs <= 2 * SUPERSEDED_WITHIN_MS) return { ms: dueInMs, endsOnWake: true };
    return isForAnother(row) ? firmly(TAKEN_MS) : null;
  }

  /** Whether the row belongs to another process that is presumed alive. */
  function isForAnother({ by, at, channel }: OutboxRow): boolean {
    if (by === undefined || by === holder.owner || holder.isGone(by)) return false;
    // While earlier rows were being delivered, it wasn't the owner's turn.
    const since = Math.max(at, shownAt.get(channel) ?? at);
    return clock() - since < LEFT_TO_OWNER_MS;
  }

  return async (channel) => {
    const row = await firstRow(store, channel);
    if (!row) return null;
    const early = pauseBefore(row.value);
    if (early) return early;
    const lease = await takeLease(ports, `outbox:${channel}`);
    // The lease holder may have checked for the last time before this row arrived.
    if (!lease) return firmly(TAKEN_MS);
    let turns: ChannelTurns | null = null;
    try {
      turns = await createChannelTurns(ports, channel);
      const waitMs = turns.restMs();
      return waitMs > 0 ? firmly(waitMs) : await deliverAll(channel, { lease, turns, notes: [] });
    } finally {
      await lease.release(turns ? { put: turns.handOver() } : {});
    }
  };
}

function firmly(ms: number): Pause {
  return { ms, endsOnWake: false };
}

/** The row of a channel that is delivered next; undefined when nothing waits there. */
export async function firstRow(store: Store, channel: string): Promise<Stored<OutboxRow> | undefined> {
  return (await store.query(outbox, 'byChannel', { prefix: [channel] }, 1)).items[0];
}

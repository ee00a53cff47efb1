import type { Nudges } from '../../storage/lease/nudges.ts';
import { ref, type Store, type Stored, unchanged } from '../../storage/store.ts';
import {
  type ChannelHold,
  type ChannelHolds,
  type ChannelHoldsPorts,
  channelLease,
} from './channel-holds.ts';
import type { Pause } from './channel-pumps.ts';
import { type OutboxRow, outbox } from './collections.ts';
import { createDelivery, type DeliveryPorts } from './delivery.ts';
import { SUPERSEDED_WITHIN_MS } from './enqueue.ts';

export interface ChannelDrainPorts extends DeliveryPorts, Omit<ChannelHoldsPorts, 'hasOthers'> {
  readonly holds: ChannelHolds;
  readonly nudges: Nudges;
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
  const { store, clock, holder, holds, nudges, stopping } = ports;
  const deliver = createDelivery(ports);
  /** By channel: when this process last showed something there, in milliseconds since the epoch. */
  const shownAt = new Map<string, number>();

  async function deliverAll(channel: string, hold: ChannelHold): Promise<Pause | null> {
    while (!stopping.aborted && !hold.lease.lost.aborted) {
      const row = await firstRow(store, channel);
      if (!row) return null;
      const early = await pauseBefore(row.value);
      if (early) return early;
      const waitMs = await deliver(row, hold);
      const put = [...hold.notes.values()];
      hold.notes.clear();
      if (waitMs === null) shownAt.set(channel, clock());
      const isDone =
        waitMs === null &&
        (await store.commit({ expect: [unchanged(outbox, row)], put, delete: [ref(outbox, row.id)] }))
          .committed;
      // A row that was rewritten meanwhile stands for something newer, and stays.
      if (!isDone && put.length > 0) await store.commit({ put });
      if (isDone) hold.unclear.delete(row.id);
      if (waitMs !== null) return leave(channel, waitMs);
    }
    return null;
  }

  /** Gives the channel back: another process may be luckier. */
  async function leave(channel: string, ms: number): Promise<Pause> {
    await holds.giveBack(channel);
    return { ms, endsOnWake: false };
  }

  /** The pause before a row that isn't due, or that another process delivers; null when it can be delivered. */
  async function pauseBefore(row: OutboxRow): Promise<Pause | null> {
    // Fractions only order the rows of one commit.
    const dueInMs = Math.floor(row.at) - clock();
    // Much further ahead only another process's clock puts it.
    if (dueInMs > 0 && dueInMs <= 2 * SUPERSEDED_WITHIN_MS) return { ms: dueInMs, endsOnWake: true };
    if (!isForAnother(row)) return null;
    if (holds.has(row.channel)) {
      await holds.giveBack(row.channel);
      nudges.send(channelLease(row.channel));
    }
    return { ms: TAKEN_MS, endsOnWake: true };
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
    const early = await pauseBefore(row.value);
    if (early) return early;
    const hold = await holds.take(channel);
    if (!hold) {
      // Its holder may have looked for the last time before this row arrived.
      nudges.send(channelLease(channel));
      return { ms: TAKEN_MS, endsOnWake: true };
    }
    try {
      const restMs = hold.turns.restMs();
      return await (restMs > 0 ? leave(channel, restMs) : deliverAll(channel, hold));
    } catch (error) {
      await holds.giveBack(channel, { isClean: false });
      throw error;
    } finally {
      holds.keep(channel);
    }
  };
}

/** The row of a channel that is delivered next; undefined when nothing waits there. */
export async function firstRow(store: Store, channel: string): Promise<Stored<OutboxRow> | undefined> {
  return (await store.query(outbox, 'byChannel', { prefix: [channel] }, 1)).items[0];
}

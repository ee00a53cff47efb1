import type { Nudges } from '../../storage/lease/nudges.ts';
import { ref, type Store, type Stored, unchanged } from '../../storage/store.ts';
import {
  type ChannelHold,
  type ChannelHolds,
  type ChannelHoldsPorts,
  channelLease,
  SETTLE_MS,
} from './channel-holds.ts';
import type { Pause } from './channel-pumps.ts';
import { type OutboxRow, outbox, toTurn } from './collections.ts';
import { createDelivery, type DeliveryPorts } from './delivery.ts';
import { SUPERSEDED_WITHIN_MS } from './enqueue.ts';

export interface ChannelDrainPorts extends DeliveryPorts, Omit<ChannelHoldsPorts, 'hasOthers'> {
  readonly holds: ChannelHolds;
  readonly nudges: Nudges;
  /** Told of each row that has been shown. */
  readonly onShown: (row: OutboxRow) => void;
}

/** How long until a channel held by another process is tried again, in milliseconds. */
const TAKEN_MS = 500;
/** How long a row is left to its owning process, in milliseconds: a live one needs far less. */
const LEFT_TO_OWNER_MS = 30_000;

/** Delivers the rows of channels that are due, under their leases, by turns of who asked for them in each. */
export class ChannelDrain {
  readonly #ports: ChannelDrainPorts;
  readonly #deliver: ReturnType<typeof createDelivery>;
  /** By channel: when this process last showed something there, in milliseconds since the epoch. */
  readonly #shownAt = new Map<string, number>();

  constructor(ports: ChannelDrainPorts) {
    this.#ports = ports;
    this.#deliver = createDelivery(ports);
  }

  /** Delivers what is due in a channel. Null when no row is left; else the pause before the next attempt. */
  async run(channel: string): Promise<Pause | null> {
    const { store, clock, holds, nudges } = this.#ports;
    const held = holds.get(channel);
    const next = await nextRow(store, channel, held?.turns.served ?? '', clock());
    if (!next.row) return null;
    const early = await this.#pauseBefore(next.row.value);
    if (early) return early;
    let underLease = held ? next : null;
    const hold = await holds.take(channel, async () => {
      const first = await firstRow(store, channel);
      // Of several, whose turn it is follows from what is known of the channel.
      underLease = first.isLast ? first : null;
    });
    if (!hold) {
      // Its holder may have looked for the last time before this row arrived.
      nudges.send(channelLease(channel));
      return { ms: TAKEN_MS, endsOnWake: true };
    }
    try {
      if (!hold.isSettled()) return { ms: SETTLE_MS, endsOnWake: false };
      const restMs = hold.turns.restMs();
      if (restMs > 0) return await this.#leave(channel, restMs);
      return await this.#deliverAll(channel, hold, underLease);
    } catch (error) {
      await holds.giveBack(channel, { isClean: false });
      throw error;
    } finally {
      holds.keep(channel);
    }
  }

  /** `known` is the next row if it was read under the lease already. */
  async #deliverAll(channel: string, hold: ChannelHold, known: NextRow | null): Promise<Pause | null> {
    const { store, clock, stopping } = this.#ports;
    let next = known;
    while (!stopping.aborted && !hold.lease.lost.aborted) {
      const { row, isLast } = next ?? (await nextRow(store, channel, hold.turns.served, clock()));
      next = null;
      if (!row) return null;
      const early = await this.#pauseBefore(row.value);
      if (early) return early;
      const waitMs = await this.#deliver(row, hold);
      const put = [...hold.notes.values()];
      hold.notes.clear();
      if (waitMs === null) {
        hold.turns.serve(toTurn(row.value));
        this.#shownAt.set(channel, clock());
        this.#ports.onShown(row.value);
      }
      const isDone =
        waitMs === null &&
        (await store.commit({ expect: [unchanged(outbox, row)], put, delete: [ref(outbox, row.id)] }))
          .committed;
      // A row that was rewritten meanwhile stands for something newer, and stays.
      if (!isDone && put.length > 0) await store.commit({ put });
      if (isDone) hold.unclear.delete(row.id);
      if (waitMs !== null) return this.#leave(channel, waitMs);
      // Whoever wrote another row meanwhile wakes us, here or by a nudge.
      const isMore = put.some(({ collection }) => collection === outbox.name);
      if (isDone && isLast && !isMore) return null;
    }
    return null;
  }

  /** Gives the channel back: another process may be luckier. */
  async #leave(channel: string, ms: number): Promise<Pause> {
    await this.#ports.holds.giveBack(channel);
    return { ms, endsOnWake: false };
  }

  /** The pause before a row that isn't due, or that another process delivers; null when it can be delivered. */
  async #pauseBefore(row: OutboxRow): Promise<Pause | null> {
    const { clock, holds, nudges } = this.#ports;
    const dueInMs = timeUntilDue(row, clock());
    if (dueInMs > 0) return { ms: dueInMs, endsOnWake: true };
    if (!this.#isForAnother(row)) return null;
    if (holds.get(row.channel)) {
      await holds.giveBack(row.channel);
      nudges.send(channelLease(row.channel));
    }
    return { ms: TAKEN_MS, endsOnWake: true };
  }

  /** Whether the row belongs to another process that is presumed alive. */
  #isForAnother({ by, at, channel }: OutboxRow): boolean {
    const { clock, holder } = this.#ports;
    if (by === undefined || by === holder.owner || holder.isGone(by)) return false;
    // While earlier rows were being delivered, it wasn't the owner's turn.
    const since = Math.max(at, this.#shownAt.get(channel) ?? at);
    return clock() - since < LEFT_TO_OWNER_MS;
  }
}

interface NextRow {
  readonly row: Stored<OutboxRow> | undefined;
  /** Whether no other row waits behind it. */
  readonly isLast: boolean;
}

/** In how many milliseconds a row is due; not above 0 where it is due now. */
function timeUntilDue({ at }: OutboxRow, now: number): number {
  // Fractions only order the rows of one commit.
  const dueInMs = Math.floor(at) - now;
  // Much further ahead only another process's clock puts it.
  return dueInMs <= 2 * SUPERSEDED_WITHIN_MS ? dueInMs : 0;
}

/** The first row of a channel, whosever turn it is. */
async function firstRow(store: Store, channel: string): Promise<NextRow> {
  const { items, next } = await store.query(outbox, 'byTurn', { prefix: [channel] }, 1);
  return { row: items[0], isLast: next === null };
}

/**
 * The row of a channel that is delivered next: of the turns after that of `served`, the first row that is due; where none
 * is, the one that is due first; undefined when nothing waits there.
 */
export async function nextRow(store: Store, channel: string, served: string, now: number): Promise<NextRow> {
  const { row: first, isLast } = await firstRow(store, channel);
  if (first === undefined || isLast) return { row: first, isLast: true };
  const heads = new Map<string, Stored<OutboxRow>>();
  for (let turn = served; ; ) {
    const from = [channel, turn, Number.POSITIVE_INFINITY];
    const after = await store.query(outbox, 'byTurn', { prefix: [channel], from }, 1);
    const head = after.items[0] ?? first;
    turn = toTurn(head.value);
    if (timeUntilDue(head.value, now) <= 0) return { row: head, isLast: false };
    if (heads.has(turn)) break;
    heads.set(turn, head);
  }
  const [soonest] = [...heads.values()].toSorted((one, other) => one.value.at - other.value.at);
  return { row: soonest, isLast: false };
}

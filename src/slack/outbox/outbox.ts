import type { Clock } from '../../lib/clock.ts';
import { errorMessage } from '../../lib/errors.ts';
import { createPeriodic } from '../../lib/periodic.ts';
import { type Lease, type LeaseHolder, takeLease } from '../../storage/lease/lease.ts';
import { scanIndex } from '../../storage/scan.ts';
import { put, ref, type Store, type Stored, unchanged } from '../../storage/store.ts';
import { classifyFailure } from '../client/api-errors.ts';
import { parseSlackThreadId } from '../ids.ts';
import { type OutboxItem, type OutboxRow, outbox, posted } from './collections.ts';
import { rowId } from './enqueue.ts';
import type { Files } from './files.ts';
import { findPostedAt, type PostedMessages } from './posted-messages.ts';
import { type ChannelTurns, createChannelTurns, type RateLimit } from './rate-limit.ts';
import type { Rendered } from './render.ts';

export interface OutboxPorts {
  readonly store: Store;
  readonly clock: Clock;
  /** This process as a lease holder: one process at a time delivers to a channel. */
  readonly holder: LeaseHolder;
  readonly posts: PostedMessages;
  readonly files: Files;
  /** The rate limit of messages in one channel. */
  readonly rateLimit: RateLimit;
  /** Renders the row from the record as it is now; null when there is nothing to show. */
  readonly render: (row: OutboxRow) => Promise<Rendered | null>;
  /** Renders a substitute for what Slack refuses to show; null leaves the place empty. */
  readonly renderRefused: (row: OutboxRow) => Promise<Rendered | null>;
  /** Ends the stream of an answer; its ts, or null when there is none. */
  readonly finishStream: (row: OutboxRow) => Promise<string | null>;
  readonly log: {
    error(details: object, message: string): void;
    warn(details: object, message: string): void;
  };
}

/** A channel that this process holds the lease of. */
interface Hold {
  readonly lease: Lease;
  readonly turns: ChannelTurns;
}

/** How many unclear failures count as a refusal, since other messages wait behind this one. */
const STUMBLES = 5;
/** How often the outbox looks for rows whose wake-up was lost, in milliseconds. */
const SWEEP_MS = 15_000;
/** How long until a channel held by another process is tried again, in milliseconds. */
const TAKEN_MS = 500;
/** How long a row is left to its owning process, in milliseconds: a live one needs far less. */
const LEFT_TO_OWNER_MS = 30_000;
/** How long a channel pauses when the store couldn't be read, in milliseconds. */
const STORE_RETRY_MS = 2_000;

/**
 * The transactional outbox for Slack: delivers rows first in, first out per channel, retrying until each is
 * shown. The commits that change the record write the rows, so the record and what people see can't diverge.
 */
export function createOutbox(ports: OutboxPorts) {
  const pumps = new Map<string, Promise<void>>();
  const again = new Set<string>();
  /** Channels that Slack asked us to pause; a wake-up doesn't shorten that. */
  const paused = new Map<string, NodeJS.Timeout>();
  /** By channel: when this process last showed something there, in milliseconds since the epoch. */
  const shownAt = new Map<string, number>();
  const stumbles = new Map<string, { readonly version: number; readonly count: number }>();
  const sweep = createPeriodic({ name: 'outbox sweep', everyMs: SWEEP_MS, run: wakeAll, log: ports.log });
  const stopping = new AbortController();

  function wake(channel: string): void {
    if (stopping.signal.aborted || paused.has(channel)) return;
    if (pumps.has(channel)) {
      again.add(channel);
      return;
    }
    const pump = drain(channel)
      .catch((error: unknown) => {
        ports.log.error({ err: error, channel }, `the outbox paused: ${errorMessage(error)}`);
        pause(channel, STORE_RETRY_MS);
      })
      .finally(() => {
        pumps.delete(channel);
        if (again.delete(channel)) wake(channel);
      });
    pumps.set(channel, pump);
  }

  async function wakeAll(): Promise<void> {
    const channels = new Set<string>();
    for await (const { value } of scanIndex(ports.store, outbox, 'byChannel', {}))
      channels.add(value.channel);
    for (const channel of channels) wake(channel);
  }

  function pause(channel: string, delayMs: number): void {
    if (stopping.signal.aborted) return;
    const timer = setTimeout(() => {
      paused.delete(channel);
      wake(channel);
    }, delayMs);
    timer.unref();
    paused.set(channel, timer);
  }

  async function drain(channel: string): Promise<void> {
    const row = await firstRow(channel);
    if (!row) return;
    if (isForAnother(row.value)) return pause(channel, TAKEN_MS);
    const lease = await takeLease(ports, `outbox:${channel}`);
    // The lease holder may have checked for the last time before this row arrived.
    if (!lease) return pause(channel, TAKEN_MS);
    let turns: ChannelTurns | null = null;
    try {
      turns = await createChannelTurns({ ...ports, stopping: stopping.signal }, channel);
      const waitMs = turns.restMs();
      if (waitMs > 0) return pause(channel, waitMs);
      await showAll(channel, { lease, turns });
    } finally {
      await lease.release(turns?.handOver());
    }
  }

  async function showAll(channel: string, hold: Hold): Promise<void> {
    while (!stopping.signal.aborted && !hold.lease.lost.aborted) {
      const row = await firstRow(channel);
      if (!row) return;
      const waitMs = isForAnother(row.value) ? TAKEN_MS : await deliver(row, hold);
      if (waitMs !== null) return pause(channel, waitMs);
    }
  }

  async function firstRow(channel: string): Promise<Stored<OutboxRow> | undefined> {
    return (await ports.store.query(outbox, 'byChannel', { prefix: [channel] }, 1)).items[0];
  }

  /** Whether the row belongs to another process that is presumed alive. */
  function isForAnother({ by, at, channel }: OutboxRow): boolean {
    if (by === undefined || by === ports.holder.owner || ports.holder.isGone(by)) return false;
    // While earlier rows were being delivered, it wasn't the owner's turn.
    const since = Math.max(at, shownAt.get(channel) ?? at);
    return ports.clock() - since < LEFT_TO_OWNER_MS;
  }

  /**
   * Delivers one row. Null when it is done; else how long to wait before the next attempt, in milliseconds.
   */
  async function deliver(row: Stored<OutboxRow>, hold: Hold): Promise<number | null> {
    const waitMs = await attempt(row, hold, ports.render);
    if (waitMs !== null) return waitMs;
    stumbles.delete(row.id);
    shownAt.set(row.value.channel, ports.clock());
    // A row that was rewritten meanwhile stands for something newer, and stays.
    await ports.store.commit({ expect: [unchanged(outbox, row)], delete: [ref(outbox, row.id)] });
    return null;
  }

  async function attempt(
    row: Stored<OutboxRow>,
    hold: Hold,
    render: (row: OutboxRow) => Promise<Rendered | null>,
  ): Promise<number | null> {
    try {
      await show(row, hold, render);
      return null;
    } catch (error) {
      // It was waiting for the rate limit; the next process to hold the channel delivers it.
      if (error === stopping.signal.reason) return TAKEN_MS;
      const failure = classifyFailure(error);
      const stumbled = failure.kind === 'unclear' ? countStumble(row) : 0;
      if ('waitMs' in failure && stumbled < STUMBLES) {
        ports.log.warn({ row: row.id, error: failure.name }, 'Slack did not take a message; trying again');
        if (failure.name === 'ratelimited') await hold.turns.rest(failure.waitMs);
        return failure.waitMs;
      }
      ports.log.error({ row: row.id, error: failure.name }, 'Slack refused a message for good');
      return render === ports.renderRefused ? null : attempt(row, hold, ports.renderRefused);
    }
  }

  /** Counts unclear failures of this version of the row. */
  function countStumble({ id, version }: Stored<OutboxRow>): number {
    const before = stumbles.get(id);
    const count = before?.version === version ? before.count + 1 : 1;
    stumbles.set(id, { version, count });
    return count;
  }

  async function show(
    { id, value: row }: Stored<OutboxRow>,
    { lease: { fence }, turns }: Hold,
    render: (row: OutboxRow) => Promise<Rendered | null>,
  ): Promise<void> {
    if (row.show.kind === 'files' && render === ports.render) {
      await ports.files.show(row, id, row.show.callKey, { fence, turn: turns.post });
    }
    const rendered = await render(row);
    const streamed = row.show.kind === 'answer' ? await ports.finishStream(row) : null;
    if (streamed !== null) await ports.posts.adopt(row, id, streamed);
    for (const [index, message] of (rendered?.messages ?? []).entries()) {
      const key = index === 0 ? id : `${id}:${index}`;
      const onlyUpdate = rendered?.onlyUpdate ?? false;
      await ports.posts.show(row, key, message, { onlyUpdate, fence, turn: turns.post });
    }
  }

  return {
    wake,

    /** Whether nothing waits to be shown in the channel, by any process. */
    isClear: async (channel: string): Promise<boolean> => (await firstRow(channel)) === undefined,

    /** Enqueues these, to be shown as they are on record. */
    async show(threadId: string, shows: readonly OutboxItem[]): Promise<void> {
      const thread = parseSlackThreadId(threadId);
      if (!thread) return;
      const row = { channel: thread.channel, threadId, at: ports.clock() };
      await ports.store.commit({ put: shows.map((it) => put(outbox, rowId(it), { ...row, show: it })) });
      wake(thread.channel);
    },

    /** Posts a deleted message again, if `stillMatters`. */
    async deleted(
      channel: string,
      ts: string,
      stillMatters: (show: OutboxItem) => Promise<boolean>,
    ): Promise<void> {
      const isShowing = async () => (await firstRow(channel)) !== undefined;
      const message = await findPostedAt(ports.store, channel, ts, isShowing);
      if (!message || !(await stillMatters(message.value.show))) return;
      const { threadId, show: it } = message.value;
      await ports.store.commit({
        expect: [unchanged(posted, message)],
        put: [put(outbox, rowId(it), { channel, threadId, at: ports.clock(), show: it })],
        delete: [ref(posted, message.id)],
      });
      wake(channel);
    },

    /** Starts delivering what earlier processes left, and from then on rows whose wake-up was lost. */
    start: sweep.start,
    async stop(): Promise<void> {
      stopping.abort();
      await sweep.stop();
      for (const timer of paused.values()) clearTimeout(timer);
      await Promise.allSettled(pumps.values());
    },
  };
}

import { createPeriodic } from '../../lib/periodic.ts';
import { type QueueDepth, readQueueDepth } from '../../storage/queue-depth.ts';
import { reindex } from '../../storage/reindex.ts';
import { scanIndex } from '../../storage/scan.ts';
import { put, ref, type Store, unchanged } from '../../storage/store.ts';
import { parseSlackPlace } from '../ids.ts';
import { ChannelDrain, type ChannelDrainPorts, nextRow } from './channel-drain.ts';
import { ChannelHolds, leasedChannel } from './channel-holds.ts';
import { ChannelPumps } from './channel-pumps.ts';
import { type OutboxItem, outbox, posted } from './collections.ts';
import { findPostedAt } from './posted-messages.ts';
import { rowId, rows } from './rows.ts';

type OutboxPorts = Omit<ChannelDrainPorts, 'stopping' | 'holds'>;

/** How often the outbox looks for rows whose wake-up was lost, in milliseconds. */
const SWEEP_MS = 15_000;

/**
 * The transactional outbox for Slack: delivers the rows of a channel, retrying until each is shown, by turns of those who
 * asked for what they show, so that much of one person's doesn't hold up another's, and each one's first in, first out.
 * The commits that change the record write the rows, so the record and what people see can't diverge.
 */
export function createOutbox(ports: OutboxPorts) {
  const { store, clock, nudges, log } = ports;
  const stopping = new AbortController();
  const { signal } = stopping;
  const holds = new ChannelHolds({ ...ports, stopping: signal, hasOthers: nudges.hasOthers });
  const channels = new ChannelDrain({ ...ports, stopping: signal, holds });
  const pumps = new ChannelPumps({ drain: (channel) => channels.run(channel), log });
  const sweep = createPeriodic({ name: 'outbox sweep', everyMs: SWEEP_MS, run: wakeAll, log });

  async function wakeAll(): Promise<void> {
    const channels = new Set<string>();
    for await (const { value } of scanIndex(store, outbox, 'byTurn', {})) channels.add(value.channel);
    for (const channel of channels) pumps.wake(channel);
  }

  return {
    /** Shows what waits in the channel; `dueInMs`: when the rows that it's woken for are due. @default 0 */
    wake: (channel: string, due: { readonly dueInMs?: number } = {}): void => pumps.wake(channel, due),

    /** Whether nothing waits to be shown in the channel, by any process. */
    isClear: async (channel: string): Promise<boolean> =>
      (await nextRow(store, channel, '', clock())).row === undefined,

    /** Enqueues these of a requester, to be shown as they are on record. */
    async show(place: Parameters<typeof rows>[0], shows: readonly OutboxItem[]): Promise<void> {
      const thread = parseSlackPlace(place.threadId);
      if (!thread) return;
      await store.commit({ put: rows(place, clock, shows) });
      pumps.wake(thread.channel);
    },

    /** Posts a deleted message again, if `stillMatters`. */
    async deleted(
      channel: string,
      ts: string,
      stillMatters: (show: OutboxItem) => Promise<boolean>,
    ): Promise<void> {
      const isShowing = async () => (await nextRow(store, channel, '', clock())).row !== undefined;
      const message = await findPostedAt(store, channel, ts, isShowing);
      if (!message || !(await stillMatters(message.value.show))) return;
      const { threadId, show: it, requester } = message.value;
      await store.commit({
        expect: [unchanged(posted, message)],
        put: [put(outbox, rowId(it), { channel, threadId, at: clock(), show: it, requester })],
        delete: [ref(posted, message.id)],
      });
      pumps.wake(channel);
    },

    /**
     * Starts delivering what earlier processes left, and from then on rows whose wake-up was lost. Rejects
     * when the outbox can't be read: nothing would be shown.
     */
    async start(): Promise<void> {
      nudges.receive((lease) => {
        const channel = leasedChannel(lease);
        if (channel !== null && (holds.get(channel) || pumps.isPaused(channel))) pumps.wake(channel);
      });
      await reindex({ store }, { collection: outbox, index: 'byTime' });
      await wakeAll();
      await sweep.start();
    },
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all([sweep.stop(), pumps.stop()]);
      await holds.stop();
    },
  };
}

/** What waits to be shown, in any channel and by any process. */
export function readOutboxDepth(store: Store): Promise<QueueDepth> {
  return readQueueDepth(store, { collection: outbox, index: 'byTime' }, ({ at }) => at);
}

import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { createPeriodic, type Periodic } from '../lib/periodic.ts';
import { FairSlots } from '../lib/slots/fair-slots.ts';
import type { Store, Stored } from '../storage/store.ts';
import { type ScheduleRecord, schedules } from './collections.ts';

/** How many looks one process has under way; each may wait half a minute for its service. */
const MOST_UNDER_WAY = 16;
/** How many wait for their turn: all that ten people can have whose services hang. */
const MOST_WAITING = 200;

interface LookQueuePorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly everyMs: number;
  /** Null while nobody knows where runs begin. */
  readonly look: () => ((stored: Stored<ScheduleRecord>, signal: AbortSignal) => Promise<void>) | null;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

/**
 * Has looked for what is new, in turns of the owners, and beside everything that begins by time: a service that hangs holds up
 * no more than looks, and those of its users before those of others.
 */
export function createLookQueue({ store, clock, everyMs, look: toLook, log }: LookQueuePorts): Periodic {
  const slots = new FairSlots(MOST_UNDER_WAY);
  const stopping = new AbortController();
  const underWay = new Map<string, Promise<void>>();
  const every = createPeriodic({ name: 'looks', everyMs, run: begin, log });

  async function begin(): Promise<void> {
    const look = toLook();
    if (look === null) return;
    const { items } = await store.query(schedules, 'byLook', { before: [clock() + 1] }, MOST_WAITING);
    for (const stored of items) {
      if (!underWay.has(stored.id)) underWay.set(stored.id, inTurn(stored, look));
    }
  }

  async function inTurn(
    stored: Stored<ScheduleRecord>,
    look: NonNullable<ReturnType<typeof toLook>>,
  ): Promise<void> {
    const { signal } = stopping;
    try {
      const release = await slots.acquire({ owner: stored.value.owner.id, signal });
      await look(stored, signal).finally(release);
    } catch (err) {
      if (signal.aborted) return;
      log.warn({ err, schedule: stored.id }, 'failed to look for what is new; looking again');
    } finally {
      underWay.delete(stored.id);
    }
  }

  const ended = async () => void (await Promise.all(underWay.values()));
  return {
    start: every.start,
    async runNow() {
      await every.runNow();
      await ended();
    },
    async stop() {
      stopping.abort(new Error('the process ends'));
      await every.stop();
      await ended();
    },
  };
}

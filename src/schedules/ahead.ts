import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { scanReadable } from '../storage/scan.ts';
import type { Store, Stored } from '../storage/store.ts';
import { type ScheduleRecord, schedules } from './collections.ts';
import { ATTEMPT_MS } from './start-runs.ts';
import { findNext, hasCome, SKEW_MS } from './times.ts';
import type { WriteSchedule } from './write.ts';

interface AheadPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly write: WriteSchedule;
  /** Told of whose next time has changed. */
  readonly changed: (personId: string) => void;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Brings back what waits for a later time than it can by this clock: a clock that was ahead for a while has put it there, of this
 * process or another one, and it would rest for as long as that was wrong.
 */
export function createBringBack({ store, clock, write, changed, log }: AheadPorts) {
  return async (): Promise<void> => {
    for (const index of ['byLook', 'byDue']) {
      const range = { from: [clock() + SKEW_MS] };
      for await (const stored of scanReadable({ store }, schedules, index, range)) {
        const right = findRight(stored, clock());
        if (right === null || (await write(stored, { ...stored.value, ...right })) === null) continue;
        const { dueAt, lookAt } = stored.value;
        log.warn(
          { schedule: stored.id, dueAt, lookAt, now: right },
          'a clock was ahead; brought back a schedule',
        );
        changed(stored.value.owner.id);
      }
    }
  };
}

/** When it comes by a clock that is right; null where that is so already. */
function findRight(
  { value }: Stored<ScheduleRecord>,
  now: number,
): Pick<ScheduleRecord, 'dueAt' | 'lookAt'> | null {
  const { when, timeZone, dueAt, lookAt, beginning, ran, ranAt } = value;
  if (lookAt === null) return null;
  // What has come is never later than now: this clock is behind, and what it brought back would begin again.
  if (ran !== null && ran > now && hasCome(ran, ranAt)) return null;
  if (beginning !== null) {
    // Not at once: who began it may be about to post the message.
    return lookAt > now + SKEW_MS + ATTEMPT_MS ? { dueAt, lookAt: now + ATTEMPT_MS } : null;
  }
  const latest = findNext(when, timeZone, now + SKEW_MS);
  if (when.kind === 'once' || latest === null || lookAt <= latest) return null;
  if (when.kind === 'trigger') return { dueAt: now, lookAt: now };
  const next = findNext(when, timeZone, now);
  // What began by the clock that was ahead isn't begun again.
  const due = next !== null && next === ran ? findNext(when, timeZone, next) : next;
  return due === null || due >= lookAt ? null : { dueAt: due, lookAt: due };
}

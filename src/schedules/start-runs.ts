import type { Clock } from '../lib/clock.ts';
import type { Attempts } from '../lib/slots/attempts.ts';
import { type Change, put, ref, type Store, type Stored, unchanged } from '../storage/store.ts';
import { type ScheduleRecord, schedules, toSchedule } from './collections.ts';
import type { Occurrence, Opened, SchedulePlaces, WhyEnded } from './ports.ts';
import { findLast, findNext, hasCome } from './times.ts';
import type { WriteSchedule } from './write.ts';

/** How long after its time something still runs, in milliseconds. What is older isn't made up for. */
const MISSED_MS = 12 * 3_600_000;
/** From when on it's late enough to say so, in milliseconds. */
const LATE_MS = 5 * 60_000;
/**
 * How long one process has to begin it before another tries, in milliseconds: longer than the calls to Slack that it takes.
 * What failed is tried again as soon.
 */
export const ATTEMPT_MS = 60_000;

interface StarterPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly attempts: Pick<Attempts<ScheduleRecord>, 'isLeft'>;
  readonly places: SchedulePlaces;
  readonly write: WriteSchedule;
  /** Ends one that can't run any more. */
  readonly end: (stored: Stored<ScheduleRecord>, why: WhyEnded) => Promise<void>;
  /** Told of whose next time has changed. */
  readonly changed: (personId: string) => void;
}

/**
 * Begins what is due, once for each time: a commit claims it, and says which time is being begun. The message that a run begins
 * with is posted after that, so whoever comes after a crash looks for it first. The run itself, under an id that is made of the
 * schedule's and the time, and the next time are one commit.
 *
 * A trigger's time is when something new is found, which `look.ts` claims.
 */
export function createStarter({ store, clock, attempts, places, write, end, changed }: StarterPorts) {
  /** Goes on to the next time without having run. */
  async function skip(stored: Stored<ScheduleRecord>): Promise<void> {
    const next = findNext(stored.value.when, stored.value.timeZone, clock());
    if (next === null) return end(stored, 'missed');
    const written = await write(stored, {
      ...stored.value,
      ...{ dueAt: next, lookAt: next, beginning: null, found: null },
    });
    if (written === null) return;
    changed(stored.value.owner.id);
    if (stored.value.found !== null) await places.tellTrouble([toSchedule(written)], { why: 'dropped' });
  }

  async function begin(claimed: Stored<ScheduleRecord>, dueAt: number, opened: Opened): Promise<boolean> {
    const occurrence = toOccurrence(claimed, dueAt, clock());
    if (claimed.value.kind === 'run')
      return places.begin(occurrence, opened, advance(claimed, opened, clock()));
    return (await store.commit(advance(claimed, opened, clock()))).committed;
  }

  /** Goes on with a time that this process has claimed. */
  async function beginClaimed(
    claimed: Stored<ScheduleRecord>,
    dueAt: number,
    { mayBePosted } = { mayBePosted: false },
  ): Promise<void> {
    const opened = await places.open(toOccurrence(claimed, dueAt, clock()), { mayBePosted });
    if (opened === null) return end(claimed, 'place_closed');
    if (await begin(claimed, dueAt, opened)) return changed(claimed.value.owner.id);
    const now = await store.get(schedules, claimed.id);
    // As a clock was ahead, it has begun at this time before.
    const isRepeat =
      now?.version === claimed.version && (await store.commit(advance(claimed, opened, clock()))).committed;
    if (isRepeat) changed(claimed.value.owner.id);
    // Where another process still begins the same time, it finds the message and goes on with it.
    if (isRepeat || now?.value.beginning !== dueAt)
      await places.takeBack(toOccurrence(claimed, dueAt, clock()), opened);
  }

  async function start(stored: Stored<ScheduleRecord>): Promise<void> {
    const { when, timeZone, dueAt: due, beginning } = stored.value;
    if (due === null) return;
    const dueAt = beginning ?? findLast(when, timeZone, due, clock());
    // A reminder that nobody has seen is worth more late than never.
    const isOnlyOnce = stored.value.kind === 'reminder' && when.kind === 'once';
    if (clock() - dueAt > MISSED_MS && !isOnlyOnce) return skip(stored);
    const held = await write(stored, { ...stored.value, lookAt: clock() + ATTEMPT_MS, beginning: dueAt });
    // Another process has it, or its owner has just stopped it.
    if (held === null) return;
    attempts.isLeft(held);
    const why = await places.check(toSchedule(held));
    if (why !== null) return end(held, why);
    if ((await store.get(schedules, held.id))?.version !== held.version) return;
    await beginClaimed(held, dueAt, { mayBePosted: beginning === dueAt });
  }

  return { start, beginClaimed };
}

/** The commit with which a time is over, whatever else is in it. */
function advance(stored: Stored<ScheduleRecord>, opened: Opened, now: number): Change {
  const { when, timeZone, beginning: ran } = stored.value;
  const ranAt = Math.floor(Number(opened.ts) * 1_000);
  // Where the clock was set back since it was claimed, that time isn't the next one again.
  const since = ran !== null && hasCome(ran, ranAt) ? Math.max(ran, now) : now;
  const next = findNext(when, timeZone, since);
  const value = { ...stored.value, dueAt: next, lookAt: next, beginning: null, ran, ranAt, found: null };
  return {
    expect: [unchanged(schedules, stored)],
    ...(next === null
      ? { delete: [ref(schedules, stored.id)] }
      : { put: [put(schedules, stored.id, value)] }),
  };
}

function toOccurrence(stored: Stored<ScheduleRecord>, dueAt: number, now: number): Occurrence {
  return { schedule: toSchedule(stored), dueAt, isLate: now - dueAt > LATE_MS, news: stored.value.found };
}

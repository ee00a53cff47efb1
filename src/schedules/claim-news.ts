import type { Clock } from '../lib/clock.ts';
import type { Stored } from '../storage/store.ts';
import { type ScheduleRecord, toSchedule } from './collections.ts';
import { findNews } from './news.ts';
import type { SchedulePlaces, Triggers } from './ports.ts';
import { NEWS } from './texts.ts';

/** How many new things one run is begun with, at most. The others are counted. */
const MOST_NAMED = 10;

interface NewsClaimPorts {
  /** Writes a record as long as nobody else has; null if somebody has. */
  readonly write: (
    stored: Stored<ScheduleRecord>,
    value: ScheduleRecord,
  ) => Promise<Stored<ScheduleRecord> | null>;
  readonly clock: Clock;
  readonly places: Pick<SchedulePlaces, 'tellPaused'>;
  readonly triggers: Triggers;
  /** Told of whose schedule was paused. */
  readonly changed: (personId: string) => void;
  /** How long a process has to begin a run before another tries, in milliseconds. */
  readonly attemptMs: number;
}

/**
 * Looks for what is new of a trigger that this process holds, and claims it by the commit that says that it has been seen, so
 * that it begins nothing again. Gives null where nothing begins.
 */
export function createNewsClaim({ write, clock, places, triggers, changed, attemptMs }: NewsClaimPorts) {
  return async (held: Stored<ScheduleRecord>, dueAt: number): Promise<Stored<ScheduleRecord> | null> => {
    const { value } = held;
    const { when, owner } = value;
    if (when.kind !== 'trigger') return null;
    const looked = await triggers.look(when, owner);
    if ('problem' in looked) {
      const paused = await write(held, { ...value, dueAt: null, lookAt: null, seen: null });
      if (paused === null) return null;
      changed(owner.id);
      await places.tellPaused(toSchedule(paused), looked.problem);
      return null;
    }
    const { news, seen } = findNews(looked.things, value.seen);
    if (news.length === 0) {
      await write(held, { ...value, seen });
      return null;
    }
    const ids = news.slice(0, MOST_NAMED);
    const more = news.length - ids.length;
    const howToRead = [triggers.howToRead(when, ids), ...(more > 0 ? [NEWS.more(more)] : [])].join('\n');
    const lookAt = clock() + attemptMs;
    return write(held, { ...value, seen, beginning: dueAt, lookAt, found: { ids, more, howToRead } });
  };
}

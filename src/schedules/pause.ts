import type { Clock } from '../lib/clock.ts';
import type { Store, Stored } from '../storage/store.ts';
import { MOST_SCHEDULES, type ScheduleRecord, schedules, toSchedule } from './collections.ts';
import { keepWaiting } from './news.ts';
import type { SchedulePlaces, Triggers, Trouble, WhyEnded, WhyPaused } from './ports.ts';
import type { WriteSchedules } from './write.ts';

interface PausePorts {
  readonly store: Store;
  readonly writeAll: WriteSchedules;
  readonly clock: Clock;
  readonly places: Pick<SchedulePlaces, 'check' | 'tellTrouble'>;
  readonly triggers: Pick<Triggers, 'look'>;
  readonly end: (stored: Stored<ScheduleRecord>, why: WhyEnded) => Promise<void>;
  /** Told of whose schedules have changed. */
  readonly changed: (personId: string) => void;
}

type Held = Stored<ScheduleRecord>;
type Why = Trouble & { readonly why: WhyPaused };

/** Pauses triggers until somebody does something, and tells their owner so. */
export function createPause({ store, writeAll, clock, places, triggers, end, changed }: PausePorts) {
  /** Whether the owner can still have it run there; Slack is asked. Where not, it's ended. */
  async function isThere(held: Held): Promise<boolean> {
    const why = await places.check(toSchedule(held));
    if (why !== null) await end(held, why);
    return why === null;
  }

  /** The owner's other triggers at what they are no longer connected with, also at other servers that share the sign-in. */
  async function findUnconnected(held: Held, said: string | null, signal: AbortSignal): Promise<Held[]> {
    const { owner } = held.value;
    const { items } = await store.query(schedules, 'byOwner', { prefix: [owner.id] }, MOST_SCHEDULES);
    const servers = new Map([[findServer(held), true]]);
    const found: Held[] = [];
    for (const other of items.filter((one) => one.id !== held.id && isActive(one))) {
      const { when } = other.value;
      if (when.kind !== 'trigger') continue;
      const isSame = servers.get(when.server) ?? (await isUnconnected(when, said));
      servers.set(when.server, isSame);
      if (isSame && (await isThere(other))) found.push(other);
    }
    return found;

    async function isUnconnected(when: Parameters<Triggers['look']>[0], name: string | null) {
      if (name === null) return false;
      const looked = await triggers.look(when, owner, signal);
      return 'why' in looked && looked.why === 'not_connected' && looked.said === name;
    }
  }

  /**
   * Pauses a trigger, and with it those that can't be looked at for want of the same sign-in, in one commit: so its owner gets
   * one message of them all, also where several processes find it at a time.
   */
  async function pause(held: Held, { why, said }: Why, signal: AbortSignal): Promise<void> {
    if (!(await isThere(held))) return;
    const trouble = { why, said, since: clock(), isTold: true };
    const toPaused = (stored: Held) => {
      const seen = keepWaiting(stored.value.seen);
      const looked = { at: stored.value.looked?.at ?? null, trouble };
      return { stored, value: { ...stored.value, dueAt: null, lookAt: null, seen, looked } };
    };
    let all = [held, ...(why === 'not_connected' ? await findUnconnected(held, said, signal) : [])];
    for (;;) {
      const paused = await writeAll(all.map(toPaused));
      if (paused !== null) {
        changed(held.value.owner.id);
        const inOrder = paused.toSorted((one, other) => one.value.createdAt - other.value.createdAt);
        return places.tellTrouble(inOrder.map(toSchedule), { why, said });
      }
      const now = await Promise.all(all.map(({ id }) => store.get(schedules, id)));
      // Whoever has changed it meanwhile has paused it with the others, or looks at it next.
      if (now[0]?.version !== held.version) return;
      all = now.filter((one) => one !== null).filter((one) => one.id === held.id || isActive(one));
    }
  }

  return { isThere, pause };
}

function findServer({ value }: Held): string {
  return value.when.kind === 'trigger' ? value.when.server : '';
}

/** Whether it waits for its next look, and no run is being begun with it. */
function isActive({ value }: Held): boolean {
  return value.when.kind === 'trigger' && value.lookAt !== null && value.beginning === null;
}

import { NO_THREAD, SYSTEM } from '../gate/types.ts';
import type { Logger } from '../lib/logger.ts';
import type { Stored } from '../storage/store.ts';
import { type ScheduleRecord, toSchedule } from './collections.ts';
import { findNews } from './news.ts';
import { createPause } from './pause.ts';
import type { Looked, Triggers, WhyBlind } from './ports.ts';
import { ATTEMPT_MS } from './start-runs.ts';
import { MOST_RUNS_A_DAY } from './texts.ts';
import { findNext } from './times.ts';
import type { WriteSchedule } from './write.ts';

/** How much sooner than usual a look may come, in milliseconds: what was due at one moment isn't for good. */
const JITTER_MS = 60_000;
/** After how long a service that doesn't say what is new is told of, in milliseconds. */
const TELL_MS = 12 * 3_600_000;
const DAY_MS = 86_400_000;

type LookPorts = Parameters<typeof createPause>[0] & {
  readonly write: WriteSchedule;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly triggers: Pick<Triggers, 'look' | 'describe'>;
  /** Begins a run with what was found, at the moment that was claimed. */
  readonly begin: (claimed: Stored<ScheduleRecord>, dueAt: number) => Promise<void>;
  readonly log: Pick<Logger, 'warn'>;
};

type Unseen = Extract<Looked, { readonly why: unknown }>;
type Seen = Extract<Looked, { readonly things: unknown }>;
type Held = Stored<ScheduleRecord>;

/**
 * Looks for what is new of a trigger, and begins a run with it. What is new counts as seen by the commit that claims the run, so
 * that it begins nothing again; that commit says in the audit by which read it was found.
 */
export function createLook(ports: LookPorts) {
  const { write, clock, random, places, triggers, begin, changed, log } = ports;
  // Slack is asked about the owner only where something comes of the look.
  const { isThere, pause } = createPause(ports);

  async function noteTrouble(held: Held, { why, said }: Unseen, signal: AbortSignal): Promise<void> {
    const { looked, owner } = held.value;
    const before = looked?.trouble ?? null;
    // What one look is refused may be there again at the next.
    if (isLasting(why) && (why !== 'refused' || before?.why === why)) {
      return pause(held, { why, said }, signal);
    }
    log.warn({ schedule: held.id, why, said }, 'failed to look for what is new; looking again');
    const isTold = before?.isTold ?? false;
    // Neither is later than now, but where a clock was ahead.
    const since = Math.min(before?.since ?? clock(), clock());
    const isLong = !isTold && clock() - since >= TELL_MS;
    const trouble = { why, said, since, isTold: isTold || isLong };
    const noted = await write(held, { ...held.value, looked: { at: looked?.at ?? null, trouble } });
    if (noted === null) return;
    if (before === null) changed(owner.id);
    if (isLong) await places.tellTrouble([toSchedule(noted)], { why: 'silent', said: null });
  }

  async function claim(held: Held, there: Seen, signal: AbortSignal): Promise<void> {
    const { value } = held;
    const { when, owner } = value;
    if (when.kind !== 'trigger') return;
    const { news, seen } = findNews(there, value.seen, clock());
    const now = clock();
    const looked = { ...value, seen, looked: { at: now, trouble: null } };
    if (news.length === 0) {
      const isWell = (await write(held, looked)) !== null && value.looked?.trouble;
      if (isWell) changed(owner.id);
      return;
    }
    const today = value.begun !== null && now - value.begun.since < DAY_MS ? value.begun : null;
    const count = (today?.count ?? 0) + 1;
    if (count > MOST_RUNS_A_DAY) {
      // None has begun with what this look has found: it goes on with it once it's resumed.
      const left = { ...seen, waiting: [...news, ...seen.waiting] };
      return pause({ ...held, value: { ...value, seen: left } }, { why: 'too_often', said: null }, signal);
    }
    if (!(await isThere(held))) return;
    const later = seen.waiting.length;
    const data = triggers.describe(
      when,
      news.map(({ id }) => id),
      later,
    );
    const found = { count: news.length, later, data };
    const begun = { since: Math.min(today?.since ?? now, now), count };
    const { tool, digest } = there.read;
    const details = { schedule: held.id, owner: owner.id, tool, count: news.length };
    const note = { threadId: NO_THREAD, what: 'looked', actor: SYSTEM, digest, details } as const;
    const claimed = { ...looked, begun, beginning: now, lookAt: now + ATTEMPT_MS, found };
    const written = await write(held, claimed, note);
    if (written !== null) await begin(written, now);
  }

  return async (stored: Held, signal: AbortSignal): Promise<void> => {
    const { when, owner, timeZone } = stored.value;
    const next = findNext(when, timeZone, clock());
    if (when.kind !== 'trigger' || next === null) return;
    const lookAt = next - Math.floor(random() * JITTER_MS);
    const held = await write(stored, { ...stored.value, lookAt });
    // Another process has it, or its owner has just stopped it.
    if (held === null) return;
    const looked = await triggers.look(when, owner, signal);
    if (signal.aborted) return;
    await ('why' in looked ? noteTrouble(held, looked, signal) : claim(held, looked, signal));
  };
}

/** Whether it stays so until somebody does something. */
function isLasting(why: Unseen['why']): why is WhyBlind {
  return why !== 'silent';
}

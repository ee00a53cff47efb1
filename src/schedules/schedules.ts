import { type Actor, type AuditLog, type AuditNote, NO_THREAD, RefusalError, SYSTEM } from '../gate/types.ts';
import type { Clock, Ids } from '../lib/clock.ts';
import { createListeners } from '../lib/listeners.ts';
import type { Logger } from '../lib/logger.ts';
import { createPeriodic, type Periodic } from '../lib/periodic.ts';
import { Attempts } from '../lib/slots/attempts.ts';
import { absent, put, type Store, type Stored } from '../storage/store.ts';
import { createBringBack } from './ahead.ts';
import { MOST_SCHEDULES, type ScheduleRecord, schedules, toSchedule } from './collections.ts';
import { createLook } from './look.ts';
import { createLookQueue } from './look-queue.ts';
import { findNews, keepWaiting } from './news.ts';
import type { OfferedTrigger, Schedule, SchedulePlaces, Triggers, When, WhyEnded } from './ports.ts';
import { ATTEMPT_MS, createStarter } from './start-runs.ts';
import { auditWhen, ENDED, REFUSED } from './texts.ts';
import { findNext } from './times.ts';
import { createWriter } from './write.ts';

/** The longest text of one, in characters. */
export const LONGEST_TEXT = 2_000;
/** How often it's looked for what is due, in milliseconds. */
const LOOK_MS = 5_000;
/** How often it's looked for what a wrong clock has put off, in milliseconds. */
const BRING_BACK_MS = 10 * 60_000;
/**
 * How many one look begins, all at once. Each asks Slack about its owner: `users.info` and `conversations.members` are of tier 4,
 * about 100 a minute (docs.slack.dev/apis/web-api/rate-limits), and clicks need them too.
 */
const PER_LOOK = 5;
/** How many it chooses them from: what another process begins is left out. */
const PER_CHOICE = 100;

interface SchedulesPorts {
  readonly store: Store;
  readonly clock: Clock;
  /** Milliseconds that go on whatever clocks are set to. @default performance.now */
  readonly steady?: () => number;
  readonly ids: Ids;
  readonly audit: Pick<AuditLog, 'append'>;
  readonly triggers: Triggers;
  /** From 0 to 1. @default Math.random */
  readonly random?: () => number;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

/** What is made of words, and where. */
type Terms = Pick<Schedule, 'kind' | 'text' | 'typed' | 'when' | 'timeZone' | 'place'>;

/**
 * What people have run at times, and when there is something new at a service. Each time begins once, whichever process finds
 * it due: see `start-runs.ts`.
 */
export class Schedules {
  /** Looks for what is due, and begins it. */
  readonly work: Periodic;
  /** Looks for what is new, and begins runs with it. */
  readonly looks: Periodic;
  /** Looks for what a clock that was ahead has put off, and brings it back. */
  readonly clocks: Periodic;
  readonly #ports: SchedulesPorts;
  readonly #changed = createListeners<[personId: string]>();
  readonly #writer: ReturnType<typeof createWriter>;
  readonly #attempts: Attempts<ScheduleRecord>;
  #start: ReturnType<typeof createStarter>['start'] | null = null;
  #lookAt: ReturnType<typeof createLook> | null = null;

  constructor(ports: SchedulesPorts) {
    this.#ports = ports;
    const { log } = ports;
    this.#attempts = new Attempts(({ beginning, lookAt }) => beginning && lookAt, ATTEMPT_MS, ports.steady);
    this.#writer = createWriter(ports);
    this.looks = createLookQueue({ ...ports, everyMs: LOOK_MS, look: () => this.#lookAt });
    this.work = createPeriodic({ name: 'schedules', everyMs: LOOK_MS, run: () => this.#look(), log });
    const { write } = this.#writer;
    const bringBack = createBringBack({
      ...ports,
      write,
      changed: (personId) => this.#changed.notify(personId),
    });
    this.clocks = createPeriodic({ name: 'schedules-clocks', everyMs: BRING_BACK_MS, run: bringBack, log });
  }

  /** What `when` can be followed by. */
  get offered(): readonly OfferedTrigger[] {
    return this.#ports.triggers.offered;
  }

  /** Hears of people whose schedules changed, or ran. */
  onChange = this.#changed.add;

  /** Names where they run. Until then none does. */
  runIn(places: SchedulePlaces): void {
    const { random = Math.random } = this.#ports;
    const shared = {
      ...{ ...this.#ports, random, attempts: this.#attempts, places, ...this.#writer },
      end: (stored: Stored<ScheduleRecord>, why: WhyEnded) => this.#end(stored, why, places),
      changed: (personId: string) => this.#changed.notify(personId),
    };
    const { start, beginClaimed } = createStarter(shared);
    this.#start = start;
    this.#lookAt = createLook({ ...shared, begin: beginClaimed });
  }

  /** @throws RefusalError where the person has too many, the text is too long, or nobody can look for what is new. */
  async create(terms: Terms, owner: Actor): Promise<Schedule> {
    const { store, clock, ids, audit } = this.#ports;
    if (terms.text.length > LONGEST_TEXT) throw refusal(REFUSED.tooLong(LONGEST_TEXT));
    const [id, createdAt] = [ids(), clock()];
    const dueAt = findNext(terms.when, terms.timeZone, createdAt);
    const { read = null, ...first } = await this.#lookFirst(terms.when, owner);
    const value = {
      ...terms,
      owner,
      createdAt,
      dueAt,
      lookAt: dueAt,
      beginning: null,
      ran: null,
      ranAt: null,
      ...UNBEGUN,
      ...first,
    };
    for (;;) {
      const note = await audit.append([toNote('scheduled', owner, { id, value }, read)]);
      // Counted behind the audit's head, which the commit expects: whoever schedules meanwhile changes that.
      const has = await store.count(schedules, 'byOwner', { prefix: [owner.id] }, MOST_SCHEDULES);
      if (has >= MOST_SCHEDULES) throw refusal(REFUSED.tooMany(MOST_SCHEDULES));
      const { committed } = await store.commit({
        expect: [absent(schedules, id), ...note.expect],
        put: [put(schedules, id, value), ...note.put],
      });
      if (committed) break;
    }
    this.#changed.notify(owner.id);
    return toSchedule({ id, version: 0, value });
  }

  /** A person's schedules and reminders, oldest first. */
  async list(ownerId: string): Promise<readonly Schedule[]> {
    const page = await this.#ports.store.query(schedules, 'byOwner', { prefix: [ownerId] }, MOST_SCHEDULES);
    return page.items.map(toSchedule);
  }

  /**
   * Stops one for good, for its owner or an admin. What it has begun goes on.
   * @throws RefusalError for anybody else, or where there is none.
   */
  async stop(id: string, actor: Actor, { isAdmin }: { readonly isAdmin: boolean }): Promise<Schedule> {
    for (;;) {
      const stored = await this.#find(id);
      const { owner } = stored.value;
      if (owner.id !== actor.id && !isAdmin) throw refusal(REFUSED.notYours(owner.name), 'not_allowed');
      const deleted = await this.#delete(stored, actor, 'stopped');
      if (deleted) return toSchedule(stored);
    }
  }

  /** Has one of the owner's rest, or go on with the next time that comes. @throws RefusalError for anybody else. */
  async pause(id: string, actor: Actor, { isPaused }: { readonly isPaused: boolean }): Promise<Schedule> {
    const { clock } = this.#ports;
    for (;;) {
      const stored = await this.#find(id);
      const { owner, when, timeZone, seen, looked } = stored.value;
      if (owner.id !== actor.id) throw refusal(REFUSED.notYoursToPause(owner.name), 'not_allowed');
      // What came while it was paused isn't new: the look that comes next is the first one again, but for what waits.
      const next = when.kind === 'trigger' ? clock() : findNext(when, timeZone, clock());
      const dueAt = isPaused ? null : next;
      if (!isPaused && dueAt === null) throw refusal(REFUSED.passed);
      const rest = { dueAt, lookAt: dueAt, beginning: null, ...UNBEGUN, seen: keepWaiting(seen) };
      const written = await this.#writer.write(stored, {
        ...{ ...stored.value, ...rest },
        looked: looked && { at: looked.at, trouble: null },
      });
      if (written === null) continue;
      this.#changed.notify(owner.id);
      return toSchedule(written);
    }
  }

  /** What is there already as a trigger is made, and by which read that was found; nothing of what runs by time. */
  async #lookFirst(when: When, owner: Actor) {
    if (when.kind !== 'trigger') return { seen: null, looked: null };
    const { triggers, log, clock } = this.#ports;
    const looked = await triggers.look(when, owner);
    if ('why' in looked) {
      const about = { ...looked, server: when.server };
      if (looked.why === 'silent') log.warn(about, 'failed to look at what a trigger is about');
      throw refusal(REFUSED.blind(looked, when.server));
    }
    const { seen } = findNews(looked, null, this.#ports.clock());
    return { seen, looked: { at: clock(), trouble: null }, read: looked.read };
  }

  async #find(id: string): Promise<Stored<ScheduleRecord>> {
    const stored = isId(id) ? await this.#ports.store.get(schedules, id) : null;
    if (!stored) throw refusal(REFUSED.gone);
    return stored;
  }

  async #look(): Promise<void> {
    const { store, clock, log } = this.#ports;
    const start = this.#start;
    if (start === null) return;
    // What others have just begun is among them, to be watched.
    const soon = { before: [clock() + ATTEMPT_MS + 1] };
    const { items } = await store.query(schedules, 'byDue', soon, PER_CHOICE);
    const due = this.#attempts.left(items).filter(({ value }) => (value.lookAt ?? Infinity) <= clock());
    const begun = due.slice(0, PER_LOOK).map((stored) =>
      start(stored).catch((err: unknown) => {
        log.warn({ err, schedule: stored.id }, 'failed to begin a scheduled run; trying again');
      }),
    );
    await Promise.all(begun);
  }

  /** Ends one that can't run any more, and tells so once. */
  async #end(stored: Stored<ScheduleRecord>, why: WhyEnded, places: SchedulePlaces): Promise<void> {
    if (!(await this.#delete(stored, SYSTEM, why))) return;
    this.#ports.log.warn({ schedule: stored.id, owner: stored.value.owner.id }, ENDED[why]);
    await places.tellEnded(toSchedule(stored), why);
  }

  /** False where it has changed meanwhile. */
  async #delete(stored: Stored<ScheduleRecord>, by: Actor, why: WhyEnded | 'stopped'): Promise<boolean> {
    const deleted = await this.#writer.write(stored, null, toNote('schedule_ended', by, stored, null, why));
    if (deleted !== null) this.#changed.notify(stored.value.owner.id);
    return deleted !== null;
  }
}

/** Nothing has been found, and no run begun. */
const UNBEGUN = { found: null, begun: null };

/** The line of the audit, with the read by which a trigger was looked at as it was made. */
function toNote(
  what: 'scheduled' | 'schedule_ended',
  actor: Actor,
  { id, value }: Pick<Stored<ScheduleRecord>, 'id' | 'value'>,
  read: { readonly tool: string; readonly digest: string } | null,
  why?: string,
): AuditNote {
  const { owner, when, timeZone, place } = value;
  const of = { schedule: id, owner: owner.id, when: auditWhen(when), timeZone, place };
  const details = { ...of, ...(read && { tool: read.tool }), ...(why !== undefined && { why }) };
  return { threadId: NO_THREAD, what, actor, digest: read?.digest ?? null, details };
}

function refusal(words: string, code: 'not_applicable' | 'not_allowed' = 'not_applicable'): RefusalError {
  return new RefusalError(code, words);
}

/** Whether it can be the id of one: what comes with a click may be made up. */
function isId(text: string): boolean {
  return /^[\w-]+$/.test(text);
}

import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { createAuditLog } from '../../src/gate/index.ts';
import { randomId } from '../../src/lib/clock.ts';
import { Schedules } from '../../src/schedules/index.ts';
import type { Schedule, SchedulePlaces, Triggers, When } from '../../src/schedules/ports.ts';
import { collection, put, type Store } from '../../src/storage/store.ts';
import { auditKeys } from './audit-keys.ts';

/** Schedules over a store, as one process has them; what goes wrong is added to `logged`. */
export function createTestSchedules(
  store: Store,
  clock: () => number,
  logged: string[] = [],
  triggers: Triggers = new TestTriggers(),
  random = () => 0,
  steady = clock,
): Schedules {
  const log = (details: object, message: string) =>
    void logged.push('err' in details ? `${message}: ${String(details.err)}` : message);
  return new Schedules({
    ...{ store, clock, steady, ids: randomId, triggers, random },
    audit: createAuditLog({ store, clock, auditKeys }),
    log: { warn: log, error: log },
  });
}

/** A service with what is there, the newest last. */
class TestTriggers implements Triggers {
  readonly offered = [];
  /** Ids, each with since when it's there. */
  things: readonly { readonly id: string; readonly since: number }[] = [];
  /** The owner's account there. */
  account: string | null = null;
  /** What the next look does instead. */
  instead: Triggers['look'] | null = null;
  /** What each look does instead. */
  always: Triggers['look'] | null = null;
  looks = 0;
  readonly read = { tool: 'github.list_issues', digest: 'd1' };

  async look(...asked: Parameters<Triggers['look']>): ReturnType<Triggers['look']> {
    const own = this.instead ?? this.always;
    this.instead = null;
    this.looks += 1;
    return own ? own(...asked) : { things: this.things, account: this.account, read: this.read };
  }

  describe(_when: unknown, ids: readonly (string | number)[], later: number) {
    return { ids: [...ids], later };
  }
}

/** What was begun, in the store as the mailbox has it. */
const begunRuns = collection({
  name: 'test_begun_runs',
  schema: z.object({ ts: z.string(), at: z.number(), asked: z.string() }),
  indexes: { byTime: ({ at }) => [at] },
});

/** A place to run in, which several processes share: what is posted there, and what has begun. */
export class TestPlaces {
  /** By timestamp: what was posted and not taken back. */
  readonly posted = new Map<string, { readonly key: string; readonly isLate: boolean }>();
  readonly told: string[] = [];
  readonly #store: Store;
  readonly #clock: () => number;
  /** How many messages were posted, with those that were taken back. */
  posts = 0;
  /** What the next call does instead; it may call what it stands for. */
  instead: Partial<SchedulePlaces> = {};
  /** What is said of each owner where no call has something instead. */
  always: SchedulePlaces['check'] = async () => null;

  /** @param clock Slack's */
  constructor(store: Store, clock: () => number) {
    this.#store = store;
    this.#clock = clock;
  }

  readonly places: SchedulePlaces = {
    check: async (schedule) => (this.#take('check') ?? this.always)(schedule),
    open: async (occurrence, options) => {
      const own = this.#take('open');
      if (own) return own(occurrence, options);
      const key = toKey(occurrence);
      const arrived = [...this.posted].find(([, it]) => it.key === key)?.[0];
      if (options.mayBePosted && arrived !== undefined) return { channel: 'C1', ts: arrived };
      this.posts += 1;
      const ts = `${Math.floor(this.#clock() / 1_000)}.${String(this.posts).padStart(6, '0')}`;
      this.posted.set(ts, { key, isLate: occurrence.isLate });
      return { channel: 'C1', ts };
    },
    begin: async (occurrence, opened, also) => {
      const own = this.#take('begin');
      if (own) return own(occurrence, opened, also);
      const key = toKey(occurrence);
      const run = put(begunRuns, key, {
        ts: opened.ts,
        at: occurrence.dueAt,
        asked: JSON.stringify([occurrence.schedule.text, occurrence.news?.data.ids ?? null]),
      });
      const absent = { collection: begunRuns.name, id: key, version: null };
      const { committed } = await this.#store.commit({
        expect: [absent, ...(also.expect ?? [])],
        put: [run, ...(also.put ?? [])],
        delete: also.delete ?? [],
      });
      return committed;
    },
    takeBack: async (occurrence, { ts }) => {
      const begun = await this.#store.get(begunRuns, toKey(occurrence));
      if (begun?.value.ts !== ts) this.posted.delete(ts);
    },
    tellTrouble: async (all, { why }) =>
      void this.told.push(`${all.map(({ text }) => text).join(', ')}: ${why}`),
    tellEnded: async ({ text }, why) => void this.told.push(`${text}: ${why}`),
  };

  /** When each run began that did, in order. */
  async begun(): Promise<readonly string[]> {
    const { items } = await this.#store.query(begunRuns, 'byTime', {}, 1_000);
    return items.map(({ value }) => new Date(value.at).toISOString());
  }

  /** What each run was asked for, in order, and the ids of what is new. */
  async asked(): Promise<readonly unknown[]> {
    const { items } = await this.#store.query(begunRuns, 'byTime', {}, 1_000);
    return items.map(({ value }): unknown => JSON.parse(value.asked));
  }

  #take<Name extends keyof SchedulePlaces>(name: Name): Partial<SchedulePlaces>[Name] {
    const own = this.instead[name];
    delete this.instead[name];
    return own;
  }
}

function toKey({ schedule, dueAt }: { readonly schedule: Pick<Schedule, 'id'>; readonly dueAt: number }) {
  return `${schedule.id}:${dueAt}`;
}

/** Of what runs by time. */
export const UNLOOKED = { lookedAt: null, trouble: null };

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** Monday, 8:00 in Berlin. */
export const START = Date.parse('2026-11-23T07:00:00Z');
const DAILY: When = { kind: 'days', days: [1, 2, 3, 4, 5, 6, 7], time: '09:00' };

/** What Ana schedules: every day at 9:00 in Berlin, unless the test says otherwise. */
export function termsOf(more: Partial<Schedule> = {}) {
  const text = 'summarise';
  return {
    ...({ kind: 'run', text, typed: `every day 9:00 ${text}`, when: DAILY } as const),
    ...{ timeZone: 'Europe/Berlin', place: 'C1', ...more },
  };
}

/** A process for each of these stores, which are one store, at a time that the test sets; closed with the test. */
export async function openSchedules(stores: readonly [Store, Store]) {
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
  const time = { now: START, slack: START, chance: 0 };
  const logged: string[] = [];
  const place = new TestPlaces(stores[0], () => time.slack);
  const triggers = new TestTriggers();
  const start = (store: Store) => {
    const schedules = createTestSchedules(
      store,
      () => time.now,
      logged,
      triggers,
      () => time.chance,
      () => time.slack,
    );
    schedules.runIn(place.places);
    return schedules;
  };
  const [one, other] = [start(stores[0]), start(stores[1])];
  return {
    ...{ one, other, place, triggers, logged, time, store: stores[0] },
    /** Both look for what is due at the same moment. */
    async look(): Promise<void> {
      await Promise.all([one, other].map(({ work }) => work.runNow()));
      await Promise.all([one, other].map(({ looks }) => looks.runNow()));
    },
    /** Time goes by; who only sets `time.now` has the clock of a process be wrong. */
    pass(ms: number): void {
      time.now += ms;
      time.slack += ms;
    },
  };
}

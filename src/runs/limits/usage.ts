import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { scanIndex } from '../../storage/scan.ts';
import { collection, type Put, put, type Ref, ref, type Store } from '../../storage/store.ts';

const countSchema = z.object({
  runs: z.number(),
  calls: z.number(),
  tokens: z.number(),
  /** What the tokens cost, in millionths of a dollar; earlier versions counted none. */
  cost: z.number().default(0),
});
/** What was used in a day. */
export type UsageCount = z.infer<typeof countSchema>;
export type LimitMeasure = keyof UsageCount;

/** What somebody used in a day, as one process counted it: no other process writes its record. */
export const usage = collection({
  name: 'usage',
  schema: countSchema.extend({ subject: z.string(), day: z.string(), at: z.number() }),
  indexes: { bySubject: (used) => [used.subject, used.day], byTime: (used) => [used.at] },
});

/** How old what other processes counted may be, in milliseconds. */
const FRESH_MS = 2_000;
/** More processes, with their restarts, than count for one subject in a day. */
const MOST_PROCESSES = 1_000;

interface Tally {
  readonly own: UsageCount;
  others: UsageCount;
  othersReadAt: number;
  /** `own` as it was last flushed. */
  flushed: UsageCount;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

export const none = (): UsageCount => ({ runs: 0, calls: 0, tokens: 0, cost: 0 });

/**
 * What people, keys and channels use in a day of UTC. Counted in memory, and written with commits that are made
 * anyway and every few seconds, so that a process that is killed loses the count of a few seconds at most.
 */
export class Usage {
  readonly #ports: { readonly store: Store; readonly clock: Clock };
  readonly #process: string;
  #day = '';
  /** Counts how often a day began: with a clock that is set back, the same one may begin again. */
  #days = 0;
  #tallies = new Map<string, Tally>();

  constructor(ports: { readonly store: Store; readonly clock: Clock }, process: string) {
    this.#ports = ports;
    this.#process = process;
  }

  add(subject: string, measure: keyof UsageCount, amount: number): void {
    this.#tally(subject).own[measure] += amount;
  }

  /** Reads what other processes counted, unless that was done in the last two seconds. */
  async refresh(subject: string): Promise<void> {
    const tally = this.#tally(subject);
    const now = this.#ports.clock();
    if (tally.othersReadAt === 0 || Math.abs(now - tally.othersReadAt) > FRESH_MS) {
      tally.others = await this.#readOthers(subject);
      tally.othersReadAt = now;
    }
  }

  /** What the subject has used today, with what was last read of other processes. */
  today(subject: string): UsageCount {
    const { own, others } = this.#tally(subject);
    return sum(own, others);
  }

  /** What each subject has used today, as it is recorded: of the last few seconds, nothing may be. */
  async ofAll(): Promise<ReadonlyMap<string, UsageCount>> {
    const today = toDay(this.#ports.clock());
    const totals = new Map<string, UsageCount>();
    // Nothing of a day is written before it begins.
    const since = { from: [Date.parse(today)] };
    for await (const { value } of scanIndex(this.#ports.store, usage, 'byTime', since)) {
      if (value.day === today) totals.set(value.subject, sum(totals.get(value.subject) ?? none(), value));
    }
    return totals;
  }

  /** The writes that record the counts of these subjects. */
  writes(subjects: readonly string[]): readonly Put[] {
    return subjects.map((subject) => this.#write(subject, this.#tally(subject).own));
  }

  /** Records what was counted since the last time. */
  async flush(): Promise<void> {
    const changed = [...this.#tallies].filter(([, { own, flushed }]) => !isSame(own, flushed));
    if (changed.length === 0) return;
    const written = changed.map(([subject, tally]) => ({ subject, tally, count: { ...tally.own } }));
    await this.#ports.store.commit({ put: written.map(({ subject, count }) => this.#write(subject, count)) });
    for (const { tally, count } of written) tally.flushed = count;
  }

  /** Deletes counts of days before `before`, at most `limit`; returns how many. */
  async forget(before: number, limit: number): Promise<number> {
    const { items } = await this.#ports.store.query(usage, 'byTime', { before: [before] }, limit);
    if (items.length > 0) await this.#ports.store.commit({ delete: items.map(({ id }) => ref(usage, id)) });
    return items.length;
  }

  #tally(subject: string): Tally {
    const day = toDay(this.#ports.clock());
    if (day !== this.#day) {
      this.#day = day;
      this.#days += 1;
      this.#tallies = new Map();
    }
    const known = this.#tallies.get(subject);
    if (known) return known;
    const tally = { own: none(), others: none(), othersReadAt: 0, flushed: none() };
    this.#tallies.set(subject, tally);
    return tally;
  }

  #id(subject: string): string {
    return `${this.#day} ${this.#process}.${this.#days} ${subject}`;
  }

  #write(subject: string, count: UsageCount): Put {
    const id = this.#id(subject);
    return put(usage, id, { ...count, subject, day: this.#day, at: this.#ports.clock() });
  }

  async #readOthers(subject: string): Promise<UsageCount> {
    const own = this.#id(subject);
    const range = { prefix: [subject, this.#day] };
    const { items } = await this.#ports.store.query(usage, 'bySubject', range, MOST_PROCESSES);
    return items.filter(({ id }) => id !== own).reduce((total, { value }) => sum(total, value), none());
  }
}

export function sum(one: UsageCount, other: UsageCount): UsageCount {
  return {
    runs: one.runs + other.runs,
    calls: one.calls + other.calls,
    tokens: one.tokens + other.tokens,
    cost: one.cost + other.cost,
  };
}

/**
 * The records of what a person or key used on the days before today, and whether there are any of today, by which
 * their limits are counted.
 */
export async function findUsage(
  store: Store,
  ownerId: string,
  now: number,
): Promise<{ readonly earlier: readonly Ref[]; readonly hasToday: boolean }> {
  const earlier: Ref[] = [];
  let hasToday = false;
  for (const kind of ['person', 'key']) {
    for await (const { id, value } of scanIndex(store, usage, 'bySubject', {
      prefix: [`${kind} ${ownerId}`],
    })) {
      if (value.day === toDay(now)) hasToday = true;
      else earlier.push(ref(usage, id));
    }
  }
  return { earlier, hasToday };
}

/** When the day of UTC ends, in milliseconds since the epoch. */
export function endOfDay(at: number): number {
  return (Math.floor(at / DAY_MS) + 1) * DAY_MS;
}

/** A day of UTC: `2026-11-23`. */
export function toDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function isSame(one: UsageCount, other: UsageCount): boolean {
  return (
    one.runs === other.runs &&
    one.calls === other.calls &&
    one.tokens === other.tokens &&
    one.cost === other.cost
  );
}

import { z } from 'zod';
import { type Actor, type AuditLog, actorSchema, NO_THREAD } from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { scanIndex } from '../../storage/scan.ts';
import {
  absent,
  collection,
  type Put,
  put,
  ref,
  type Store,
  type Stored,
  unchanged,
} from '../../storage/store.ts';
import { type LimitMeasure, toDay } from './usage.ts';

/** What admins were asked, and said, about one limit of one person, key or channel on one day. */
const caseSchema = z.object({
  /** `person <id>`, `key <id>` or `channel <id>`. */
  subject: z.string(),
  measure: z.enum(['runs', 'calls', 'tokens', 'cost']),
  /** A day of UTC: `2026-11-23`. */
  day: z.string(),
  /** How often admins were asked. */
  asked: z.int(),
  /** What was allowed besides the limit, in order; each is a question that was answered. */
  extensions: z.array(z.object({ by: actorSchema, amount: z.number(), at: z.number() })),
  /** When it was last changed, in milliseconds since the epoch. */
  at: z.number(),
});
type LimitCase = z.infer<typeof caseSchema>;

const limitCases = collection({
  name: 'limit_cases',
  schema: caseSchema,
  indexes: { bySubject: (it) => [it.subject, it.day], byTime: (it) => [it.at] },
});

/** One limit of one person, key or channel. */
export interface SubjectLimit {
  readonly subject: string;
  readonly measure: LimitMeasure;
}

/** What came of an extension. `late`: somebody else had answered, or the day was over; nothing has changed then. */
export type Extended = { readonly state: 'done' } | { readonly state: 'late'; readonly by: Actor | null };

/** What an admin allowed besides a limit, as the answer to the question of that number. */
export interface Allowed {
  readonly by: Actor;
  readonly amount: number;
  readonly question: number;
}

interface ExtensionsPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly audit: AuditLog;
}

/** How old what other processes extended may be, in milliseconds. */
const FRESH_MS = 2_000;
/** The measures of one subject. */
const MOST = 10;

/** What admins allow besides the limits, until the end of a day of UTC. */
export class Extensions {
  readonly #ports: ExtensionsPorts;
  #known = new Map<string, { readonly readAt: number; readonly cases: readonly LimitCase[] }>();

  constructor(ports: ExtensionsPorts) {
    this.#ports = ports;
  }

  /** Reads what was allowed to a subject today, unless that was done in the last two seconds. */
  async refresh(subject: string): Promise<void> {
    const now = this.#ports.clock();
    const known = this.#known.get(subject);
    if (known && Math.abs(now - known.readAt) <= FRESH_MS) return;
    const range = { prefix: [subject, toDay(now)] };
    const { items } = await this.#ports.store.query(limitCases, 'bySubject', range, MOST);
    this.#known.set(subject, { readAt: now, cases: items.map(({ value }) => value) });
  }

  /** Reads what was allowed to each of these subjects today, in one go however many they are. */
  async refreshAll(subjects: Iterable<string>): Promise<void> {
    const now = this.#ports.clock();
    const cases: LimitCase[] = [];
    const since = { from: [Date.parse(toDay(now))] };
    for await (const { value } of scanIndex(this.#ports.store, limitCases, 'byTime', since))
      cases.push(value);
    const bySubject = Map.groupBy(cases, ({ subject }) => subject);
    for (const subject of subjects) {
      this.#known.set(subject, { readAt: now, cases: bySubject.get(subject) ?? [] });
    }
  }

  /** What is allowed besides the limit, as it was last read. */
  extra(limit: SubjectLimit): number {
    return this.#today(limit).reduce((sum, { amount }) => sum + amount, 0);
  }

  /** The last of what was allowed besides the limit and not taken back, as it was last read; null if nothing was. */
  lastAllowed(limit: SubjectLimit): Allowed | null {
    const given = this.#today(limit);
    const index = given.findLastIndex(({ amount }) => amount > 0);
    const last = given[index];
    return last ? { by: last.by, amount: last.amount, question: index + 1 } : null;
  }

  /** The number of the question that an extension would answer next, from 1. */
  nextQuestion(limit: SubjectLimit): number {
    return this.#today(limit).length + 1;
  }

  #today({ subject, measure }: SubjectLimit): LimitCase['extensions'] {
    const day = toDay(this.#ports.clock());
    const known = this.#known.get(subject)?.cases ?? [];
    return known.find((it) => it.day === day && it.measure === measure)?.extensions ?? [];
  }

  /**
   * Notes that admins are asked about a limit that is used up; the number of the question, from 1. Null if they have been
   * asked already, by whichever process. `announce`: the writes that ask them, for the same commit.
   */
  async ask(
    limit: SubjectLimit,
    announce: (question: number) => readonly Put[] = () => [],
  ): Promise<number | null> {
    const stored = await this.#find(limit);
    const { asked, extensions } = stored?.value ?? NOTHING;
    if (asked > extensions.length) return null;
    const question = extensions.length + 1;
    const { committed } = await this.#ports.store.commit({
      expect: [this.#expect(limit, stored)],
      put: [this.#put(limit, { asked: question, extensions }), ...announce(question)],
    });
    return committed ? question : null;
  }

  /** Allows so much besides the limit, as the answer to the question of that number. */
  async extend(
    limit: SubjectLimit,
    { question, amount, by }: { question: number; amount: number; by: Actor },
  ) {
    return this.#change(limit, by, amount, ({ extensions }) =>
      extensions.length === question - 1
        ? [...extensions, { by, amount, at: this.#ports.clock() }]
        : { lateTo: extensions[question - 1]?.by ?? null },
    );
  }

  /** Takes back what this answer allowed. What was used of it stays used. */
  async takeBack(limit: SubjectLimit, { question, by }: { question: number; by: Actor }): Promise<Extended> {
    return this.#change(limit, by, 0, ({ extensions }) => {
      const given = extensions[question - 1];
      if (!given || given.amount === 0) return { lateTo: given?.by ?? null };
      return extensions.with(question - 1, { ...given, amount: 0 });
    });
  }

  /** Deletes what was said before `before`, at most `limit`; returns how many. */
  async forget(before: number, limit: number): Promise<number> {
    const { items } = await this.#ports.store.query(limitCases, 'byTime', { before: [before] }, limit);
    if (items.length > 0) {
      await this.#ports.store.commit({ delete: items.map(({ id }) => ref(limitCases, id)) });
    }
    return items.length;
  }

  async #change(
    limit: SubjectLimit,
    by: Actor,
    amount: number,
    next: (now: Pick<LimitCase, 'extensions'>) => LimitCase['extensions'] | { readonly lateTo: Actor | null },
  ): Promise<Extended> {
    for (;;) {
      const stored = await this.#find(limit);
      const extensions = next(stored?.value ?? NOTHING);
      if ('lateTo' in extensions) return { state: 'late', by: extensions.lateTo };
      const { kind, id } = splitSubject(limit.subject);
      const note = await this.#ports.audit.append([
        {
          threadId: NO_THREAD,
          what: 'limit_extended',
          actor: by,
          details: { kind, id, measure: limit.measure, amount, day: toDay(this.#ports.clock()) },
        },
      ]);
      const asked = Math.max(stored?.value.asked ?? 0, extensions.length);
      const { committed } = await this.#ports.store.commit({
        expect: [this.#expect(limit, stored), ...note.expect],
        put: [this.#put(limit, { asked, extensions }), ...note.put],
      });
      if (!committed) continue;
      this.#known.delete(limit.subject);
      return { state: 'done' };
    }
  }

  #id({ subject, measure }: SubjectLimit): string {
    return `${toDay(this.#ports.clock())} ${measure} ${subject}`;
  }

  #find(limit: SubjectLimit): Promise<Stored<LimitCase> | null> {
    return this.#ports.store.get(limitCases, this.#id(limit));
  }

  #expect(limit: SubjectLimit, stored: Stored<LimitCase> | null) {
    return stored ? unchanged(limitCases, stored) : absent(limitCases, this.#id(limit));
  }

  #put(limit: SubjectLimit, now: Pick<LimitCase, 'asked' | 'extensions'>) {
    const at = this.#ports.clock();
    return put(limitCases, this.#id(limit), { ...limit, ...now, day: toDay(at), at });
  }
}

const NOTHING: Pick<LimitCase, 'asked' | 'extensions'> = { asked: 0, extensions: [] };

/** Whose limits count: a person's, a key's or a channel's, by its id. */
export function splitSubject(subject: string): {
  readonly kind: 'person' | 'key' | 'channel';
  readonly id: string;
} {
  const [kind, ...id] = subject.split(' ');
  return { kind: kind === 'key' || kind === 'channel' ? kind : 'person', id: id.join(' ') };
}

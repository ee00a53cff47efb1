import { type Actor, type AuditLog, NO_THREAD } from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { scanIndex } from '../../storage/scan.ts';
import { absent, type Put, put, ref, type Store, type Stored, unchanged } from '../../storage/store.ts';
import {
  addExtension,
  countAnswered,
  findExtension,
  type LimitCase,
  limitCases,
  NOTHING_SAID,
  type Said,
  type SubjectLimit,
  splitSubject,
  sumAllowed,
} from './limit-case.ts';
import { toDay } from './usage.ts';

/**
 * What came of an answer; but for `done`, nothing has changed. `late`: somebody else had answered, or the day was over.
 * `unset`: there is no such limit any more.
 */
export type Extended =
  | { readonly state: 'done' }
  | { readonly state: 'late'; readonly by: Actor | null }
  | { readonly state: 'unset' };

/** How a question about a limit was answered. `over`: so long ago that it is no longer known how. */
export type LimitAnswer =
  | { readonly state: 'allowed'; readonly by: Actor; readonly amount: number; readonly wasAsked: boolean }
  | { readonly state: 'taken_back' | 'left'; readonly by: Actor }
  | { readonly state: 'over' };

/** An admin's answer to the question of that number. */
export interface Answer {
  readonly question: number;
  readonly by: Actor;
}

/** The writes that show people an answer, for its commit. `extra`: what was allowed besides by the answers before it. */
type Announce = (extra: number) => readonly Put[];

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
    return sumAllowed(this.#today(limit));
  }

  /** The last of what was allowed besides the limit and not taken back, as it was last read; null if nothing was. */
  lastAllowed(limit: SubjectLimit): Allowed | null {
    const last = this.#today(limit).extensions.findLast(({ amount }) => amount > 0);
    return last ? { by: last.by, amount: last.amount, question: last.question } : null;
  }

  /** The number of the question that an extension would answer next, from 1. */
  nextQuestion(limit: SubjectLimit): number {
    return countAnswered(this.#today(limit)) + 1;
  }

  #today({ subject, measure }: SubjectLimit): Said {
    const day = toDay(this.#ports.clock());
    const known = this.#known.get(subject)?.cases ?? [];
    return known.find((it) => it.day === day && it.measure === measure) ?? NOTHING_SAID;
  }

  /** How the question of that number was answered that day, as it is recorded; null if it hasn't been. */
  async answer(
    limit: SubjectLimit,
    { question, day }: { readonly question: number; readonly day: string },
  ): Promise<LimitAnswer | null> {
    const said = (await this.#ports.store.get(limitCases, toId(limit, day)))?.value ?? NOTHING_SAID;
    const given = findExtension(said, question);
    if (given && given.amount > 0) {
      return { state: 'allowed', by: given.by, amount: given.amount, wasAsked: said.asked >= question };
    }
    if (given) return { state: 'taken_back', by: given.takenBackBy ?? given.by };
    if (question <= countAnswered(said)) return { state: 'over' };
    return said.left?.question === question ? { state: 'left', by: said.left.by } : null;
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
    const said = stored?.value ?? NOTHING_SAID;
    const question = countAnswered(said) + 1;
    if (said.asked >= question) return null;
    const { committed } = await this.#ports.store.commit({
      expect: [this.#expect(limit, stored)],
      put: [this.#put(limit, { ...said, asked: question }), ...announce(question)],
    });
    return committed ? question : null;
  }

  /** Allows so much besides the limit. */
  async extend(
    limit: SubjectLimit,
    { question, amount, by }: Answer & { readonly amount: number },
    announce?: Announce,
  ): Promise<Extended> {
    return this.#change(limit, { question, by, amount }, announce, (said) => {
      if (question !== countAnswered(said) + 1) return { lateTo: findExtension(said, question)?.by ?? null };
      const given = { question, by, amount, at: this.#ports.clock(), takenBackBy: null };
      return addExtension(said, given);
    });
  }

  /** Takes back what this answer allowed. What was used of it stays used. */
  async takeBack(limit: SubjectLimit, answer: Answer, announce?: Announce): Promise<Extended> {
    return this.#change(limit, { ...answer, amount: 0 }, announce, (said) => {
      const given = findExtension(said, answer.question);
      if (!given || given.amount === 0) return { lateTo: given?.takenBackBy ?? given?.by ?? null };
      const taken = { ...given, amount: 0, takenBackBy: answer.by };
      return { ...said, extensions: said.extensions.map((it) => (it === given ? taken : it)) };
    });
  }

  /** Answers the question that was asked by leaving the limit as it is; it can still be extended. */
  async leave(limit: SubjectLimit, answer: Answer, announce?: Announce): Promise<Extended> {
    const { question, by } = answer;
    return this.#change(limit, { ...answer, amount: null }, announce, (said) => {
      const isLeft = said.left?.question === question;
      const isOpen = question === said.asked && question === countAnswered(said) + 1 && !isLeft;
      if (isOpen) return { ...said, left: { question, by } };
      return { lateTo: findExtension(said, question)?.by ?? (isLeft ? (said.left?.by ?? null) : null) };
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
    { question, by, amount }: Answer & { readonly amount: number | null },
    announce: Announce = () => [],
    next: (said: Said) => Said | { readonly lateTo: Actor | null },
  ): Promise<Extended> {
    for (;;) {
      const stored = await this.#find(limit);
      const said = next(stored?.value ?? NOTHING_SAID);
      if ('lateTo' in said) return { state: 'late', by: said.lateTo };
      const note = await this.#note(limit, { by, amount });
      const earlier = said.extensions.filter((it) => it.question < question);
      const { committed } = await this.#ports.store.commit({
        expect: [this.#expect(limit, stored), ...note.expect],
        put: [this.#put(limit, said), ...note.put, ...announce(sumAllowed({ ...said, extensions: earlier }))],
      });
      if (!committed) continue;
      this.#known.delete(limit.subject);
      return { state: 'done' };
    }
  }

  /** What the audit says of an answer: nothing of one that changes nothing. */
  #note({ subject, measure }: SubjectLimit, { by, amount }: { by: Actor; amount: number | null }) {
    if (amount === null) return { expect: [], put: [] };
    const details = { ...splitSubject(subject), measure, amount, day: toDay(this.#ports.clock()) };
    return this.#ports.audit.append([{ threadId: NO_THREAD, what: 'limit_extended', actor: by, details }]);
  }

  #id(limit: SubjectLimit): string {
    return toId(limit, toDay(this.#ports.clock()));
  }

  #find(limit: SubjectLimit): Promise<Stored<LimitCase> | null> {
    return this.#ports.store.get(limitCases, this.#id(limit));
  }

  #expect(limit: SubjectLimit, stored: Stored<LimitCase> | null) {
    return stored ? unchanged(limitCases, stored) : absent(limitCases, this.#id(limit));
  }

  #put({ subject, measure }: SubjectLimit, said: Said) {
    const at = this.#ports.clock();
    const id = this.#id({ subject, measure });
    return put(limitCases, id, { ...said, subject, measure, day: toDay(at), at });
  }
}

function toId({ subject, measure }: SubjectLimit, day: string): string {
  return `${day} ${measure} ${subject}`;
}

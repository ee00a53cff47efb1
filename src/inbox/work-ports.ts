import { DateTime } from 'luxon';
import type { Clock, Ids } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { AskModel } from '../memory/ports.ts';
import { findNext } from '../schedules/index.ts';
import { scanIndex } from '../storage/scan.ts';
import {
  absent,
  type Change,
  type Collection,
  type Expectation,
  type Put,
  put,
  type Store,
  type Stored,
  unchanged,
} from '../storage/store.ts';
import { type DigestRecord, digests, type MailRecord, mails, staleDigests, toMail } from './collections.ts';
import type { InboxPlaces, Mailbox, MailboxProblem, NewerMail, NewerStage, WhyTurnedOff } from './ports.ts';
import type { MailReader } from './read-mails.ts';
import { isOld } from './triage.ts';

/** How long a process has for a step before another tries, in milliseconds: longer than a model and a mail server may take. */
export const ATTEMPT_MS = 90_000;
/** How long what needs a person's doing rests, in milliseconds, before it's tried whether they have done it. */
export const PROBLEM_MS = 10 * 60_000;
/** How long one answer of the model may take, in milliseconds. */
export const MODEL_MS = 30_000;

/** What the steps of the inbox work with. */
export interface WorkPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  readonly reader: MailReader;
  /** Asks a model on the account of a mailbox's owner. Rejects with AppError `limit_reached` where that is used up. */
  readonly ask: (mailbox: Mailbox) => AskModel;
  readonly places: InboxPlaces;
  /** Aborted when the process is asked to stop. */
  readonly stopping: AbortSignal;
  /** How often a mailbox is looked at, in milliseconds. */
  readonly lookMs: number;
  /** How many answers are drafted for a mailbox on a day. */
  readonly draftsPerDay: number;
  /** Whether a server tells of new mails where it's asked to. */
  readonly canTell: (server: string) => boolean;
  readonly findMailbox: (mailboxId: string) => Promise<Mailbox | null>;
  /** Says why a mailbox rests, or with null that it no longer does. */
  readonly setProblem: (mailboxId: string, problem: MailboxProblem | null) => Promise<void>;
  readonly turnOffFor: (mailbox: Mailbox, why: WhyTurnedOff) => Promise<void>;
  /** Told of whose mails or preferences changed. */
  readonly changed: (personId: string) => void;
}

/** Writes a record as long as nobody else has; null if somebody has. */
export async function replace<T>(
  store: Store,
  into: Collection<T>,
  stored: Stored<T>,
  value: T,
): Promise<Stored<T> | null> {
  const result = await store.commit({
    expect: [unchanged(into, stored)],
    put: [put(into, stored.id, value)],
  });
  return result.committed ? { id: stored.id, version: result.version, value } : null;
}

const EVERY_DAY = { kind: 'days', days: [1, 2, 3, 4, 5, 6, 7], time: '08:00' } as const;

/** When mails that are listed now are told, in milliseconds since the epoch, by the clocks of the mailbox's owner. */
export function nextDigest({ pace, timeZone }: Pick<Mailbox, 'pace' | 'timeZone'>, now: number): number {
  if (pace === 'now') return now;
  if (pace === 'daily') return findNext(EVERY_DAY, timeZone, now) ?? now;
  return DateTime.fromMillis(now, { zone: timeZone }).startOf('hour').plus({ hours: 1 }).toMillis();
}

const NO_DIGEST: DigestRecord = {
  ...{ lookAt: null, posting: null, ignored: { until: 0, count: 0 } },
  ...{ drafts: { day: '', count: 0 }, newer: { day: '', count: 0 }, firstUntil: 0 },
};

/** What is to be told of a mailbox, with the expectation that nobody changes it meanwhile. */
export async function readDigest(
  store: Store,
  mailboxId: string,
): Promise<{ readonly value: DigestRecord; readonly expected: Expectation }> {
  const stored = await store.get(digests, mailboxId);
  const expected = stored ? unchanged(digests, stored) : absent(digests, mailboxId);
  return { value: stored?.value ?? NO_DIGEST, expected };
}

/** Our thread of a mail's conversation; null where it has none yet. */
export async function findThread(
  store: Store,
  { mailboxId, threadId }: Pick<MailRecord, 'mailboxId' | 'threadId'>,
): Promise<string | null> {
  const range = { prefix: [mailboxId, threadId], descending: true };
  const { items } = await store.query(mails, 'byConversation', range, 1);
  return items[0]?.value.slackThread ?? null;
}

/** A mail of which its thread is told that it came, as it is now. */
export function toNewer(mailbox: Mailbox, stored: Stored<MailRecord>, thread: string | null): NewerMail {
  return { mailbox, mail: { ...toMail(stored), slackThread: thread }, stage: findStage(stored.value) };
}

function findStage({ state, leftFor, begunAt, askedAt, notice }: MailRecord): NewerStage {
  if (state === 'done') return 'done';
  if (leftFor !== null) return 'joined';
  if (begunAt !== null) return 'begun';
  if (askedAt !== null) return 'chosen';
  return notice === 'late' ? 'late' : 'waits';
}

/** Whether another mail of a mail's conversation is answered, or will be. */
export async function isOtherAnswered(
  store: Store,
  { id, value: { mailboxId, threadId } }: Stored<MailRecord>,
): Promise<boolean> {
  const { items } = await store.query(mails, 'answering', { prefix: [mailboxId, threadId] }, 2);
  return items.some((one) => one.id !== id);
}

/** The writes that have digests and lines shown anew in which these mails stand, for the commit that changes them. */
export function showAnew(changed: readonly MailRecord[], now: number): Put[] {
  const ids = new Set(changed.flatMap(({ digestId, lineId }) => [digestId ?? [], lineId ?? []].flat()));
  return [...ids].map((id) => put(staleDigests, id, { lookAt: now }));
}

/**
 * The change by which the mails are answered after all that were to be as their mailbox was turned off. What nobody waits for any
 * more stays listed: it came too long ago, or its owner asked for an answer too long ago.
 */
export async function resumeRested(
  store: Store,
  mailboxId: string,
  now: number,
): Promise<Required<Pick<Change, 'expect' | 'put'>>> {
  const rested: Stored<MailRecord>[] = [];
  for await (const one of scanIndex(store, mails, 'resting', { prefix: [mailboxId] })) rested.push(one);
  return {
    expect: rested.map((one) => unchanged(mails, one)),
    put: rested.map(({ id, value }) => {
      const awake = { ...value, isResting: false };
      const isLate = isOld(value.askedAt ?? value.arrivedAt, now);
      return put<MailRecord>(mails, id, isLate ? awake : { ...awake, state: 'responding', lookAt: now });
    }),
  };
}

import { DateTime } from 'luxon';
import { backoff } from '../lib/backoff.ts';
import { AppError } from '../lib/errors.ts';
import { knownWarnings } from '../lib/mail/warnings.ts';
import { unlessAborted } from '../lib/timeout.ts';
import type { AskModel } from '../memory/ports.ts';
import { type Put, put, type Store, type Stored, unchanged } from '../storage/store.ts';
import { type DigestRecord, digests, type MailRecord, mails, preferences } from './collections.ts';
import { findAnsweredDomains, isAnsweredBefore } from './find-records.ts';
import type { Mailbox } from './ports.ts';
import { NO_PREFERENCES } from './preferences.ts';
import { MailGone } from './read-mails.ts';
import { REASONS } from './texts.ts';
import { type Judged, judgeAlone, judgeByModel } from './triage.ts';
import {
  ATTEMPT_MS,
  isOtherAnswered,
  MODEL_MS,
  nextDigest,
  PROBLEM_MS,
  readDigest,
  replace,
  type WorkPorts,
} from './work-ports.ts';

/** For how long a mail waits for a model or a server that doesn't answer, in milliseconds; then its owner judges it themselves. */
const SILENT_MS = 6 * 3_600_000;
/** How many mails of a day the model is asked about: whoever sends thousands doesn't spend the owner's tokens. */
const MOST_JUDGED = 500;
/** How many newer mails of a day are told of in the threads of their conversations: whoever sends thousands fills no thread. */
const MOST_NEWER = 20;
const AGAIN = { firstMs: 30_000, longestMs: 15 * 60_000 };

type JudgePorts = Pick<
  WorkPorts,
  | 'store'
  | 'clock'
  | 'log'
  | 'reader'
  | 'ask'
  | 'stopping'
  | 'draftsPerDay'
  | 'findMailbox'
  | 'setProblem'
  | 'changed'
>;

/**
 * Has a model judge a mail that was taken. A commit claims it, and the verdict, the count of what is drafted and the digest that
 * it will stand in are one commit. Gives the mail as it is then, null where somebody else has it or it's tried again. While the model or the mail server is down it's tried again; nothing is lost.
 */
export function createJudge(ports: JudgePorts) {
  const { store, clock, log, draftsPerDay } = ports;

  return async (stored: Stored<MailRecord>): Promise<Stored<MailRecord> | null> => {
    const mailbox = await ports.findMailbox(stored.value.mailboxId);
    const lookAt = mailbox === null ? null : clock() + ATTEMPT_MS;
    const held = await replace(store, mails, stored, { ...stored.value, lookAt });
    if (held === null || mailbox === null) return null;
    const judged = mailbox.isOn
      ? await judge(held, mailbox)
      : ({ verdict: 'notify', reason: REASONS.off } as const);
    return judged && settle(held, mailbox, judged);
  };

  /** Null where it's tried again later; as the process ends, by whoever goes on once the attempt has had its time. */
  async function judge(held: Stored<MailRecord>, mailbox: Mailbox): Promise<Judged | null> {
    const { items } = (await store.get(preferences, mailbox.owner.id))?.value ?? NO_PREFERENCES;
    const alone = judgeAlone(held.value, items);
    if (alone !== null) return alone;
    if (await isFlood(store, held.value, mailbox))
      return { verdict: 'notify', reason: REASONS.flood(MOST_JUDGED) };
    let warnings: readonly string[] = [];
    try {
      const { messageId, mailboxId } = held.value;
      const whole = await readMarked(ports, mailbox, messageId);
      if ('problem' in whole) {
        await ports.setProblem(mailboxId, whole.problem);
        return postpone(held, PROBLEM_MS);
      }
      warnings = whole.warnings;
      const isAnsweredHere = await isAnsweredBefore(store, held.value);
      const matter = { mailbox, mail: held.value, whole, preferences: items, isAnsweredHere };
      const signal = AbortSignal.any([ports.stopping, AbortSignal.timeout(MODEL_MS)]);
      const ask = (question: Parameters<AskModel>[0]) =>
        unlessAborted(ports.ask(mailbox)(question, signal), signal);
      return { ...(await judgeByModel(matter, ask)), warnings };
    } catch (err) {
      if (err instanceof AppError && err.code === 'limit_reached')
        return { verdict: 'notify', reason: REASONS.noTokens, warnings };
      if (ports.stopping.aborted) return null;
      if (err instanceof MailGone) return { verdict: 'notify', reason: REASONS.gone };
      log.warn({ err, mailbox: mailbox.id }, 'failed to judge a mail; trying again');
      return postpone(held, backoff(held.value.failures + 1, AGAIN), warnings);
    }
  }

  async function postpone(
    held: Stored<MailRecord>,
    ms: number,
    warnings: readonly string[] = [],
  ): Promise<Judged | null> {
    const { takenAt, failures } = held.value;
    if (clock() - takenAt >= SILENT_MS) return { verdict: 'notify', reason: REASONS.silent, warnings };
    await replace(store, mails, held, { ...held.value, failures: failures + 1, lookAt: clock() + ms });
    return null;
  }

  async function settle(
    held: Stored<MailRecord>,
    mailbox: Mailbox,
    judged: Judged,
  ): Promise<Stored<MailRecord> | null> {
    for (;;) {
      const digest = await readDigest(store, mailbox.id);
      const isNews = await isOtherAnswered(store, held);
      const context = { mailbox, digest: digest.value, now: clock(), draftsPerDay, isNews };
      const { mail, writes } = toSettled(held.value, judged, context);
      const result = await store.commit({
        expect: [unchanged(mails, held), digest.expected],
        put: [put(mails, held.id, mail), ...writes],
      });
      if (result.committed) {
        ports.changed(mailbox.owner.id);
        return { id: held.id, version: result.version, value: mail };
      }
      if (result.conflict.collection === mails.name) return null;
    }
  }
}

/** A mail with what its server says is odd about its sender, and what those whose mails were answered tell. */
async function readMarked(
  { reader, store }: Pick<JudgePorts, 'reader' | 'store'>,
  mailbox: Mailbox,
  messageId: string,
): ReturnType<JudgePorts['reader']['read']> {
  const read = await reader.read(mailbox, messageId);
  if ('problem' in read) return read;
  const known = await findAnsweredDomains(store, mailbox.id);
  return { ...read, warnings: [...new Set([...read.warnings, ...knownWarnings(read.from, known)])] };
}

/** Whether so many came before it on its day. */
async function isFlood(
  store: Store,
  { mailboxId, takenAt }: MailRecord,
  { timeZone }: Mailbox,
): Promise<boolean> {
  const day = DateTime.fromMillis(takenAt, { zone: timeZone }).startOf('day').toMillis();
  const range = { prefix: [mailboxId], from: [mailboxId, day], before: [mailboxId, takenAt] };
  return (await store.count(mails, 'byTaken', range, MOST_JUDGED)) >= MOST_JUDGED;
}

interface SettleContext {
  readonly mailbox: Mailbox;
  readonly digest: DigestRecord;
  readonly now: number;
  readonly draftsPerDay: number;
  /** Whether the thread in which another one of its conversation is answered is to be told of it. */
  readonly isNews: boolean;
}

/** A mail that is judged, and what else follows from it: what was drafted today, or when it's told. */
function toSettled(
  mail: MailRecord,
  judged: Judged,
  { mailbox, digest, now, draftsPerDay, isNews }: SettleContext,
): { readonly mail: MailRecord; readonly writes: readonly Put[] } {
  const day = DateTime.fromMillis(now, { zone: mailbox.timeZone }).toISODate() ?? '';
  const drafted = digest.drafts.day === day ? digest.drafts.count : 0;
  const { verdict, reason } =
    judged.verdict === 'respond' && drafted >= draftsPerDay
      ? { verdict: 'notify' as const, reason: REASONS.tooMany(draftsPerDay) }
      : judged;
  const { warnings = [] } = judged;
  const told = digest.newer.day === day ? digest.newer.count : 0;
  const isTold = isNews && told < MOST_NEWER;
  const counted = isTold ? { ...digest, newer: { day, count: told + 1 } } : digest;
  const notice: Partial<MailRecord> = isTold ? { notice: 'due', lookAt: now } : { lookAt: null };
  const settled = { ...mail, verdict, reason, warnings, failures: 0, ...notice };
  if (verdict === 'ignore') {
    return {
      mail: { ...settled, state: 'ignored' },
      writes: isTold ? [put(digests, mailbox.id, counted)] : [],
    };
  }
  if (verdict === 'respond') {
    const drafts = { day, count: drafted + 1 };
    return {
      mail: { ...settled, state: 'responding', lookAt: now },
      writes: [put(digests, mailbox.id, { ...counted, drafts })],
    };
  }
  // Written in any case: a digest that is being posted reads again what has come since.
  const lookAt = digest.lookAt ?? nextDigest(mailbox, now);
  return {
    mail: { ...settled, state: 'listed' },
    writes: [put(digests, mailbox.id, { ...counted, lookAt })],
  };
}

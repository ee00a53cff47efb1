import { writtenDomain } from '../lib/mail/addresses.ts';
import { scanIndex } from '../storage/scan.ts';
import { type Collection, type Ref, ref, type Store, type Stored } from '../storage/store.ts';
import {
  cursors,
  digests,
  findBegin,
  lessons,
  type MailRecord,
  mailboxes,
  mails,
  postedDigests,
  preferences,
  staleDigests,
  toMail,
} from './collections.ts';
import type { NewerMails } from './ports.ts';
import { readAddress } from './triage.ts';

/** How long mails that were taken are kept, in milliseconds, where records are kept for longer: long after nobody asks. */
const KEPT_MS = 90 * 24 * 3_600_000;

/** How many mails are read at once. */
export const MOST_READ = 100;

/** The retention of mails and of what was learned from: what a person wants from now on stays. */
export function mailRetention({
  store,
  keepForMs,
}: {
  readonly store: Store;
  /** How long records are kept, in milliseconds; null: for ever. */
  readonly keepForMs: number | null;
}) {
  return {
    name: 'mails of mailboxes',
    keepForMs: Math.min(keepForMs ?? KEPT_MS, KEPT_MS),
    async forget(before: number, limit: number): Promise<number> {
      const old = await Promise.all([
        findOld(store, mails, before, limit),
        findOld(store, lessons, before, limit),
        findOld(store, postedDigests, before, limit),
      ]);
      const found = old.flat().slice(0, limit);
      if (found.length > 0) await store.commit({ delete: found });
      return found.length;
    },
  };
}

async function findOld<T>(
  store: Store,
  of: Collection<T>,
  before: number,
  limit: number,
): Promise<readonly Ref[]> {
  const { items } = await store.query(of, 'byAge', { before: [before] }, limit);
  return items.map(({ id }) => ref(of, id));
}

/** The records of a person's mailboxes: for who forgets the person. */
export async function findInbox(
  store: Store,
  personId: string,
): Promise<{
  readonly refs: readonly Ref[];
  readonly mailboxes: number;
  readonly mails: number;
  readonly preferences: number;
}> {
  const boxes: Ref[] = [];
  const found: Ref[] = [];
  let count = 0;
  for await (const { id } of scanIndex(store, mailboxes, 'byOwner', { prefix: [personId] })) {
    boxes.push(ref(mailboxes, id), ref(cursors, id), ref(digests, id));
    for await (const mail of scanIndex(store, mails, 'byMailbox', { prefix: [id] })) {
      count += 1;
      found.push(ref(mails, mail.id));
    }
    for await (const posted of scanIndex(store, postedDigests, 'byMailbox', { prefix: [id] })) {
      found.push(ref(postedDigests, posted.id), ref(staleDigests, posted.id));
    }
    for await (const lesson of scanIndex(store, lessons, 'byMailbox', { prefix: [id] })) {
      found.push(ref(lessons, lesson.id));
    }
  }
  const learned = await store.get(preferences, personId);
  return {
    // The mailboxes first, so that nothing more is taken meanwhile.
    refs: [...boxes, ...found, ...(learned ? [ref(preferences, personId)] : [])],
    ...{ mailboxes: boxes.length / 3, mails: count, preferences: learned?.value.items.length ?? 0 },
  };
}

/**
 * The mails that were left for this one, and for those in turn; without those that are answered anew. Each once, at most
 * {@link MOST_READ}: of earlier versions, two may be left for each other.
 */
export async function findLeft(store: Store, mailId: string): Promise<readonly Stored<MailRecord>[]> {
  const found = new Map<string, Stored<MailRecord>>();
  let heirs: readonly string[] = [mailId];
  while (heirs.length > 0 && found.size < MOST_READ) {
    const pages = await Promise.all(
      heirs.map((id) => store.query(mails, 'byLeftFor', { prefix: [id] }, MOST_READ)),
    );
    const left = pages
      .flatMap(({ items }) => items)
      .filter(({ id, value }) => value.state !== 'responding' && id !== mailId && !found.has(id));
    for (const one of left) found.set(one.id, one);
    heirs = left.map(({ id }) => id);
  }
  return [...found.values()].slice(0, MOST_READ);
}

/**
 * The domains of those whose mails were answered here last, as their owner accepted: of mails with nothing odd about their sender, so that
 * none is taken for known which only looks like another.
 */
export async function findAnsweredDomains(store: Store, mailboxId: string): Promise<readonly string[]> {
  const newest = { descending: true };
  const [{ items: taught }, { items: done }] = await Promise.all([
    store.query(lessons, 'byMailbox', { prefix: [mailboxId], ...newest }, MOST_READ),
    store.query(mails, 'byMailbox', { prefix: [mailboxId, 'done'], ...newest }, MOST_READ),
  ]);
  const accepted = new Set(
    taught.flatMap(({ value: { sender } }) => (sender?.isIgnored === false ? sender.address : [])),
  );
  const known = done
    .filter(({ value }) => value.warnings.length === 0)
    .flatMap(({ value }) => readAddress(value.from) ?? [])
    .filter((address) => accepted.has(address));
  return [...new Set(known.map(writtenDomain))];
}

/** Whether a mail of this conversation was dealt with here by a draft that somebody accepted: one that waits or was ignored is none. */
export async function isAnsweredBefore(
  store: Store,
  { mailboxId, threadId }: Pick<MailRecord, 'mailboxId' | 'threadId'>,
): Promise<boolean> {
  const range = { prefix: [mailboxId, threadId], descending: true };
  const { items } = await store.query(mails, 'byConversation', range, MOST_READ);
  const done = items.filter(({ value }) => value.state === 'done');
  const senders = new Set(done.flatMap(({ value }) => readAddress(value.from) ?? []));
  for (const address of senders) {
    const of = { prefix: [mailboxId, address], descending: true };
    const { items: taught } = await store.query(lessons, 'bySender', of, MOST_READ);
    const isOne = ({ value: { mailId, sender } }: (typeof taught)[number]) =>
      sender?.isIgnored === false && done.some(({ id }) => id === mailId);
    if (taught.some(isOne)) return true;
  }
  return false;
}

/**
 * The mails of its conversation that came before it, and either wait for their turn or are only listed, as their thread was told of them
 * beside a draft that doesn't know them.
 */
export async function findWaiting(
  store: Store,
  mail: Stored<MailRecord>,
): Promise<readonly Stored<MailRecord>[]> {
  return (await findUnanswered(store, mail)).filter(({ value }) => isEarlier(value, mail.value));
}

/** The newest of such mails, or this one. */
export async function findNewest(store: Store, mail: Stored<MailRecord>): Promise<Stored<MailRecord>> {
  const all = [mail, ...(await findUnanswered(store, mail))];
  return all.reduce((newest, one) => (isEarlier(newest.value, one.value) ? one : newest));
}

async function findUnanswered(
  store: Store,
  { id, value: { mailboxId, threadId } }: Stored<MailRecord>,
): Promise<readonly Stored<MailRecord>[]> {
  const range = { prefix: [mailboxId, threadId], descending: true };
  const [answering, all] = await Promise.all([
    store.query(mails, 'answering', { prefix: range.prefix }, MOST_READ),
    store.query(mails, 'ofConversation', range, MOST_READ),
  ]);
  const waiting = answering.items.filter(({ value }) => value.run === null && !value.isOpening);
  const told = all.items.filter(({ value }) => isToldBesideDraft(value));
  return [...waiting, ...told].filter((one) => one.id !== id);
}

/** Whether it's only listed, and its thread was told of it while something was drafted there that nobody has accepted since. */
function isToldBesideDraft({ state, notice, begunAt, leftFor }: MailRecord): boolean {
  const isTold = notice === 'told' || notice === 'telling';
  return state === 'listed' && isTold && begunAt === null && leftFor === null;
}

/** Servers tell of seconds: of the same one, the mail that was taken first. */
function isEarlier(one: MailRecord, other: MailRecord): boolean {
  if (one.arrivedAt !== other.arrivedAt) return one.arrivedAt < other.arrivedAt;
  return one.takenAt < other.takenAt;
}

/** The mails of a thread of ours that are meant, the one begun last first. */
export async function readThread(
  store: Store,
  threadId: string,
  isMeant: (mail: MailRecord) => boolean,
): Promise<readonly Stored<MailRecord>[]> {
  const { items } = await store.query(mails, 'byThread', { prefix: [threadId], descending: true }, MOST_READ);
  return items.filter(({ value }) => isMeant(value));
}

/**
 * The mail that was opened in a thread of ours, or added to it last: perhaps an earlier one, once more. `by`: as it was then, in
 * milliseconds since the epoch.
 */
export async function findOpenedMail(
  store: Store,
  threadId: string,
  { by = Number.POSITIVE_INFINITY } = {},
): Promise<Stored<MailRecord> | null> {
  const range = { prefix: [threadId], before: [threadId, by + 1], descending: true };
  return (await store.query(mails, 'byThread', range, 1)).items[0] ?? null;
}

/** When the next mail of a thread is begun: after all before it there, whatever the clocks of processes say. */
export async function nextBegin(store: Store, threadId: string, now: number): Promise<number> {
  const last = await findOpenedMail(store, threadId);
  return last ? Math.max(now, findBegin(last.value) + 1) : now;
}

export function isUndone({ state }: MailRecord): boolean {
  return state !== 'done';
}

/** Whether a run answers it now. */
export function isDrafted({ state, run }: MailRecord): boolean {
  return state === 'responding' && run !== null;
}

/** Whether it's answered only once somebody says so, or once a thread is free. */
export function mayBeDrafted(mail: MailRecord): boolean {
  return isOpen(mail) || (mail.state === 'responding' && mail.run === null);
}

/** Whether nobody answers it, and nobody is done with it. */
export function isOpen({ state }: MailRecord): boolean {
  return state === 'listed' || state === 'ignored';
}

/**
 * The mails that others sent after this one to its conversation, and which what was drafted to it then, in milliseconds since the epoch,
 * doesn't know; newest first.
 */
export async function findNewer(
  store: Store,
  { id, value: answered }: Stored<MailRecord>,
  draftedAt: number,
): Promise<readonly Stored<MailRecord>[]> {
  const { mailboxId, threadId, takenAt, arrivedAt } = answered;
  const range = { prefix: [mailboxId, threadId], descending: true };
  const { items } = await store.query(mails, 'ofConversation', range, MOST_READ);
  const isNext = (one: MailRecord) => one.takenAt >= takenAt && one.arrivedAt >= arrivedAt;
  // Drafted anew while it waited, the answer knows no more of it than before.
  const isUnread = (one: MailRecord) => isNext(one) && one.begunAt === null && one.leftFor === null;
  return items.filter(({ id: it, value }) => it !== id && (value.takenAt > draftedAt || isUnread(value)));
}

/** See `PersonInbox.newerThan`. A mail counts once it's taken, whether a model has judged it or not. */
export async function findNewerThan(
  store: Store,
  threadId: string,
  draftedAt: number,
): Promise<NewerMails | null> {
  const answered = await findOpenedMail(store, threadId);
  const all = answered ? await findNewer(store, answered, draftedAt) : [];
  return all[0] ? { ...toMail(all[0]), all: all.map(({ id }) => id).toSorted() } : null;
}

/** Whether what is drafted answers newer mails than this one, for which its owner hasn't asked for an answer. */
export function isOvertaken(
  { arrivedAt, state }: MailRecord,
  drafted: readonly Stored<MailRecord>[],
): boolean {
  return state !== 'responding' && drafted.some(({ value }) => value.arrivedAt > arrivedAt);
}

import { LRUCache } from 'lru-cache';
import { createTurns } from '../../lib/turns.ts';
import { withoutSchema } from '../../storage/scan.ts';
import type { Range, Store, Stored } from '../../storage/store.ts';
import { type AuditEntry, auditEntries, auditEntrySchema, isIntact, parseEntryId, SEALS } from './chain.ts';
import type { AuditVerifier } from './keys.ts';
import { sealSchema } from './seal.ts';

/** Entries per read. */
const PAGE = 200;
/** Entries that are kept, of all threads together; some 1 kB each. */
const KEPT_ENTRIES = 20_000;
/** Threads whose last known end is kept. */
const KEPT_ENDS = 20_000;
/** The latest seals that are read once, to know how long the chains were before this process began. */
const SEALS_READ = 50;

const unchecked = withoutSchema(auditEntries);

interface End {
  readonly seq: number;
  readonly hash: string;
}

/** The end of a chain as far back as it was verified: signed entries, each of which follows the one before. */
interface VerifiedPart {
  readonly threadId: string;
  /** Nothing up to this entry proves anything: it isn't signed, or not what is known to have been there. */
  barrier: number;
  /** The first verified entry, and the hash that the one before it must have. */
  from: number;
  previous: string | null;
  /** How far the chain was read. */
  end: End;
  size: number;
  /** By subject, each in order. */
  readonly about: Map<string, AuditEntry[]>;
}

/**
 * Reads the entries about one subject from the verified end of a chain, further and further back until `isEnough`
 * or until something proves nothing.
 */
export type ReadVerified = (
  threadId: string,
  subject: string,
  isEnough: (entries: readonly AuditEntry[]) => boolean,
) => Promise<readonly AuditEntry[]>;

/** What an entry is about, besides its thread; null if only about that. */
function subjectOfEntry({ what, callId, details }: AuditEntry): string | null {
  if (what === 'granted' || what === 'grant_used' || what === 'grant_ended') {
    return typeof details.grant === 'string' ? grantSubject(details.grant) : null;
  }
  return callId === null ? null : callSubject(callId);
}

export function callSubject(callId: string): string {
  return `call ${callId}`;
}

export function grantSubject(grantId: string): string {
  return `grant ${grantId}`;
}

/**
 * Reads verified ends of chains. What was verified is remembered, so that a further question costs one read, of
 * what is new; and so is where a chain ended, so that one that was cut or written anew since proves nothing up to
 * there. docs/decisions/0044 explains what that finds and what it doesn't.
 */
export function createVerifiedChains({
  store,
  auditKeys,
}: {
  readonly store: Store;
  readonly auditKeys: AuditVerifier;
}): ReadVerified {
  const inTurn = createTurns();
  const parts = new LRUCache<string, VerifiedPart>({
    maxSize: KEPT_ENTRIES,
    sizeCalculation: ({ size }) => size + 1,
  });
  const ends = new LRUCache<string, End>({ max: KEPT_ENDS });
  let sealedEnds: Promise<ReadonlyMap<string, End>> | null = null;

  return (threadId, subject, isEnough) =>
    inTurn(threadId, async () => {
      const part = await readEnd(threadId);
      while (!isEnough(part.about.get(subject) ?? []) && (await readBack(part)));
      parts.set(threadId, part);
      if (part.end.seq >= (ends.get(threadId)?.seq ?? 0)) ends.set(threadId, part.end);
      return [...(part.about.get(subject) ?? [])];
    });

  /** The part that is known, with what was added since; or the newest entries of a chain that isn't known. */
  async function readEnd(threadId: string): Promise<VerifiedPart> {
    const known = parts.get(threadId);
    if (!known) return readNewest(threadId);
    let range: Range = { prefix: [threadId], from: [threadId, known.end.seq] };
    for (let isFirst = true; ; isFirst = false) {
      const page = await store.query(unchecked, 'byThread', range, PAGE);
      const [first, ...others] = page.items;
      if (isFirst && (!first || parseEntry(first)?.hash !== known.end.hash)) {
        parts.delete(threadId);
        ends.set(threadId, known.end);
        return readNewest(threadId);
      }
      for (const stored of isFirst ? others : page.items) append(known, stored, null);
      if (page.next === null) return known;
      range = { ...range, cursor: page.next };
    }
  }

  async function readNewest(threadId: string): Promise<VerifiedPart> {
    const expected = await expectedEnd(threadId);
    const range = { prefix: [threadId], descending: true };
    const page = await store.query(unchecked, 'byThread', range, PAGE);
    const [first, ...others] = page.items.toReversed();
    const start = first ? parseEntryId(first.id).seq : 1;
    const part: VerifiedPart = {
      threadId,
      barrier: 0,
      from: start,
      previous: parseEntry(first)?.previous ?? null,
      end: { seq: start - 1, hash: parseEntry(first)?.previous ?? '' },
      size: 0,
      about: new Map(),
    };
    for (const stored of first ? [first, ...others] : []) append(part, stored, expected);
    // It ended further on: whoever cut it decides what it ends with now.
    if (expected && part.end.seq < expected.seq) raiseBarrier(part, expected);
    return part;
  }

  /** Takes one more page from before; false if there is nothing, or it proves nothing. */
  async function readBack(part: VerifiedPart): Promise<boolean> {
    const { threadId } = part;
    if (part.from - 1 <= part.barrier || part.size === 0) return false;
    const expected = await expectedEnd(threadId);
    const range = { prefix: [threadId], before: [threadId, part.from], descending: true };
    const page = await store.query(unchecked, 'byThread', range, PAGE);
    for (const stored of page.items) {
      const entry = parseEntry(stored);
      const isNext = entry?.seq === part.from - 1 && entry.hash === part.previous;
      if (!entry || !isNext || !isProven(threadId, stored, entry, expected)) {
        part.barrier = part.from - 1;
        return false;
      }
      part.from = entry.seq;
      part.previous = entry.previous;
      include(part, entry, 'before');
    }
    return page.items.length > 0;
  }

  function append(part: VerifiedPart, stored: Stored<unknown>, expected: End | null): void {
    const entry = parseEntry(stored);
    const { seq } = parseEntryId(stored.id);
    const isNext = seq === part.end.seq + 1 && entry?.previous === (part.end.hash || null);
    part.end = { seq, hash: entry?.hash ?? '' };
    if (entry && isNext && seq > part.barrier && isProven(part.threadId, stored, entry, expected)) {
      include(part, entry, 'after');
    } else raiseBarrier(part, part.end);
  }

  function isProven(
    threadId: string,
    stored: Stored<unknown>,
    entry: AuditEntry,
    expected: End | null,
  ): boolean {
    const isOther = expected?.seq === entry.seq && expected.hash !== entry.hash;
    return !isOther && isIntact(entry, threadId, parseEntryId(stored.id).seq) && auditKeys.isSigned(entry);
  }

  /** Where the chain is known to have ended: as this process saw it, or as it was sealed before. */
  async function expectedEnd(threadId: string): Promise<End | null> {
    sealedEnds ??= readSealedEnds().catch((error: unknown) => {
      sealedEnds = null;
      throw error;
    });
    return ends.get(threadId) ?? (await sealedEnds).get(threadId) ?? null;
  }

  async function readSealedEnds(): Promise<ReadonlyMap<string, End>> {
    const range = { prefix: [SEALS], descending: true };
    const page = await store.query(unchecked, 'byThread', range, SEALS_READ);
    const found = new Map<string, End>();
    for (const stored of page.items.toReversed()) {
      const seal = parseEntry(stored);
      if (!seal || !isProven(SEALS, stored, seal, null)) continue;
      for (const { threadId, ...end } of sealSchema.safeParse(seal.details).data?.heads ?? [])
        found.set(threadId, end);
    }
    return found;
  }
}

function parseEntry(stored: Stored<unknown> | undefined): AuditEntry | null {
  return auditEntrySchema.safeParse(stored?.value).data ?? null;
}

function include(part: VerifiedPart, entry: AuditEntry, where: 'before' | 'after'): void {
  part.size += 1;
  const subject = subjectOfEntry(entry);
  if (subject === null) return;
  const others = part.about.get(subject) ?? [];
  if (where === 'after') others.push(entry);
  else others.unshift(entry);
  part.about.set(subject, others);
}

/** Forgets everything up to an entry that proves nothing. */
function raiseBarrier(part: VerifiedPart, { seq }: Pick<End, 'seq'>): void {
  part.barrier = Math.max(part.barrier, seq);
  part.from = part.barrier + 1;
  part.previous = null;
  part.size = 0;
  part.about.clear();
}

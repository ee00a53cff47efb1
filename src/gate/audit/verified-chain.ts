import { LRUCache } from 'lru-cache';
import { createSharedTurns, createTurns } from '../../lib/turns.ts';
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

/** What an entry is about, besides its thread; null if only about that. */
function subjectOfEntry({ what, callId, details }: AuditEntry): string | null {
  if (what === 'granted' || what === 'grant_used' || what === 'grant_ended') {
    return typeof details.grant === 'string' ? grantSubject(details.grant) : null;
  }
  if (what === 'delegated' || what === 'delegation_ended') {
    return typeof details.delegation === 'string' ? delegationSubject(details.delegation) : null;
  }
  return callId === null ? null : callSubject(callId);
}

export function callSubject(callId: string): string {
  return `call:${callId}`;
}

export function grantSubject(grantId: string): string {
  return `grant:${grantId}`;
}

export function delegationSubject(delegationId: string): string {
  return `delegation:${delegationId}`;
}

/**
 * Reads verified ends of chains. What was verified is remembered, so that a further question costs one read, of
 * what is new; and so is where a chain ended, so that one that was cut or written anew since proves nothing up to
 * there. docs/decisions/0044 explains what that finds and what it doesn't.
 */
export class VerifiedChains {
  readonly #store: Store;
  readonly #verifier: AuditVerifier;
  readonly #inTurn = createTurns();
  readonly #share = createSharedTurns<VerifiedPart>(this.#inTurn);
  readonly #parts: LRUCache<string, VerifiedPart>;
  readonly #ends = new LRUCache<string, End>({ max: KEPT_ENDS });
  #sealedEnds: Promise<ReadonlyMap<string, End>> | null = null;

  /** @param keptEntries entries that are remembered, of all threads together. Default: 20,000. */
  constructor(
    ports: { readonly store: Store; readonly auditKeys: AuditVerifier },
    keptEntries: number = KEPT_ENTRIES,
  ) {
    this.#store = ports.store;
    this.#verifier = ports.auditKeys;
    this.#parts = new LRUCache({ maxSize: keptEntries, sizeCalculation: ({ size }) => size + 1 });
  }

  /**
   * The verified entries about one subject, in order: read further and further back until `isEnough`, or until
   * something proves nothing.
   */
  async read(
    threadId: string,
    subject: string,
    isEnough: (entries: readonly AuditEntry[]) => boolean,
  ): Promise<readonly AuditEntry[]> {
    const listEntries = (part: VerifiedPart) => [...(part.about.get(subject) ?? [])];
    // The calls of one message ask together.
    const entries = listEntries(await this.#share(threadId, () => this.#rememberEnd(threadId)));
    if (isEnough(entries)) return entries;
    return this.#inTurn(threadId, async () => {
      const part = await this.#rememberEnd(threadId);
      while (!isEnough(part.about.get(subject) ?? []) && (await this.#readBack(part)));
      this.#keep(part);
      return listEntries(part);
    });
  }

  async #rememberEnd(threadId: string): Promise<VerifiedPart> {
    const part = await this.#readEnd(threadId);
    this.#keep(part);
    if (part.end.seq >= (this.#ends.get(threadId)?.seq ?? 0)) this.#ends.set(threadId, part.end);
    return part;
  }

  #keep(part: VerifiedPart): void {
    // Setting what is there already wouldn't count what it has grown by.
    this.#parts.delete(part.threadId);
    this.#parts.set(part.threadId, part);
  }

  /** The part that is known, with what was added since; or the newest entries of a chain that isn't known. */
  async #readEnd(threadId: string): Promise<VerifiedPart> {
    const known = this.#parts.get(threadId);
    if (!known) return this.#readNewest(threadId);
    let range: Range = { prefix: [threadId], from: [threadId, known.end.seq] };
    for (let isFirst = true; ; isFirst = false) {
      const page = await this.#store.query(unchecked, 'byThread', range, PAGE);
      const [first, ...others] = page.items;
      if (isFirst && (!first || parseEntry(first)?.hash !== known.end.hash)) {
        this.#parts.delete(threadId);
        this.#ends.set(threadId, known.end);
        return this.#readNewest(threadId);
      }
      for (const stored of isFirst ? others : page.items) this.#append(known, stored, null);
      if (page.next === null) return known;
      range = { ...range, cursor: page.next };
    }
  }

  async #readNewest(threadId: string): Promise<VerifiedPart> {
    const expected = await this.#expectedEnd(threadId);
    const range = { prefix: [threadId], descending: true };
    const { items } = await this.#store.query(unchecked, 'byThread', range, PAGE);
    const stored = items.toReversed();
    const [first] = stored;
    const from = first ? parseEntryId(first.id).seq : 1;
    const previous = parseEntry(first)?.previous ?? null;
    const part: VerifiedPart = {
      threadId,
      barrier: 0,
      from,
      previous,
      end: { seq: from - 1, hash: previous ?? '' },
      size: 0,
      about: new Map(),
    };
    for (const one of stored) this.#append(part, one, expected);
    // It ended further on: whoever cut it decides what it ends with now.
    if (expected && part.end.seq < expected.seq) raiseBarrier(part, expected);
    return part;
  }

  /** Takes one more page from before; false if there is nothing, or it proves nothing. */
  async #readBack(part: VerifiedPart): Promise<boolean> {
    const { threadId } = part;
    if (part.from - 1 <= part.barrier || part.size === 0) return false;
    const expected = await this.#expectedEnd(threadId);
    const range = { prefix: [threadId], before: [threadId, part.from], descending: true };
    const page = await this.#store.query(unchecked, 'byThread', range, PAGE);
    for (const stored of page.items) {
      const entry = parseEntry(stored);
      const isNext = entry?.seq === part.from - 1 && entry.hash === part.previous;
      if (!entry || !isNext || !this.#isProven(threadId, { stored, entry }, expected)) {
        part.barrier = part.from - 1;
        return false;
      }
      part.from = entry.seq;
      part.previous = entry.previous;
      include(part, entry, 'before');
    }
    return page.items.length > 0;
  }

  #append(part: VerifiedPart, stored: Stored<unknown>, expected: End | null): void {
    const entry = parseEntry(stored);
    const { seq } = parseEntryId(stored.id);
    const isNext = seq === part.end.seq + 1 && entry?.previous === (part.end.hash || null);
    part.end = { seq, hash: entry?.hash ?? '' };
    const isProven = entry && this.#isProven(part.threadId, { stored, entry }, expected);
    if (isProven && isNext && seq > part.barrier) include(part, entry, 'after');
    else raiseBarrier(part, part.end);
  }

  #isProven(
    threadId: string,
    { stored, entry }: { readonly stored: Stored<unknown>; readonly entry: AuditEntry },
    expected: End | null,
  ): boolean {
    const isOther = expected?.seq === entry.seq && expected.hash !== entry.hash;
    const isHere = isIntact(entry, threadId, parseEntryId(stored.id).seq);
    return !isOther && isHere && this.#verifier.isSigned(entry);
  }

  /** Where the chain is known to have ended: as this process saw it, or as it was sealed before. */
  async #expectedEnd(threadId: string): Promise<End | null> {
    this.#sealedEnds ??= this.#readSealedEnds().catch((error: unknown) => {
      this.#sealedEnds = null;
      throw error;
    });
    return this.#ends.get(threadId) ?? (await this.#sealedEnds).get(threadId) ?? null;
  }

  async #readSealedEnds(): Promise<ReadonlyMap<string, End>> {
    const range = { prefix: [SEALS], descending: true };
    const page = await this.#store.query(unchecked, 'byThread', range, SEALS_READ);
    const found = new Map<string, End>();
    for (const stored of page.items.toReversed()) {
      const seal = parseEntry(stored);
      if (!seal || !this.#isProven(SEALS, { stored, entry: seal }, null)) continue;
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

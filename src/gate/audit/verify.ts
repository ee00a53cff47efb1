import { z } from 'zod';
import { StoreError } from '../../lib/errors.ts';
import { scanIndex, withoutSchema } from '../../storage/scan.ts';
import type { Range, Store, Stored } from '../../storage/store.ts';
import { AUDIT_PROBLEMS } from '../texts/notices.ts';
import {
  type AuditEntry,
  type AuditHead,
  auditEntries,
  auditEntrySchema,
  auditHeads,
  entryId,
  isIntact,
  parseEntryId,
  SEALS,
} from './chain.ts';
import { createChainRules } from './chain-rules.ts';
import type { AuditVerifier } from './keys.ts';
import { sealSchema } from './seal.ts';

/** A finding: something isn't as it was written. */
export interface AuditProblem {
  /** The chain; null if unknown. */
  readonly threadId: string | null;
  /** The entry; null if the finding is about the whole chain. */
  readonly seq: number | null;
  /** The finding, as a sentence. */
  readonly problem: string;
}

export interface AuditCounts {
  readonly chains: number;
  readonly entries: number;
  readonly seals: number;
}

/** A head of the chain of seals, as it was noted outside the store. */
export const anchoredHeadSchema = z.object({ seq: z.int().min(1), hash: z.string() });
export type AnchoredHead = z.infer<typeof anchoredHeadSchema>;

/** The collections without their schemas, so that corrupt records can be read too. */
export const uncheckedEntries = withoutSchema(auditEntries);
const uncheckedHeads = withoutSchema(auditHeads);

/**
 * Verifies the whole audit, page by page, and reports everything that isn't as it was written: changed or
 * missing entries, and truncated chains as far as a seal or a noted head knows their end. Writes may go on
 * meanwhile. With keys, also who signed the entries, and what {@link createChainRules} says. `earlier`: what unsigned
 * entries are about.
 */
export async function verifyAudit(
  { store, verifier, onEntries }: VerifyAuditPorts,
  noted: AsyncIterable<AnchoredHead> | Iterable<AnchoredHead>,
  tell: (problem: AuditProblem) => void,
): Promise<AuditCounts & { readonly earlier: ReadonlySet<string> }> {
  const rules = createChainRules(verifier ?? NO_KEYS, ({ threadId, seq }, problem) => {
    if (verifier !== null) tell({ threadId, seq, problem });
  });
  const count = { chains: 0, entries: 0, seals: 0 };
  await verifyPart(tell, () => verifyChains(store, { count, rules, onEntries }, tell));
  await verifyPart(tell, () => verifyHeads(store, tell));
  await verifyPart(tell, () => verifySeals(store, count, tell));
  await verifyPart(tell, () => verifyAnchored(store, noted, tell));
  rules.finish();
  return { ...count, earlier: rules.earlier };
}

/**
 * Verifies one chain as {@link verifyAudit} does each, but for seals and for what other chains say. Returns its entries that
 * can be read, in order.
 */
export async function verifyChain(
  { store, verifier }: Pick<VerifyAuditPorts, 'store' | 'verifier'>,
  threadId: string,
  tell: (problem: AuditProblem) => void,
): Promise<readonly AuditEntry[]> {
  const entries: AuditEntry[] = [];
  const rules = createChainRules(verifier ?? NO_KEYS, ({ seq }, problem) => {
    if (verifier !== null) tell({ threadId, seq, problem });
  });
  const check = (entry: AuditEntry): void => {
    entries.push(entry);
    rules.check(entry);
  };
  const found = { rules: { ...rules, check }, tell };
  let followed: Followed = { threadId, seq: 0, hash: null };
  for await (const stored of scanIndex(store, uncheckedEntries, 'byThread', { prefix: [threadId] }))
    followed = follow(followed, stored, found);
  if (followed.seq > 0) await verifyEnd(store, followed, found);
  return entries;
}

export interface VerifyAuditPorts {
  readonly store: Store;
  /** The keys that may have signed entries; null if none is known: then only hashes and ends are verified. */
  readonly verifier: AuditVerifier | null;
  /** Told now and then how many entries have been read. */
  readonly onEntries?: ((entries: number) => void) | undefined;
}

/** How many entries are read from one word about it to the next. */
const ENTRIES_PER_WORD = 100;

const NO_KEYS: AuditVerifier = { isSigned: () => false, publicKeys: [] };

/** Verifies one part: a record that the store can't read must not keep the rest from being verified. */
async function verifyPart(tell: Report, verify: () => Promise<void>): Promise<void> {
  try {
    await verify();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    tell({ threadId: null, seq: null, problem: AUDIT_PROBLEMS.unreadable(error.userMessage) });
  }
}

type Count = { -readonly [Key in keyof AuditCounts]: AuditCounts[Key] };

type Report = (problem: AuditProblem) => void;

interface Found extends Pick<Walk, 'rules'> {
  readonly tell: Report;
}

/** How far a chain was followed. `hash` is undefined if unknown, after a gap or a corrupt entry. */
interface Followed {
  readonly threadId: string;
  readonly seq: number;
  readonly hash: string | null | undefined;
}

interface Walk {
  readonly count: Count;
  readonly rules: ReturnType<typeof createChainRules>;
  readonly onEntries: VerifyAuditPorts['onEntries'];
}

async function verifyChains(store: Store, { count, rules, onEntries }: Walk, tell: Report): Promise<void> {
  let followed: Followed | null = null;
  for await (const stored of scanIndex(store, uncheckedEntries, 'byThread', {})) {
    const { threadId } = parseEntryId(stored.id);
    if (followed?.threadId !== threadId) {
      if (followed) await verifyEnd(store, followed, { rules, tell });
      followed = { threadId, seq: 0, hash: null };
      count.chains += 1;
    }
    followed = follow(followed, stored, { rules, tell });
    count.entries += 1;
    if (count.entries % ENTRIES_PER_WORD === 0) onEntries?.(count.entries);
  }
  if (followed) await verifyEnd(store, followed, { rules, tell });
}

/** Moves on to the next entry of a chain. */
function follow(before: Followed, stored: Stored<unknown>, { rules, tell }: Found): Followed {
  const { threadId, seq } = parseEntryId(stored.id);
  const say = (problem: string) => tell({ threadId, seq, problem });
  const isNext = seq === before.seq + 1;
  if (!isNext)
    say(
      seq > before.seq
        ? AUDIT_PROBLEMS.missing({ from: before.seq + 1, to: seq - 1 })
        : AUDIT_PROBLEMS.misplaced,
    );
  const entry = auditEntrySchema.safeParse(stored.value).data;
  if (!entry || !isIntact(entry, threadId, seq)) say(AUDIT_PROBLEMS.changed);
  if (!entry) return { threadId, seq, hash: undefined };
  if (isNext && before.hash !== undefined && entry.previous !== before.hash) {
    say(AUDIT_PROBLEMS.unlinked);
  }
  rules.check(entry);
  return { threadId, seq, hash: entry.hash };
}

/** Compares a chain that was followed with its head, and goes on if it has grown meanwhile. */
async function verifyEnd(store: Store, followed: Followed, { rules, tell }: Found): Promise<void> {
  const { threadId } = followed;
  const head = parseHead(await store.get(uncheckedHeads, threadId));
  if (!head) return tell({ threadId, seq: null, problem: AUDIT_PROBLEMS.headMissing });
  let end = followed;
  if (head.seq > followed.seq) {
    const rest: Range = { from: [threadId, followed.seq + 1], before: [threadId, head.seq + 1] };
    for await (const stored of scanIndex(store, uncheckedEntries, 'byThread', rest))
      end = follow(end, stored, { rules, tell });
  }
  if (end.seq < head.seq) {
    return tell({
      threadId,
      seq: end.seq,
      problem: AUDIT_PROBLEMS.cut(head.seq),
    });
  }
  if (end.seq > head.seq || (end.hash !== undefined && end.hash !== head.hash)) {
    tell({ threadId, seq: end.seq, problem: AUDIT_PROBLEMS.otherEnd });
  }
}

/** Finds chains that are gone entirely, and those marked as sealed that aren't. */
async function verifyHeads(store: Store, tell: Report): Promise<void> {
  for await (const stored of scanIndex(store, uncheckedHeads, 'byThread', {})) {
    const threadId = stored.id;
    const head = parseHead(stored);
    // Reported already, if it has entries.
    if (!head) continue;
    const first = await store.query(uncheckedEntries, 'byThread', { prefix: [threadId] }, 1);
    if (first.items.length === 0) {
      tell({ threadId, seq: null, problem: AUDIT_PROBLEMS.allMissing(head.seq) });
    }
    if (!head.sealed) continue;
    const { seal, seq } = head.sealed;
    const named = parseSealedHeads(await store.get(uncheckedEntries, entryId(SEALS, seal)));
    if (!named?.some((one) => one.threadId === threadId && one.seq === seq)) {
      tell({ threadId, seq, problem: AUDIT_PROBLEMS.sealMissing(seal) });
    }
  }
}

/** Looks up every entry that a seal names. */
async function verifySeals(store: Store, count: Count, tell: Report): Promise<void> {
  for await (const stored of scanIndex(store, uncheckedEntries, 'byThread', { prefix: [SEALS] })) {
    count.seals += 1;
    const seal = parseEntryId(stored.id).seq;
    const named = parseSealedHeads(stored) ?? [];
    const found = await store.getMany(
      uncheckedEntries,
      named.map(({ threadId, seq }) => entryId(threadId, seq)),
    );
    for (const [index, { threadId, seq, hash }] of named.entries()) {
      const entry = found[index];
      if (!entry) tell({ threadId, seq, problem: AUDIT_PROBLEMS.sealedMissing(seal) });
      else if (auditEntrySchema.safeParse(entry.value).data?.hash !== hash) {
        tell({ threadId, seq, problem: AUDIT_PROBLEMS.sealedChanged(seal) });
      }
    }
  }
}

async function verifyAnchored(
  store: Store,
  noted: AsyncIterable<AnchoredHead> | Iterable<AnchoredHead>,
  tell: Report,
): Promise<void> {
  for await (const { seq, hash } of noted) {
    const say = (problem: string) => tell({ threadId: SEALS, seq, problem });
    const seal = await store.get(uncheckedEntries, entryId(SEALS, seq));
    if (!seal) say(AUDIT_PROBLEMS.anchoredSealMissing);
    else if (auditEntrySchema.safeParse(seal.value).data?.hash !== hash) {
      say(AUDIT_PROBLEMS.otherSeal);
    }
  }
}

function parseHead(stored: Stored<unknown> | null): AuditHead | null {
  const head = auditHeads.schema.safeParse(stored?.value).data;
  return head && head.threadId === stored?.id ? head : null;
}

/** The heads that a seal names; null if the entry is no seal. */
function parseSealedHeads(stored: Stored<unknown> | null): z.infer<typeof sealSchema>['heads'] | null {
  const entry = auditEntrySchema.safeParse(stored?.value).data;
  return sealSchema.safeParse(entry?.details).data?.heads ?? null;
}

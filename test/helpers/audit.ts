import {
  type AuditEntry,
  type AuditHead,
  auditEntries,
  auditHeads,
  entryHash,
  entryId,
} from '../../src/gate/audit/chain.ts';
import { sealChains } from '../../src/gate/audit/seal.ts';
import type { AnchoredHead, AuditProblem } from '../../src/gate/audit/verify.ts';
import { verifyStore } from '../../src/gate/verify-store.ts';
import { scanIndex } from '../../src/storage/scan.ts';
import { encodeKey, put, ref, type Store } from '../../src/storage/store.ts';
import { auditKeys } from './audit-keys.ts';

/** The entries of one chain, or of all, in order. */
export async function entriesOf(store: Store, threadId?: string): Promise<AuditEntry[]> {
  const range = threadId === undefined ? {} : { prefix: [threadId] };
  const found: AuditEntry[] = [];
  for await (const { value } of scanIndex(store, auditEntries, 'byThread', range)) found.push(value);
  return found;
}

/** What is wrong with the audit of a store, a line each: `chain #seq: what`. */
export async function problemsOf(store: Store, noted: readonly AnchoredHead[] = []): Promise<string[]> {
  const problems: string[] = [];
  const tell = ({ threadId, seq, problem }: AuditProblem) =>
    void problems.push(`${threadId}${seq === null ? '' : ` #${seq}`}: ${problem}`);
  await verifyStore({ store, verifier: auditKeys }, noted, tell);
  return problems;
}

/** Seals whatever is not sealed; the seals that it took. */
export async function sealAll(store: Store): Promise<AuditEntry[]> {
  const seals: AuditEntry[] = [];
  for await (const seal of sealChains({ store, auditKeys, clock: () => 2_000_000 })) seals.push(seal);
  return seals;
}

/** An entry in short: who did what with which call, and why it was refused if it was. */
export function inShort({ actor, what, callId, details }: AuditEntry): string {
  const more = [details.decision, details.attempt, details.code].filter((it) => typeof it === 'string');
  return [actor.name, what, callId ?? '-', ...(what === 'executing' ? [] : more)].join(' ');
}

/** Puts something in the place of an entry, as whoever can write the store could. */
export async function spoil(store: Store, { threadId, seq }: AuditEntry, json: string): Promise<void> {
  const keys = { byThread: encodeKey([threadId, seq]) };
  await store.commit({ put: [{ collection: auditEntries.name, id: entryId(threadId, seq), json, keys }] });
}

/** Takes entries away, and leaves no trace of them in any index. */
export async function remove(store: Store, ...entries: readonly AuditEntry[]): Promise<void> {
  await store.commit({
    delete: entries.map(({ threadId, seq }) => ref(auditEntries, entryId(threadId, seq))),
  });
}

/** Rewrites the end of a chain so that it looks as if `entry` had been the last. */
export async function endAt(store: Store, { threadId, seq, hash }: AuditEntry): Promise<void> {
  const head: AuditHead = { threadId, seq, hash, sealed: null };
  await store.commit({ put: [put(auditHeads, threadId, head)] });
}

/** Makes a chain anew with other entries, every hash and its end as they should be. */
export async function rewrite(store: Store, entries: readonly AuditEntry[]): Promise<AuditEntry | undefined> {
  let previous: string | null = null;
  let last: AuditEntry | undefined;
  for (const entry of entries) {
    last = { ...entry, previous };
    last = { ...last, hash: entryHash(last) };
    previous = last.hash;
    await spoil(store, last, JSON.stringify(last));
  }
  if (last) await endAt(store, last);
  return last;
}

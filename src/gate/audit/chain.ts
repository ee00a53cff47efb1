import { z } from 'zod';
import { canonicalJson, sha256Hex } from '../../lib/canonical-json.ts';
import type { Clock } from '../../lib/clock.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import {
  absent,
  collection,
  type Expectation,
  type Put,
  put,
  type Store,
  type Stored,
  unchanged,
} from '../../storage/store.ts';
import { type AuditNote, auditActionSchema } from './note.ts';

/** Strict to the last field, so that nothing can be added to a stored entry unseen. */
export const auditEntrySchema = z.strictObject({
  threadId: z.string(),
  /** The place in the thread's chain, from 1, without gaps. */
  seq: z.int().min(1),
  /** Milliseconds since the epoch, by the clock of the process that wrote it. */
  at: z.number(),
  actor: z.strictObject({ id: z.string(), name: z.string() }),
  what: auditActionSchema,
  requestId: z.string().nullable(),
  callId: z.string().nullable(),
  /** Binds tool, definition and arguments of the call as they were after; the arguments are not in here. */
  digest: z.string().nullable(),
  details: z.custom<JsonObject>(isJsonObject, 'must be a JSON object'),
  /** The hash of the entry before; null in the first. */
  previous: z.string().nullable(),
  /** SHA-256 over the canonical JSON of all the rest. */
  hash: z.string(),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

/** The record of what the gate did and refused: a chain per thread, only ever added to. */
export const auditEntries = collection({
  name: 'audit_entries',
  schema: auditEntrySchema,
  indexes: { byThread: (entry) => [entry.threadId, entry.seq] },
});

/** Where each chain ends; the id is the thread's. */
export const auditHeads = collection({
  name: 'audit_heads',
  schema: z.strictObject({
    threadId: z.string(),
    seq: z.int().min(1),
    hash: z.string(),
    /** Up to which entry the chain is sealed, and by which seal; null while it never was. */
    sealed: z.strictObject({ seq: z.int(), seal: z.int() }).nullable(),
  }),
  indexes: {
    byThread: (head) => [head.threadId],
    unsealed: (head) => (head.threadId === SEALS || head.seq === head.sealed?.seq ? null : [head.threadId]),
  },
});
export type AuditHead = z.infer<typeof auditHeads.schema>;

/** The chain of seals, each of which names the heads of other chains. */
export const SEALS = 'seals';
/** The chain of what belongs to no thread, such as a click on a call that there is not. */
export const NO_THREAD = 'no-thread';

export function entryId(threadId: string, seq: number): string {
  return `${threadId}#${seq}`;
}

/** The hash that an entry must have; whatever else it holds is hashed. Throws on text that is no Unicode. */
export function entryHash({ hash: _own, ...rest }: AuditEntry): string {
  return sha256Hex(canonicalJson(rest));
}

/** Writes that add to chains, with what must be true for them: that nobody else has added meanwhile. */
export interface AppendedEntries {
  readonly expect: readonly Expectation[];
  readonly put: readonly Put[];
  /** The last entry of each chain that was added to. */
  readonly last: readonly AuditEntry[];
}

/** The audit for those who commit records of their own: what they did is on record with them, or neither is. */
export interface AuditLog {
  /** The writes that add these notes, to be part of the caller's commit. */
  append(notes: readonly AuditNote[]): Promise<Pick<AppendedEntries, 'expect' | 'put'>>;
}

export function createAuditLog(ports: { readonly store: Store; readonly clock: Clock }): AuditLog {
  return { append: (notes) => appendEntries(ports, notes) };
}

/** Reads the heads of the chains that the notes belong to, and makes the writes that add them, in their order. */
export async function appendEntries(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  notes: readonly AuditNote[],
): Promise<AppendedEntries> {
  const chains = [...Map.groupBy(notes, (note) => note.threadId)];
  const heads = await store.getMany(
    auditHeads,
    chains.map(([threadId]) => threadId),
  );
  const added = chains.map(([threadId, own], index) =>
    extendChain(threadId, heads[index] ?? null, own, clock()),
  );
  return {
    expect: added.map(({ expectation }) => expectation),
    put: added.flatMap(({ put }) => put),
    last: added.flatMap(({ entries }) => entries.slice(-1)),
  };
}

function extendChain(
  threadId: string,
  head: Stored<AuditHead> | null,
  notes: readonly AuditNote[],
  at: number,
): { expectation: Expectation; put: Put[]; entries: AuditEntry[] } {
  const entries: AuditEntry[] = [];
  let { seq, hash: previous } = head?.value ?? { seq: 0, hash: null };
  for (const note of notes) {
    seq += 1;
    const entry = createEntry(note, seq, at, previous);
    previous = entry.hash;
    entries.push(entry);
  }
  const next: AuditHead = { threadId, seq, hash: previous ?? '', sealed: head?.value.sealed ?? null };
  return {
    expectation: head ? unchanged(auditHeads, head) : absent(auditHeads, threadId),
    put: [
      ...entries.map((entry) => put(auditEntries, entryId(threadId, entry.seq), entry)),
      put(auditHeads, threadId, next),
    ],
    entries,
  };
}

function createEntry(note: AuditNote, seq: number, at: number, previous: string | null): AuditEntry {
  const entry: AuditEntry = {
    threadId: note.threadId,
    seq,
    at,
    // Names come from outside, and half a surrogate pair in one must not keep a decision from landing.
    actor: { id: note.actor.id.toWellFormed(), name: note.actor.name.toWellFormed() },
    what: note.what,
    requestId: note.requestId ?? null,
    callId: note.callId ?? null,
    digest: note.digest ?? null,
    details: note.details ?? {},
    previous,
    hash: '',
  };
  return { ...entry, hash: entryHash(entry) };
}

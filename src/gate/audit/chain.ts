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
import type { AuditKeys } from './keys.ts';
import { type AuditNote, auditActionSchema } from './note.ts';

/** One audit entry. The schema is strict, so that nothing can be added to a stored entry unseen. */
export const auditEntrySchema = z.strictObject({
  threadId: z.string(),
  /** The index in the thread's chain, from 1, without gaps. */
  seq: z.int().min(1),
  /** Milliseconds since the epoch, by the clock of the process that wrote it. */
  at: z.number(),
  actor: z.strictObject({ id: z.string(), name: z.string() }),
  what: auditActionSchema,
  requestId: z.string().nullable(),
  callId: z.string().nullable(),
  /**
   * Binds the call's tool, definition and arguments as they were afterwards; the arguments aren't stored
   * here.
   */
  digest: z.string().nullable(),
  details: z.custom<JsonObject>(isJsonObject, 'must be a JSON object'),
  /** The previous entry's hash; null in the first. */
  previous: z.string().nullable(),
  /** What the call's record, or the grant's, then says about permission; absent if it permits nothing by itself. */
  permission: z.string().optional(),
  /** The key that signed the entry; absent in entries of earlier versions. */
  keyId: z.string().optional(),
  /** SHA-256 over the canonical JSON of all fields but this one and the signature. */
  hash: z.string(),
  /** Signs the hash; base64url. Absent in entries of earlier versions. */
  signature: z.string().optional(),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

/**
 * The audit of what the gate did and refused: one append-only chain per thread. docs/decisions/0018 explains
 * why per thread.
 */
export const auditEntries = collection({
  name: 'audit_entries',
  schema: auditEntrySchema,
  indexes: { byThread: (entry) => [entry.threadId, entry.seq] },
});

/** The head of each chain; the id is the thread's. */
export const auditHeads = collection({
  name: 'audit_heads',
  schema: z.strictObject({
    threadId: z.string(),
    seq: z.int().min(1),
    hash: z.string(),
    /** The last sealed entry, and its seal; null if the chain was never sealed. */
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
/** The chain for what belongs to no thread, such as a click on an unknown call. */
export const NO_THREAD = 'no-thread';

/** The store's id of an entry. */
export function entryId(threadId: string, seq: number): string {
  return `${threadId}#${seq}`;
}

/** The hash that an entry must have, over everything else in it but the signature. Throws on invalid Unicode. */
export function entryHash({ hash: _own, signature: _of, permission, keyId, ...rest }: AuditEntry): string {
  const added = { ...(permission ? { permission } : {}), ...(keyId ? { keyId } : {}) };
  return sha256Hex(canonicalJson({ ...rest, ...added }));
}

/** Whether an entry stands where it says, and has the hash that it must have. */
export function isIntact(entry: AuditEntry, threadId: string, seq: number): boolean {
  try {
    return entry.threadId === threadId && entry.seq === seq && entryHash(entry) === entry.hash;
  } catch {
    // Text that isn't valid Unicode was never hashed.
    return false;
  }
}

/** The chain and index in an entry's id. */
export function parseEntryId(id: string): { readonly threadId: string; readonly seq: number } {
  const at = id.lastIndexOf('#');
  return { threadId: id.slice(0, at), seq: Number(id.slice(at + 1)) };
}

/** Writes that append to chains, with the preconditions that nobody else has appended meanwhile. */
interface AppendedEntries {
  readonly expect: readonly Expectation[];
  readonly put: readonly Put[];
  /** The last entry of each chain that grew. */
  readonly last: readonly AuditEntry[];
  /** The head of each chain that grew, as it then is. */
  readonly heads: readonly AuditHead[];
}

/** The audit, for modules that commit records of their own: both are committed, or neither. */
export interface AuditLog {
  /** The writes that append these notes, for the caller's commit. */
  append(notes: readonly AuditNote[]): Promise<Pick<AppendedEntries, 'expect' | 'put'>>;
}

/** What writing to the audit takes. */
export interface AuditPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly auditKeys: Pick<AuditKeys, 'keyId' | 'sign'>;
}

export function createAuditLog(ports: AuditPorts): AuditLog {
  return { append: (notes) => appendEntries(ports, notes) };
}

/** The heads of chains as they were read, by thread; without those of chains that are still to begin. */
export type ChainHeads = ReadonlyMap<string, Stored<AuditHead>>;

/** Reads the heads of these chains, in one round trip. */
export async function readHeads(
  { store }: { readonly store: Store },
  threadIds: readonly string[],
): Promise<ChainHeads> {
  const heads = await store.getMany(auditHeads, threadIds);
  return new Map(heads.flatMap((head) => (head ? [[head.id, head] as const] : [])));
}

/** When entries are written, in milliseconds since the epoch, and what signs them. */
interface Writing extends Pick<AuditPorts, 'auditKeys'> {
  readonly at: number;
}

/** Makes the writes that append these notes, in order, to the chains whose heads were read. */
export function extendChains(heads: ChainHeads, notes: readonly AuditNote[], by: Writing): AppendedEntries {
  const added = [...Map.groupBy(notes, (note) => note.threadId)].map(([threadId, own]) =>
    extendChain(threadId, heads.get(threadId) ?? null, own, by),
  );
  return {
    expect: added.map(({ expectation }) => expectation),
    put: added.flatMap(({ put }) => put),
    last: added.flatMap(({ entries }) => entries.slice(-1)),
    heads: added.map(({ head }) => head),
  };
}

/** Reads the heads of the notes' chains, and makes the writes that append the notes in order. */
export async function appendEntries(
  { store, clock, auditKeys }: AuditPorts,
  notes: readonly AuditNote[],
): Promise<AppendedEntries> {
  const heads = await readHeads({ store }, [...new Set(notes.map(({ threadId }) => threadId))]);
  return extendChains(heads, notes, { at: clock(), auditKeys });
}

function extendChain(
  threadId: string,
  head: Stored<AuditHead> | null,
  notes: readonly AuditNote[],
  by: Writing,
): { expectation: Expectation; put: Put[]; entries: AuditEntry[]; head: AuditHead } {
  const entries: AuditEntry[] = [];
  let { seq, hash: previous } = head?.value ?? { seq: 0, hash: null };
  for (const note of notes) {
    seq += 1;
    const entry = createEntry(note, { seq, previous, ...by });
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
    head: next,
  };
}

function createEntry(
  note: AuditNote,
  {
    seq,
    previous,
    at,
    auditKeys,
  }: Pick<AuditEntry, 'seq' | 'previous' | 'at'> & Pick<AuditPorts, 'auditKeys'>,
): AuditEntry {
  const entry: AuditEntry = {
    threadId: note.threadId,
    seq,
    at,
    // Names come from outside; half a surrogate pair in one must not keep a decision from being committed.
    actor: { id: note.actor.id.toWellFormed(), name: note.actor.name.toWellFormed() },
    what: note.what,
    requestId: note.requestId ?? null,
    callId: note.callId ?? null,
    digest: note.digest ?? null,
    details: note.details ?? {},
    previous,
    ...(note.permission ? { permission: note.permission } : {}),
    keyId: auditKeys.keyId,
    hash: '',
  };
  const hash = entryHash(entry);
  return { ...entry, hash, signature: auditKeys.sign(hash) };
}

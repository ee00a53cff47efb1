import type { Store } from '../../storage/store.ts';
import { type AuditEntry, auditEntrySchema, auditHeads, SEALS } from './chain.ts';
import { sealSchema } from './seal.ts';
import { uncheckedEntries } from './verify.ts';

/** Seals that are looked at for the chains that grew last, and chains that haven't been sealed since. */
const LOOKED_AT = { seals: 10, unsealed: 200 };
/** The most chains, and entries of each, that are read. */
const READ = { chains: 200, entriesEach: 50 };

/**
 * The latest entries, newest first, without the seals. Of all chains, those of the chains that grew last: entries
 * aren't in the order of time but in their chains, and seals name which have grown. What can't be read is left out.
 */
export async function readLatestEntries(
  store: Store,
  { threadId, limit }: { readonly threadId: string | null; readonly limit: number },
): Promise<readonly AuditEntry[]> {
  if (threadId !== null) return readEnd(store, threadId, limit);
  const chains = await findGrown(store);
  const ends = await Promise.all(chains.map((chain) => readEnd(store, chain, READ.entriesEach)));
  return ends
    .flat()
    .toSorted((one, other) => other.at - one.at)
    .slice(0, limit);
}

async function findGrown(store: Store): Promise<readonly string[]> {
  const unsealed = await store.query(auditHeads, 'unsealed', {}, LOOKED_AT.unsealed);
  const seals = await readEnd(store, SEALS, LOOKED_AT.seals);
  const sealed = seals.flatMap(({ details }) => sealSchema.safeParse(details).data?.heads ?? []);
  const chains = new Set([...unsealed.items.map(({ id }) => id), ...sealed.map(({ threadId }) => threadId)]);
  return [...chains].slice(0, READ.chains);
}

async function readEnd(store: Store, threadId: string, limit: number): Promise<readonly AuditEntry[]> {
  const range = { prefix: [threadId], descending: true };
  const { items } = await store.query(uncheckedEntries, 'byThread', range, limit);
  return items.flatMap(({ value }) => auditEntrySchema.safeParse(value).data ?? []);
}

/** The last seal; null if nothing was sealed yet. */
export async function readLastSeal(store: Store): Promise<Pick<AuditEntry, 'seq' | 'hash'> | null> {
  return (await readEnd(store, SEALS, 1))[0] ?? null;
}

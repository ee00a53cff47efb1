import type { Collection, Store, Stored } from '../../storage/store.ts';
import type { LastClaim, Proofs } from './proofs.ts';

export interface ProvingPorts {
  readonly store: Store;
  readonly proofs: Pick<Proofs, 'isLast'>;
}

/**
 * A record that lets people or calls do something, as it is by now, if the last entry about it says so; otherwise
 * null: it was changed past the gate, or comes from an earlier version, whose entries prove nothing.
 */
export async function proveRecord<T>(
  { store, proofs }: ProvingPorts,
  collection: Collection<T>,
  stored: Stored<T>,
  claim: (value: T) => LastClaim,
): Promise<Stored<T> | null> {
  if (await proofs.isLast(claim(stored.value))) return stored;
  // It may have been changed since it was read.
  const now = await store.get(collection, stored.id);
  return now === null || now.version === stored.version
    ? null
    : proveRecord({ store, proofs }, collection, now, claim);
}

import { calls } from '../../src/gate/store/collections.ts';
import { type Collection, put, type Store } from '../../src/storage/store.ts';

/** Makes a record unreadable where it is, in all of its indexes, as a fault of a disk would. */
export async function damage<T>(store: Store, collection: Collection<T>, id: string): Promise<void> {
  const stored = await store.get(collection, id);
  if (stored === null) throw new Error(`there is no ${id} in ${collection.name}`);
  await store.commit({ put: [{ ...put(collection, id, stored.value), json: '{"half of' }] });
}

/** Writes calls as a version did that knew neither deadlines of calls nor the indexes of these names. */
export async function writtenBefore(store: Store, ids: readonly string[], unknown: readonly string[]) {
  await writtenWithout(store, { collection: calls, ids, unknown }, ({ timing: _none, ...call }) => call);
}

interface Earlier<T> {
  readonly collection: Collection<T>;
  readonly ids: readonly string[];
  /** Names of indexes. */
  readonly unknown: readonly string[];
}

/** Writes records as a version did that knew nothing of these indexes. */
export async function writtenWithout<T>(
  store: Store,
  { collection, ids, unknown }: Earlier<T>,
  before: (value: T) => T = (value) => value,
): Promise<void> {
  for (const id of ids) {
    const stored = await store.get(collection, id);
    if (stored === null) throw new Error(`there is no ${id} in ${collection.name}`);
    const { keys, ...record } = put(collection, id, before(stored.value));
    const known = Object.entries(keys).filter(([index]) => !unknown.includes(index));
    await store.commit({ put: [{ ...record, keys: Object.fromEntries(known) }] });
  }
  await store.commit({ delete: [{ collection: 'written_with', id: collection.name }] });
}

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
  for (const id of ids) {
    const stored = await store.get(calls, id);
    if (stored === null) throw new Error(`there is no call ${id}`);
    const { timing: _none, ...value } = stored.value;
    const { keys, ...record } = put(calls, id, value);
    const known = Object.entries(keys).filter(([index]) => !unknown.includes(index));
    await store.commit({ put: [{ ...record, keys: Object.fromEntries(known) }] });
  }
  await store.commit({ delete: [{ collection: 'written_with', id: calls.name }] });
}

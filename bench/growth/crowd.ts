import type { Change, Put, Store } from '../../src/storage/store.ts';

/** The same store, with what its commits have written and not deleted since, by collection and id. */
export function writtenBy(store: Store): {
  readonly store: Store;
  readonly written: ReadonlyMap<string, Put>;
} {
  const written = new Map<string, Put>();
  const note = ({ put = [], delete: deleted = [] }: Change): void => {
    for (const one of put) written.set(`${one.collection} ${one.id}`, one);
    for (const { collection, id } of deleted) written.delete(`${collection} ${id}`);
  };
  return {
    written,
    store: {
      ...store,
      async commit(change) {
        const result = await store.commit(change);
        if (result.committed) note(change);
        return result;
      },
    },
  };
}

/** Ids that are random or a digest: they are in the records of one thread only. */
const OWN_ID = /[0-9a-f]{8}[0-9a-f-]{12,}/g;

/**
 * The records of a thread once more, as those of the thread `other:` and the number: wherever the thread or an id of its
 * own is named, in the record, its id and its keys, another of the same length is.
 */
export function cloneOf(puts: readonly Put[], threadId: string, number: number): Put[] {
  const mark = number.toString(16).padStart(8, '0');
  const rename = (text: string) =>
    text.replaceAll(threadId, `other:${number}`).replaceAll(OWN_ID, (id) => mark + id.slice(mark.length));
  return puts.flatMap(({ collection, id, json, keys }) => {
    if (rename(id) === id) return [];
    const renamed = Object.entries(keys).map(([name, key]) => [name, rename(key)]);
    return [{ collection, id: rename(id), json: rename(json), keys: Object.fromEntries(renamed) }];
  });
}

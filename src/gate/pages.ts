import type { Collection, Range, Store, Stored } from '../storage/store.ts';

/** Records of one page. */
const PAGE = 200;

/**
 * Every record of a part of an index, read page by page while it is gone through: nothing is held in memory
 * but one page, and a part that is empty costs one query.
 */
export async function* everyOf<T>(
  store: Store,
  collection: Collection<T>,
  index: string,
  range: Range,
): AsyncGenerator<Stored<T>> {
  let cursor: string | null = null;
  do {
    const from: Range = cursor === null ? range : { ...range, cursor };
    const page = await store.query(collection, index, from, PAGE);
    yield* page.items;
    cursor = page.next;
  } while (cursor !== null);
}

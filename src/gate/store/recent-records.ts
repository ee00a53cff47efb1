import { LRUCache } from 'lru-cache';
import { type Collection, type Put, type Ref, refName, type Stored } from '../../storage/store.ts';

/** How much is remembered, in characters of JSON. */
const KEPT_SIZE = 4_000_000;
/** What an entry takes besides its JSON, about. */
const ENTRY_SIZE = 300;

/**
 * Records as this process wrote them last, which another process may have changed since. So they're for what
 * ends in a commit that expects their version: where that fails, or where nothing is committed, they are read.
 */
export class RecentRecords {
  readonly #rows = new LRUCache<string, { readonly version: number; readonly json: string }>({
    maxSize: KEPT_SIZE,
    sizeCalculation: ({ json }) => json.length + ENTRY_SIZE,
  });

  readonly #collections: readonly string[];

  /** @param collections the names of those whose records are remembered. */
  constructor(collections: readonly string[]) {
    this.#collections = collections;
  }

  /** Null where it isn't remembered. */
  get<T>(collection: Collection<T>, id: string): Stored<T> | null {
    const row = this.#rows.get(refName({ collection: collection.name, id }));
    return row ? { id, version: row.version, value: collection.schema.parse(JSON.parse(row.json)) } : null;
  }

  /** Notes what one commit wrote. */
  note(written: readonly Put[], version: number): void {
    for (const { json, ...ref } of written) {
      if (this.#collections.includes(ref.collection)) this.#rows.set(refName(ref), { version, json });
    }
  }

  /** Call this for what somebody else may have written. */
  forget(refs: readonly Ref[]): void {
    for (const ref of refs) this.#rows.delete(refName(ref));
  }
}

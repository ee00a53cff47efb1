import { z } from 'zod';
import { DamagedRecordError } from '../lib/errors.ts';
import type { Collection, Range, Ref, Store, Stored } from './store.ts';

/** Records per page. */
const PAGE = 200;

/**
 * Scans a part of an index, page by page: one page at a time is in memory, and an empty part costs one query.
 * @throws DamagedRecordError at the first page with a record that cannot be read; {@link scanReadable} skips it.
 */
export async function* scanIndex<T>(
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

/** The same collection without its schema, so that damaged records can be read too. For reading only. */
export function withoutSchema<T>({ name, indexes }: Collection<T>): Collection<unknown> {
  const names = Object.keys(indexes).map((index) => [index, () => null]);
  return { name, schema: z.unknown(), indexes: Object.fromEntries(names) };
}

export interface ScanPorts {
  readonly store: Store;
  /** Called for each record that was skipped because it cannot be read. */
  readonly onUnreadable?: (record: Ref) => void;
}

/** Like {@link scanIndex}, but skips records that cannot be read: one damaged record must not stop a job over all. */
export async function* scanReadable<T>(
  ports: ScanPorts,
  collection: Collection<T>,
  index: string,
  range: Range,
): AsyncGenerator<Stored<T>> {
  for await (const stored of scanIndex(ports.store, withoutSchema(collection), index, range)) {
    yield* keepReadable(ports, collection, [stored]);
  }
}

/** Parses records that were read without their schema, and skips those that do not fit it. */
export function keepReadable<T>(
  { onUnreadable }: ScanPorts,
  { name, schema }: Pick<Collection<T>, 'name' | 'schema'>,
  records: readonly Stored<unknown>[],
): readonly Stored<T>[] {
  return records.flatMap((stored) => {
    const parsed = schema.safeParse(stored.value);
    if (parsed.success) return [{ ...stored, value: parsed.data }];
    onUnreadable?.({ collection: name, id: stored.id });
    return [];
  });
}

/** The result of `work`, or `fallback` where it needs a record that cannot be read. */
export async function withUnreadableFallback<T>(
  { onUnreadable }: ScanPorts,
  fallback: T,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DamagedRecordError)) throw error;
    onUnreadable?.({ collection: error.collection, id: error.id });
    return fallback;
  }
}

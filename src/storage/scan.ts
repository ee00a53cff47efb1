import { z } from 'zod';
import { DamagedRecordError } from '../lib/errors.ts';
import type { Collection, Range, Ref, Store, Stored } from './store.ts';

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

/** The same records without their schema: those that cannot be read are among them. To be read only. */
export function unread<T>({ name, indexes }: Collection<T>): Collection<unknown> {
  const names = Object.keys(indexes).map((index) => [index, () => null]);
  return { name, schema: z.unknown(), indexes: Object.fromEntries(names) };
}

export interface ReadPorts {
  readonly store: Store;
  /** Told of a record that cannot be read and was passed over; each time that it is. */
  readonly unreadable?: (record: Ref) => void;
}

/** As {@link everyOf}, for what many share: a record that cannot be read is passed over, and must not stop the rest. */
export async function* readableOf<T>(
  ports: ReadPorts,
  collection: Collection<T>,
  index: string,
  range: Range,
): AsyncGenerator<Stored<T>> {
  for await (const stored of everyOf(ports.store, unread(collection), index, range)) {
    yield* readable(ports, collection, [stored]);
  }
}

/** Those of these records that can be read. */
export function readable<T>(
  { unreadable }: ReadPorts,
  { name, schema }: Collection<T>,
  records: readonly Stored<unknown>[],
): readonly Stored<T>[] {
  return records.flatMap((stored) => {
    const parsed = schema.safeParse(stored.value);
    if (parsed.success) return [{ ...stored, value: parsed.data }];
    unreadable?.({ collection: name, id: stored.id });
    return [];
  });
}

/** What the work gives; `otherwise` where it needs a record that cannot be read, which is told of. */
export async function unlessUnreadable<T>(
  { unreadable }: ReadPorts,
  otherwise: T,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DamagedRecordError)) throw error;
    unreadable?.({ collection: error.collection, id: error.id });
    return otherwise;
  }
}

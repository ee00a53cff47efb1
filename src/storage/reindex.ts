import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type ScanPorts, scanReadable, withoutSchema } from './scan.ts';
import { type Collection, collection, put, type Stored, unchanged } from './store.ts';

/** The indexes that a collection's records were written with; the id is the collection's name. */
const writtenWith = collection({
  name: 'written_with',
  schema: z.object({ indexes: z.array(z.string()) }),
  indexes: {},
});

/** Records per commit. */
const AT_ONCE = 100;

interface Reindexed<T> {
  readonly collection: Collection<T>;
  /** An index that every version has for all records that matter, and in which none of them ever moves. */
  readonly index: string;
  /** What else a record of an earlier version needs. */
  readonly revise?: (value: T) => T;
}

/**
 * Rewrites the records of an index if an earlier version wrote the collection with other indexes than this one declares, as
 * lists and sweeps see only what is in their index. Runs at start, before anything else. Processes that run it at the
 * same time share the work, and an interrupted one starts over. A changed computation under the same index name isn't
 * noticed, so rename such an index. Returns the number of records written.
 */
export async function reindex<T>(
  ports: ScanPorts,
  { collection, index, ...rest }: Reindexed<T>,
): Promise<number> {
  const { revise = (value: T) => value } = rest;
  const indexes = Object.keys(collection.indexes).toSorted();
  const before = await ports.store.get(withoutSchema(writtenWith), collection.name);
  if (isDeepStrictEqual(before?.value, { indexes })) return 0;
  const rewrite = (batch: readonly Stored<T>[]) => rewriteBatch(ports, { collection, revise }, batch);
  let count = 0;
  let batch: Stored<T>[] = [];
  for await (const record of scanReadable(ports, collection, index, {})) {
    batch.push(record);
    if (batch.length < AT_ONCE) continue;
    count += await rewrite(batch);
    batch = [];
  }
  count += await rewrite(batch);
  await ports.store.commit({ put: [put(writtenWith, collection.name, { indexes })] });
  return count;
}

async function rewriteBatch<T>(
  { store }: ScanPorts,
  { collection, revise }: { readonly collection: Collection<T>; readonly revise: (value: T) => T },
  batch: readonly Stored<T>[],
): Promise<number> {
  let left = batch;
  while (left.length > 0) {
    const result = await store.commit({
      expect: left.map((record) => unchanged(collection, record)),
      put: left.map(({ id, value }) => put(collection, id, revise(value))),
    });
    if (result.committed) break;
    // Another process wrote this record meanwhile, with this version's indexes.
    const { id } = result.conflict;
    left = left.filter((record) => record.id !== id);
  }
  return left.length;
}

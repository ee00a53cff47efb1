import { withoutSchema } from './scan.ts';
import type { Collection, Range, Store } from './store.ts';

/** How many wait for something, and since when the one does that has waited longest. */
export interface QueueDepth {
  /** At most {@link MOST_COUNTED}. */
  readonly count: number;
  /** In milliseconds since the epoch; null where nothing waits. */
  readonly oldestAt: number | null;
}

/** The most that are counted: whoever reads it has seen enough, and a count costs SQLite a millisecond then. */
const MOST_COUNTED = 10_000;

/** The depth of a queue that is a part of an index: two reads, however many records there are. */
export async function readQueueDepth<T>(
  store: Store,
  { collection, index, range = {} }: IndexPart<T>,
  sinceWhen: (value: T) => number,
): Promise<QueueDepth> {
  const [count, { items }] = await Promise.all([
    store.count(collection, index, range, MOST_COUNTED),
    store.query(withoutSchema(collection), index, range, 1),
  ]);
  const oldest = collection.schema.safeParse(items[0]?.value);
  return { count, oldestAt: oldest.success ? sinceWhen(oldest.data) : null };
}

/** A part of an index that is in the order of time. */
interface IndexPart<T> {
  readonly collection: Collection<T>;
  readonly index: string;
  readonly range?: Pick<Range, 'prefix'>;
}

import { z } from 'zod';
import { scanIndex } from '../../storage/scan.ts';
import type { Store } from '../../storage/store.ts';
import { uncheckedEntries } from './verify.ts';

export interface ExportRange {
  /** Null: every chain, the seals too. */
  readonly threadId: string | null;
  /** Milliseconds since the epoch; null has no beginning. */
  readonly from: number | null;
  /** Milliseconds since the epoch, itself not in it; null has no end. */
  readonly before: number | null;
}

const timedSchema = z.looseObject({ at: z.number() });

/**
 * Entries as they are stored, chain by chain in the order of each, one page in memory at a time. What was
 * spoilt is among them as it is, whenever it was.
 */
export async function* exportEntries(
  store: Store,
  { threadId, from, before }: ExportRange,
): AsyncGenerator<unknown> {
  const part = threadId === null ? {} : { prefix: [threadId] };
  for await (const { value } of scanIndex(store, uncheckedEntries, 'byThread', part)) {
    const at = timedSchema.safeParse(value).data?.at;
    const isBefore = at !== undefined && from !== null && at < from;
    const isAfter = at !== undefined && before !== null && at >= before;
    if (!isBefore && !isAfter) yield value;
  }
}

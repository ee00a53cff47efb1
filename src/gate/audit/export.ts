import { z } from 'zod';
import { scanIndex } from '../../storage/scan.ts';
import type { Store } from '../../storage/store.ts';
import { uncheckedEntries } from './verify.ts';

/** Which entries to export. */
export interface ExportRange {
  /** Null: every chain, including the seals. */
  readonly threadId: string | null;
  /** Milliseconds since the epoch, inclusive; null: from the first entry. */
  readonly from: number | null;
  /** Milliseconds since the epoch, exclusive; null: to the last entry. */
  readonly before: number | null;
}

const timedSchema = z.looseObject({ at: z.number() });

/**
 * Exports entries as they are stored, chain by chain, each in order, with one page in memory at a time.
 * Corrupt entries are included as they are, whatever their time.
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

import type { Clock } from '../../lib/clock.ts';
import { createPeriodic, type Periodic } from '../../lib/periodic.ts';
import { scanIndex } from '../../storage/scan.ts';
import type { Store } from '../../storage/store.ts';
import { brought, isKept } from './collections.ts';

/** How often all files are asked about, and how often it's looked whether there is room to go on, in milliseconds. */
const ROUND_MS = 24 * 60 * 60_000;
const STEP_MS = 60_000;
/** The share of the limit that is left to files that people bring meanwhile. */
const RESERVE = 0.5;

interface DeletedFilesPorts {
  readonly store: Store;
  readonly clock: Clock;
  /** Whether Slack says that it was deleted; null where Slack can't say now. */
  readonly isDeleted: (fileId: string) => Promise<boolean | null>;
  /** The free share of a method's rate limit, from 0 to 1. */
  readonly room: (method: string) => number;
  /** Forgets a file that is no longer in Slack. */
  readonly forget: (fileId: string) => Promise<void>;
  readonly log: { error(details: object, message: string): void };
}

/**
 * Asks Slack of the files that were learned whether they are still there: at the start, and once a day. Slack tells nobody of those
 * that were deleted while the app was away, nor of those that its own retention deletes.
 */
export function createDeletedFiles({
  store,
  clock,
  isDeleted,
  room,
  forget,
  log,
}: DeletedFilesPorts): Periodic {
  const stopping = new AbortController();
  let begunAt: number | null = null;
  /** Those of this round that weren't asked about yet. */
  let left: string[] = [];

  async function step(): Promise<void> {
    if (left.length === 0) {
      if (begunAt !== null && clock() - begunAt < ROUND_MS) return;
      left = await findLearned(store);
      begunAt = clock();
    }
    for (;;) {
      const [fileId, ...others] = left;
      if (fileId === undefined || stopping.signal.aborted || room('files.info') <= RESERVE) return;
      const isGone = await isDeleted(fileId);
      // It comes last the next time, so that one alone holds up no other.
      left = isGone === null ? [...others, fileId] : others;
      if (isGone === null) return;
      if (isGone) await forget(fileId);
    }
  }

  const asking = createPeriodic({ name: 'deleted-files', everyMs: STEP_MS, run: step, log });
  return {
    ...asking,
    async stop() {
      stopping.abort();
      await asking.stop();
    },
  };
}

/** The files in Slack of which something is kept, each once. */
async function findLearned(store: Store): Promise<string[]> {
  const ids = new Set<string>();
  for await (const { value } of scanIndex(store, brought, 'byFile', {}))
    if (value.source.kind === 'file' && isKept(value)) ids.add(value.source.fileId);
  return [...ids];
}

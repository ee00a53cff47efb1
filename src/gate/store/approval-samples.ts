import { LRUCache } from 'lru-cache';
import { keepReadable, scanIndex, withoutSchema } from '../../storage/scan.ts';
import { type ApprovalSample, toApprovalSample } from '../approval/metrics.ts';
import { callRecordSchema } from '../call/record.ts';
import type { GatePorts } from '../ports.ts';
import { calls } from './collections.ts';

const DAY_MS = 86_400_000;
/** Days whose samples are remembered; a page shows a month. */
const REMEMBERED_DAYS = 40;
/** More calls than people decide in a day: counted up to here. */
const COUNTED = 50_000;

/** What a sample is made of: to read a record whole takes several times as long. */
const sampledSchema = callRecordSchema.pick({
  kind: true,
  verdict: true,
  state: true,
  decision: true,
  votes: true,
  edits: true,
  timing: true,
  proposedAt: true,
});

interface Day {
  /** How many calls of the day counted when it was read. */
  readonly count: number;
  readonly samples: readonly ApprovalSample[];
}

/**
 * Reads samples of approvals, latest first. A decided call stays as it is, so a day is read again only when it has more or
 * fewer of them, which the index alone tells.
 */
export function createApprovalSamples(ports: GatePorts) {
  const days = new LRUCache<number, Day>({ max: REMEMBERED_DAYS });

  async function readDay(day: number): Promise<readonly ApprovalSample[]> {
    const range = { from: [day * DAY_MS], before: [(day + 1) * DAY_MS], descending: true };
    const count = await ports.store.count(calls, 'judged', range, COUNTED);
    const known = days.get(day);
    if (known?.count === count && count < COUNTED) return known.samples;
    const samples: ApprovalSample[] = [];
    for await (const stored of scanIndex(ports.store, withoutSchema(calls), 'judged', range)) {
      const [read] = keepReadable(ports, { name: calls.name, schema: sampledSchema }, [stored]);
      const sample = read && toApprovalSample(read.value);
      if (sample) samples.push(sample);
    }
    days.set(day, { count, samples });
    return samples;
  }

  /** Samples of the latest calls that were proposed since then, at most `limit`. */
  return async (since: number, limit: number): Promise<readonly ApprovalSample[]> => {
    const found: ApprovalSample[] = [];
    let day = Math.floor(ports.clock() / DAY_MS);
    for (; day >= Math.floor(since / DAY_MS) && found.length < limit; day -= 1)
      found.push(...(await readDay(day)).filter(({ askedAt }) => askedAt >= since));
    return found.slice(0, limit);
  };
}

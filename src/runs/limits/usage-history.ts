import { scanIndex } from '../../storage/scan.ts';
import type { Store } from '../../storage/store.ts';
import { none, sum, type UsageCount, usage } from './usage.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** The most records that are added up: of a thousand people with limits, in one process, for a month. */
const MOST_READ = 30_000;

/** What one person, key or channel used in a day of UTC. */
export interface DayUse extends UsageCount {
  /** `2026-11-23`. */
  readonly day: string;
  /** `person`, `key` or `channel`, and the id. */
  readonly subject: string;
}

/** What everybody with limits used on the last so many days, today included, in no order. */
export async function readUsageHistory(store: Store, now: number, days: number): Promise<readonly DayUse[]> {
  const totals = new Map<string, DayUse>();
  const first = new Date(now - (days - 1) * DAY_MS).toISOString().slice(0, 10);
  let read = 0;
  for await (const { value } of scanIndex(store, usage, 'byTime', {
    from: [Date.parse(first)],
    descending: true,
  })) {
    read += 1;
    if (read > MOST_READ) break;
    const { day, subject } = value;
    const key = `${day} ${subject}`;
    totals.set(key, { day, subject, ...sum(totals.get(key) ?? none(), value) });
  }
  return [...totals.values()].filter(({ day }) => day >= first);
}

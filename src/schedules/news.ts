import type { ScheduleRecord } from './collections.ts';
import type { Thing } from './ports.ts';

/** How many ids of what has been seen are kept, more than any list gives at once. */
const MOST_SEEN = 200;

type Seen = NonNullable<ScheduleRecord['seen']>;

/**
 * What is new among things, and what has been seen with them. What is there at the first look isn't new, and neither is what is
 * older than the oldest of an earlier look: it comes up from below when others are deleted. So no id has to be kept for good.
 *
 * @param seen null at the first look
 */
export function findNews(
  things: readonly Thing[],
  seen: Seen | null,
): { readonly news: readonly string[]; readonly seen: Seen } {
  const ids = [...new Set([...things.map(({ id }) => id), ...(seen?.ids ?? [])])].slice(0, MOST_SEEN);
  const times = things.map(({ since }) => since);
  if (seen === null)
    return { news: [], seen: { ids, since: times.length === 0 ? null : Math.max(...times) } };
  const { since } = seen;
  const news = things.filter((it) => !seen.ids.includes(it.id) && (since === null || it.since >= since));
  const oldest = times.length === 0 ? since : Math.max(Math.min(...times), since ?? Number.NEGATIVE_INFINITY);
  return { news: news.map(({ id }) => id), seen: { ids, since: oldest } };
}

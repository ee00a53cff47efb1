import type { ScheduleRecord } from './collections.ts';
import type { Thing } from './ports.ts';

/** How many of what has been seen are kept, unless one list gives more. */
const MOST_SEEN = 200;

type Seen = NonNullable<ScheduleRecord['seen']>;

/**
 * What is new among things, and what has been seen with them. What is there at the first look isn't new, and neither is what is
 * older than the oldest of an earlier look, or than what isn't kept any more: it comes up from below when others are deleted. So
 * nothing is new twice, and no id has to be kept for good.
 *
 * @param account the account that was looked into; the first look into another one is a first look
 * @param before null at the first look
 * @param now milliseconds since the epoch
 */
export function findNews(
  { things: listed, account }: { readonly things: readonly Thing[]; readonly account: string | null },
  before: Seen | null,
  now: number,
): { readonly news: readonly Thing['id'][]; readonly seen: Seen } {
  const seen = before?.account === account ? before : null;
  const there = new Map(listed.map((thing) => [thing.id, thing]));
  const things = [...there.values()];
  // What says that it was made later than now would have all else be older than it.
  const times = things.map(({ since }) => since).filter((since) => since <= now);
  if (seen === null) {
    return { news: [], seen: { things, since: times.length === 0 ? null : Math.max(...times), account } };
  }
  const known = new Set(seen.things.map(({ id }) => id));
  const { since: from } = seen;
  const news = things.filter(({ id, since }) => !known.has(id) && (from === null || since >= from));
  const earlier = seen.things
    .filter(({ id }) => !there.has(id))
    .toSorted((one, other) => other.since - one.since);
  const room = Math.max(0, MOST_SEEN - things.length);
  const [kept, [forgotten]] = [earlier.slice(0, room), earlier.slice(room)];
  const bounds = [
    ...(from === null ? [] : [from]),
    ...(times.length === 0 ? [] : [Math.min(...times)]),
    ...(forgotten ? [forgotten.since + 1] : []),
  ];
  const since = bounds.length === 0 ? null : Math.max(...bounds);
  return { news: news.map(({ id }) => id), seen: { things: [...things, ...kept], since, account } };
}

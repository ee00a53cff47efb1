import type { ScheduleRecord } from './collections.ts';
import type { Thing } from './ports.ts';

/** How many of what has been seen are kept, unless one list gives more. */
const MOST_SEEN = 200;
/** How many new things one run is begun with, at most. The others are taken by the next ones. */
const MOST_NAMED = 10;
/** How many wait for the next runs. More than that isn't taken for seen, and so is new again at the next look. */
const MOST_WAITING = 200;

type Seen = NonNullable<ScheduleRecord['seen']>;

/**
 * What is new among things, and what has been seen with them. What is there at the first look isn't new, and neither is what is
 * older than the oldest of an earlier look, or than what isn't kept any more: it comes up from below when others are deleted. So
 * nothing is new twice, and no id has to be kept for good. Of what is new, ten are `news`, the oldest first; the others wait.
 *
 * After a pause, the first look is one at which what had waited for later runs goes on.
 *
 * @param account the account that was looked into; the first look into another one is a first look
 * @param before null at the first look
 * @param now milliseconds since the epoch
 */
export function findNews(
  { things: listed, account }: { readonly things: readonly Thing[]; readonly account: string | null },
  before: Seen | null,
  now: number,
): { readonly news: readonly Thing[]; readonly seen: Seen } {
  const seen = before?.account === account ? before : null;
  const there = new Map(listed.map((thing) => [thing.id, thing]));
  const things = [...there.values()];
  // What says that it was made later than now would have all else be older than it.
  const times = things.map(({ since }) => since).filter((since) => since <= now);
  if (seen === null || seen.things === null) {
    const since = times.length === 0 ? null : Math.max(...times);
    const waited = seen?.waiting ?? [];
    const waiting = waited.slice(MOST_NAMED);
    return { news: waited.slice(0, MOST_NAMED), seen: { things, waiting, since, account } };
  }
  const known = new Set([...seen.things, ...seen.waiting].map(({ id }) => id));
  const { since: from } = seen;
  const fresh = things.filter(({ id, since }) => !known.has(id) && (from === null || since >= from));
  const all = [...seen.waiting, ...fresh.toSorted((one, other) => one.since - other.since)];
  const waiting = all.slice(MOST_NAMED, MOST_NAMED + MOST_WAITING);
  const left = new Set(all.slice(MOST_NAMED + MOST_WAITING));
  const taken = things.filter((thing) => !left.has(thing));
  const earlier = seen.things
    .filter(({ id }) => !there.has(id))
    .toSorted((one, other) => other.since - one.since);
  const room = Math.max(0, MOST_SEEN - taken.length);
  const [kept, [forgotten]] = [earlier.slice(0, room), earlier.slice(room)];
  const bounds = [
    ...(from === null ? [] : [from]),
    ...(times.length === 0 ? [] : [Math.min(...times)]),
    ...(forgotten ? [forgotten.since + 1] : []),
  ];
  const since = bounds.length === 0 ? null : Math.max(...bounds);
  const news = all.slice(0, MOST_NAMED);
  return { news, seen: { things: [...taken, ...kept], waiting, since, account } };
}

/** What a pause leaves of what has been seen: what waits for later runs. What comes meanwhile isn't new. */
export function keepWaiting(seen: Seen | null): Seen | null {
  return seen && { ...seen, things: null };
}

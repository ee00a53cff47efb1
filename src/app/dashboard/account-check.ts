import { LRUCache } from 'lru-cache';
import type { PeopleDirectory } from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';

/** How long it's cached that an account is open, or isn't, in milliseconds. */
const KNOWN_MS = 60_000;
const MOST_KNOWN = 10_000;

/**
 * Whether an account hasn't been closed, as of a minute ago at most: who has signed in may have left since.
 * Rejects with StandingUnknownError while nobody can say.
 */
export function createAccountCheck(
  people: Pick<PeopleDirectory, 'standing'>,
  clock: Clock,
): (actorId: string) => Promise<boolean> {
  const known = new LRUCache<string, boolean>({
    max: MOST_KNOWN,
    ttl: KNOWN_MS,
    ttlResolution: 0,
    perf: { now: clock },
    async fetchMethod(id) {
      const standing = await people.standing({ id, name: id }, '', { fresh: true });
      return standing !== 'deactivated' && standing !== 'unknown';
    },
  });
  return (actorId) => known.forceFetch(actorId);
}

import { isDeepStrictEqual } from 'node:util';
import { isSpecType, type Tool } from '@modelcontextprotocol/client';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { connectionId } from '../../oauth/index.ts';
import type { ToolListRecords } from '../../oauth/ports.ts';
import { type Put, put, ref, type Store } from '../../storage/store.ts';
import { ownToolLists, toolLists } from './collections.ts';

/** How long a list is cached before the store is asked for another process's newer one, in milliseconds. */
const TTL_MS = 5_000;
/** Most servers whose lists are cached. */
const MOST_SERVERS = 1_000;

/** Whose list it is, and under which sign-in. */
interface ListedFor {
  readonly personId: string;
  readonly connectedAt: number;
}

/**
 * The last tool lists of servers. There's one for each person, for use while they have no connection, and one
 * from whoever saw it last, so that people who haven't signed in are offered an outline. See
 * docs/decisions/0030.
 */
export interface ToolListCache {
  /**
   * The last list that anybody saw; null if nobody saw the server's tools at this address. It may be
   * somebody's own, so don't show it unredacted.
   */
  latest(server: string, url: string): Promise<readonly Tool[] | null>;
  /** The person's own last list; null if there's none under this sign-in, or it has been deleted. */
  latestFor(server: string, url: string, whose: ListedFor): Promise<readonly Tool[] | null>;
  /** Saves a list. `whose` is null if it was listed without a sign-in. */
  save(server: string, url: string, tools: readonly Tool[], whose: ListedFor | null): Promise<void>;
  /** Deletes at most `limit` people's lists that were written before `before`. Returns how many. */
  forget(before: number, limit: number): Promise<number>;
}

export function createToolListCache({
  store,
  clock,
}: {
  readonly store: Store;
  readonly clock: Clock;
}): ToolListCache {
  const cache = new LRUCache<string, readonly Tool[]>({
    max: MOST_SERVERS,
    ttl: TTL_MS,
    ttlResolution: 0,
    perf: { now: clock },
  });

  async function ownPut(
    server: string,
    url: string,
    tools: readonly Tool[],
    whose: ListedFor,
  ): Promise<readonly Put[]> {
    const id = connectionId(server, whose.personId);
    const before = (await store.get(ownToolLists, id))?.value;
    const isKnown = before?.url === url && before.connectedAt === whose.connectedAt;
    if (isKnown && isDeepStrictEqual(toolsIn(before.tools), tools)) return [];
    const { connectedAt } = whose;
    return [put(ownToolLists, id, { server, url, connectedAt, tools: asJson(tools), at: clock() })];
  }

  return {
    async latest(server, url) {
      const cached = cache.get(server);
      if (cached) return cached;
      const stored = await store.get(toolLists, server);
      const tools = stored?.value.url === url ? toolsIn(stored.value.tools) : null;
      // Null isn't cached, because another process may save a list at any moment.
      if (tools !== null) cache.set(server, tools);
      return tools;
    },

    async latestFor(server, url, { personId, connectedAt }) {
      const stored = (await store.get(ownToolLists, connectionId(server, personId)))?.value;
      return stored?.url === url && stored.connectedAt === connectedAt ? toolsIn(stored.tools) : null;
    },

    async save(server, url, tools, whose) {
      const before = await store.get(toolLists, server);
      cache.set(server, tools);
      const isKnown = before?.value.url === url && isDeepStrictEqual(toolsIn(before.value.tools), tools);
      const written = [
        ...(isKnown ? [] : [put(toolLists, server, { server, url, tools: asJson(tools), at: clock() })]),
        ...(whose === null ? [] : await ownPut(server, url, tools, whose)),
      ];
      if (written.length > 0) await store.commit({ put: written });
    },

    async forget(before, limit) {
      const { items } = await store.query(ownToolLists, 'byTime', { before: [before] }, limit);
      if (items.length > 0) await store.commit({ delete: items.map(({ id }) => ref(ownToolLists, id)) });
      return items.length;
    },
  };
}

/** The tool lists as the OAuth module uses them. */
export function createToolListRecords(store: Store): ToolListRecords {
  return {
    async addresses(servers) {
      return (await store.getMany(toolLists, servers)).map((list) => list?.value.url ?? null);
    },
    ofConnection: (id) => [ref(ownToolLists, id)],
  };
}

function asJson(tools: readonly Tool[]) {
  return z.array(z.record(z.string(), z.json())).parse(JSON.parse(JSON.stringify(tools)));
}

/** The stored tools, without those that are invalid in the current protocol. */
function toolsIn(listed: readonly unknown[]): readonly Tool[] {
  return listed.flatMap((it) => (isSpecType.Tool(it) ? [it] : []));
}

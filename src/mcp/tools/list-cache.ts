import { isDeepStrictEqual } from 'node:util';
import { isSpecType, type Tool } from '@modelcontextprotocol/client';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { connectionId } from '../../oauth/index.ts';
import type { ToolListRecords } from '../../oauth/ports.ts';
import { type Put, put, ref, type Store } from '../../storage/store.ts';
import { ownToolLists, toolLists } from './collections.ts';

/** How long a list is used without asking the store for a newer one of another process, in milliseconds. */
const TTL_MS = 5_000;
/** Servers whose lists are in memory. */
const MOST_SERVERS = 1_000;

/** Under which sign-in of whom a server listed its tools. */
export interface ListedFor {
  readonly personId: string;
  readonly connectedAt: number;
}

/**
 * What servers listed last: for each person, so that they are offered that while they have no connection, and to
 * whomever, so that people who have not signed in yet can be offered something at all.
 */
export interface ToolListCache {
  /** Null when nobody has seen the tools of this server at this address. Not to be told as it is: it may be somebody's. */
  latest(server: string, url: string): Promise<readonly Tool[] | null>;
  /** Null when it has listed nothing under this sign-in, or that was tidied away. */
  latestFor(server: string, url: string, whose: ListedFor): Promise<readonly Tool[] | null>;
  /** `whose` is null for what was listed without a sign-in. */
  save(server: string, url: string, tools: readonly Tool[], whose: ListedFor | null): Promise<void>;
  /** Deletes at most `limit` people's lists that were written before `before`; says how many. */
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
      // That nobody has seen any may be over at any moment, elsewhere.
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

/** The same records as the sign-ins see them. */
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

/** What is no tool by the protocol that is spoken now is left out. */
function toolsIn(listed: readonly unknown[]): readonly Tool[] {
  return listed.flatMap((it) => (isSpecType.Tool(it) ? [it] : []));
}

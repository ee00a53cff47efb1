import { isDeepStrictEqual } from 'node:util';
import { isSpecType, type Tool } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { Clock } from '../gate/ports.ts';
import { put, type Store } from '../storage/store.ts';
import { toolLists } from './oauth/records.ts';

/** How long a list is believed without asking the store for a newer one of another process, in milliseconds. */
const BELIEVED_MS = 5_000;

/** What servers listed last, to whomever: so that people who have not signed in yet can be offered it. */
export interface ToolMemory {
  /** Null when nobody has seen the tools of this server at this address. */
  recall(server: string, url: string): Promise<readonly Tool[] | null>;
  remember(server: string, url: string, tools: readonly Tool[]): Promise<void>;
}

export function createToolMemory({
  store,
  clock,
}: {
  readonly store: Store;
  readonly clock: Clock;
}): ToolMemory {
  const known = new Map<string, { readonly tools: readonly Tool[]; readonly until: number }>();
  return {
    async recall(server, url) {
      const believed = known.get(server);
      if (believed && believed.until > clock()) return believed.tools;
      const stored = await store.get(toolLists, server);
      const tools = stored?.value.url === url ? toolsIn(stored.value.tools) : null;
      // That nobody has seen any may be over at any moment, elsewhere.
      if (tools !== null) known.set(server, { tools, until: clock() + BELIEVED_MS });
      return tools;
    },
    async remember(server, url, tools) {
      const before = await store.get(toolLists, server);
      known.set(server, { tools, until: clock() + BELIEVED_MS });
      if (before?.value.url === url && isDeepStrictEqual(toolsIn(before.value.tools), tools)) return;
      const record = {
        server,
        url,
        tools: z.array(z.record(z.string(), z.json())).parse(JSON.parse(JSON.stringify(tools))),
        at: clock(),
      };
      await store.commit({ put: [put(toolLists, server, record)] });
    },
  };
}

/** What is no tool by the protocol that is spoken now is left out. */
function toolsIn(listed: readonly unknown[]): readonly Tool[] {
  return listed.flatMap((it) => (isSpecType.Tool(it) ? [it] : []));
}

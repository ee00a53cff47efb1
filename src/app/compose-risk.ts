import { LRUCache } from 'lru-cache';
import type { FileConfig } from '../config/file.ts';
import { compilePermissions } from '../gate/index.ts';
import type { RiskPorts } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import { KEY_PREFIX } from '../programs/index.ts';
import { findConversation, readTyped } from '../runs/index.ts';
import type { Store } from '../storage/store.ts';
import { createKeptResults } from '../tools/index.ts';

/** How many threads it is remembered of which conversation they go on with. */
const KNOWN_THREADS = 10_000;

/** Composes what the gate judges sessions by; null where the operator names no permissions file. */
export function createRiskPorts(
  { permissions, programs }: Pick<FileConfig, 'permissions' | 'programs'>,
  { store, clock }: { readonly store: Store; readonly clock: Clock },
): RiskPorts | null {
  if (permissions === null) return null;
  const agents = Object.entries(permissions.agents).map(([name, file]) => [
    Object.hasOwn(programs, name) ? `${KEY_PREFIX}${name}` : name,
    file,
  ]);
  // It never changes, and is asked for with every call.
  const conversations = new LRUCache<string, string>({
    max: KNOWN_THREADS,
    fetchMethod: (threadId) => findConversation(store, threadId),
  });
  return {
    findToolRisk: compilePermissions({ shared: permissions.shared, agents: Object.fromEntries(agents) }),
    findConversation: async (threadId) => (await conversations.fetch(threadId)) ?? threadId,
    typedIn: (threadId) => readTyped(store, threadId),
    readKept: createKeptResults({ store, clock }).text,
  };
}

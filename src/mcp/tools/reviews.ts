import { LRUCache } from 'lru-cache';
import type { Actor } from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { StoreError } from '../../lib/errors.ts';
import { createListeners } from '../../lib/listeners.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Store, Stored } from '../../storage/store.ts';
import type { ToolDefinition } from '../../tools/ports.ts';
import type { McpServers, ToolReviewMode } from '../config/schema.ts';
import { reviewingFailed } from '../texts/tools.ts';
import { toolLists } from './collections.ts';
import { createRecordedReviews, type RecordedReviewsPorts } from './recorded-reviews.ts';
import {
  isReviewedByAdmin,
  MAX_COMMIT_ATTEMPTS,
  MOST_REVIEWED,
  reviewMode,
  reviewTools,
  type ServerReview,
  saveReview,
  toolReviews,
  withoutUntrustedHints,
} from './review-state.ts';

interface ToolReviewsPorts extends RecordedReviewsPorts {
  /** The review mode of servers that don't set their own. */
  readonly mode: ToolReviewMode;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** How long the review of a list is cached, in milliseconds. Calls are always checked again. */
const TTL_MS = 1_000;
/** Most cached lists; people who sign in have their own. */
const MOST_LISTS = 100;
/**
 * How long after a server was first seen new tools are still taken as they are, if no admin has reviewed any of
 * its tools, in milliseconds. The policy's wildcards don't allow them.
 */
const SETTLING_MS = 10 * 60_000;

function createListCache(clock: Clock) {
  return new LRUCache<readonly ToolDefinition[], readonly ToolDefinition[]>({
    max: MOST_LISTS,
    ttl: TTL_MS,
    ttlResolution: 0,
    perf: { now: clock },
  });
}

/**
 * Tool reviews: holds tools that nobody has reviewed. The state is in the store, shared by all processes;
 * each accepted definition is recorded with who accepted it and when. See docs/decisions/0027.
 */
export function createToolReviews(ports: ToolReviewsPorts) {
  const { store, clock, servers, logger } = ports;
  const recorded = createRecordedReviews(ports);
  const logBeyond = logToolsBeyondLimit(logger);
  const held = createListeners<[server: string]>();
  const cache = createListCache(clock);

  async function examine(tools: readonly ToolDefinition[]): Promise<readonly ToolDefinition[]> {
    const isOurs = (tool: ToolDefinition) => tool.role === 'resources';
    const hinted = tools.map((tool) => withoutUntrustedHints(servers, tool));
    const said = hinted.filter((tool) => !isOurs(tool));
    const all = [...Map.groupBy(said, (tool) => tool.server)];
    const reviewed = all.filter(([server]) => reviewMode(servers, server, ports.mode) !== null);
    // Reads them all in one round trip.
    const names = reviewed.map(([server]) => server);
    const before = names.length === 0 ? [] : await store.getMany(toolReviews, names);
    const found = await Promise.all(
      reviewed.map(([server, own], index) => examineServer(server, own, before[index] ?? null)),
    );
    const byName = new Map(found.flat().map((tool) => [tool.modelName, tool]));
    return hinted.map((tool) => byName.get(tool.modelName) ?? tool);
  }

  async function examineServer(
    server: string,
    tools: readonly ToolDefinition[],
    read: Stored<ServerReview> | null,
  ): Promise<readonly ToolDefinition[]> {
    const usual = reviewMode(servers, server, ports.mode);
    if (usual === null) return tools;
    for (let attempt = 0; attempt < MAX_COMMIT_ATTEMPTS; attempt += 1) {
      const before = attempt === 0 ? read : await store.get(toolReviews, server);
      const isFirstUse =
        usual === 'first_use' && !(await isLater(ports, server, tools, before?.value ?? null));
      const mode = usual === 'first_use' && !isFirstUse ? 'required' : usual;
      const { tools: reviewed, review, ...found } = reviewTools(before?.value ?? null, tools, mode, clock());
      logBeyond(server, found.beyond);
      if (review === null) return reviewed;
      if (!(await saveReview(store, before, review, tools))) continue;
      if (before === null) logger.info({ server, tools: review.tools.length }, 'tools accepted on first use');
      if (found.newlyHeld.length > 0) {
        logger.warn({ server, tools: found.newlyHeld }, 'tools to review: npx countersign servers review');
        held.notify(server);
      }
      return reviewed;
    }
    throw new StoreError(reviewingFailed(server));
  }

  return {
    /**
     * The tools as they may be used: without hints of untrusted servers, and with the reason on those that
     * are held. Rejects with StoreError; what can't be looked up isn't offered.
     */
    async withReviews(tools: readonly ToolDefinition[]): Promise<readonly ToolDefinition[]> {
      const cached = cache.get(tools);
      if (cached) return cached;
      const found = await examine(tools);
      cache.set(tools, found);
      return found;
    },

    /** One tool that is about to be called, checked again. */
    async withReview(tool: ToolDefinition): Promise<ToolDefinition> {
      const [found] = await examine([tool]);
      return found ?? tool;
    },

    ...recorded,
    /** Calls `listener` when further tools of a server wait for a review, after that is recorded. */
    onHeld: held.add,
    async accept(server: string, hashes: readonly string[], by: Actor): Promise<readonly string[]> {
      try {
        return await recorded.accept(server, hashes, by);
      } finally {
        cache.clear();
      }
    },
  };
}
export type ToolReviews = ReturnType<typeof createToolReviews>;

/** Logs that a server has listed too many tools, once, because it would repeat with every listing. */
function logToolsBeyondLimit(logger: Pick<Logger, 'warn'>) {
  const logged = new Set<string>();
  return (server: string, tools: readonly string[]): void => {
    if (tools.length === 0 || logged.has(server)) return;
    logged.add(server);
    logger.warn(
      { server, tools: tools.length },
      `tools are held: the server has listed more than ${MOST_REVIEWED} names`,
    );
  };
}

/**
 * Whether a tool appeared after the server's initial list, so that it needs a review, or a held change could
 * return under a new name. Some servers list their tools gradually as they start; that counts as their initial
 * list until an admin has reviewed one of them. On servers that people sign in to, even that needs a review,
 * because a name listed for one person would be offered to all.
 */
async function isLater(
  { store, clock, servers }: ToolReviewsPorts,
  server: string,
  tools: readonly ToolDefinition[],
  before: ServerReview | null,
): Promise<boolean> {
  if (before === null || !hasNew(tools, before)) return false;
  if (isReviewedByAdmin(before)) return true;
  const first = before.tools.flatMap(({ accepted }) => accepted.map(({ at }) => at));
  return clock() - Math.min(...first) > SETTLING_MS || (await isPersonal(store, servers, server));
}

async function isPersonal(store: Store, servers: McpServers, server: string): Promise<boolean> {
  const config = servers[server];
  if (config === undefined || !('url' in config)) return false;
  if (config.auth === 'oauth') return true;
  return (await store.get(toolLists, server))?.value.url === config.url;
}

function hasNew(tools: readonly ToolDefinition[], { tools: known }: ServerReview): boolean {
  const reviewed = new Set(known.filter((tool) => tool.accepted.length > 0).map(({ name }) => name));
  return tools.some(({ name }) => !reviewed.has(name));
}

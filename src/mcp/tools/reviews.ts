import { LRUCache } from 'lru-cache';
import { type Actor, type AuditLog, type AuditNote, diffDefinitions, NO_THREAD } from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, StoreError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Logger } from '../../lib/logger.ts';
import { escapeInvisible } from '../../lib/unicode.ts';
import { scanIndex } from '../../storage/scan.ts';
import { absent, put, type Ref, ref, type Store, type Stored, unchanged } from '../../storage/store.ts';
import type { ToolDefinition } from '../../tools/ports.ts';
import type { McpServers, ToolReviewMode } from '../config/schema.ts';
import type { HeldTools } from '../ports.ts';
import { toolLists } from './collections.ts';
import {
  acceptDefinitions,
  MOST_REVIEWED,
  reviewMode,
  reviewTools,
  type ServerReview,
  toolDefinitions,
  toolReviews,
  withoutUntrustedHints,
} from './review-state.ts';

export interface ToolReviewsPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly servers: McpServers;
  readonly audit: AuditLog;
  /** The review mode of servers that don't set their own. */
  readonly mode: ToolReviewMode;
  /** Called when further tools of a server wait for a review, after that is recorded. */
  readonly onHeld: (server: string) => void;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** Most attempts at a commit that conflicts with others. */
const ATTEMPTS = 10;
/** How long the review of a list is cached, in milliseconds. Calls are always checked again. */
const TTL_MS = 1_000;
/** Most cached lists; people who sign in have their own. */
const MOST_LISTS = 100;
/** How long after a server was first seen new tools still count as its initial ones, in milliseconds. */
const SETTLING_MS = 10 * 60_000;

/**
 * Tool reviews: holds tools that nobody has reviewed. The state is in the store, shared by all processes;
 * each accepted definition is recorded with who accepted it and when. See docs/decisions/0027.
 */
export function createToolReviews(ports: ToolReviewsPorts) {
  const { store, clock, servers, logger } = ports;
  /** Servers already logged for listing too many tools. */
  const crowded = new Set<string>();
  const cache = new LRUCache<readonly ToolDefinition[], readonly ToolDefinition[]>({
    max: MOST_LISTS,
    ttl: TTL_MS,
    ttlResolution: 0,
    perf: { now: clock },
  });

  async function examine(tools: readonly ToolDefinition[]): Promise<readonly ToolDefinition[]> {
    const hinted = tools.map((tool) => withoutUntrustedHints(servers, tool));
    const all = [...Map.groupBy(hinted, (tool) => tool.server)];
    const reviewed = all.filter(([server]) => reviewMode(servers, server, ports.mode) !== 'off');
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
    if (usual === 'off') return tools;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const before = attempt === 0 ? read : await store.get(toolReviews, server);
      const mode = (await isLater(server, tools, before?.value ?? null)) ? 'required' : usual;
      const { tools: sifted, review, ...said } = reviewTools(before?.value ?? null, tools, mode, clock());
      tellOfMany(server, said.beyond);
      if (review === null) return sifted;
      if (!(await keep(before, review, tools))) continue;
      if (before === null) logger.info({ server, tools: review.tools.length }, 'tools taken as first seen');
      if (said.newlyHeld.length > 0) {
        logger.warn({ server, tools: said.newlyHeld }, 'tools wait for a review: npm run servers:review');
        ports.onHeld(server);
      }
      return sifted;
    }
    throw new StoreError(`What was reviewed of ${server} could not be written; nothing of it is offered.`);
  }

  /**
   * Whether a tool appeared after the server's initial list. It then needs a review, or a held change could
   * return under a new name. Some servers list their tools gradually as they start. On servers that people
   * sign in to, even that needs a review, because a name listed for one person would be offered to all.
   */
  async function isLater(
    server: string,
    tools: readonly ToolDefinition[],
    before: ServerReview | null,
  ): Promise<boolean> {
    if (before === null || !hasNew(tools, before)) return false;
    const first = before.tools.flatMap(({ accepted }) => accepted.map(({ at }) => at));
    return clock() - Math.min(...first) > SETTLING_MS || (await isPersonal(server));
  }

  async function isPersonal(server: string): Promise<boolean> {
    const config = servers[server];
    if (config === undefined || !('url' in config)) return false;
    if (config.auth === 'oauth') return true;
    return (await store.get(toolLists, server))?.value.url === config.url;
  }

  /** Logged once, because it would repeat with every listing. */
  function tellOfMany(server: string, tools: readonly string[]): void {
    if (tools.length === 0 || crowded.has(server)) return;
    crowded.add(server);
    logger.warn(
      { server, tools: tools.length },
      `tools are held: the server has listed more than ${MOST_REVIEWED} names`,
    );
  }

  /** Stores the definitions that the review state refers to, and deletes those it no longer does. */
  async function keep(
    before: Stored<ServerReview> | null,
    review: ServerReview,
    tools: readonly ToolDefinition[],
  ): Promise<boolean> {
    const wanted = hashesIn(review);
    const had = before === null ? new Set<string>() : hashesIn(before.value);
    const fresh = tools.filter(({ definitionHash: hash }) => wanted.has(hash) && !had.has(hash));
    const { committed } = await store.commit({
      expect: [before === null ? absent(toolReviews, review.server) : unchanged(toolReviews, before)],
      put: [
        put(toolReviews, review.server, review),
        ...fresh.map((tool) => put(toolDefinitions, tool.definitionHash, { definition: tool.asListed })),
      ],
      delete: [...had].filter((hash) => !wanted.has(hash)).map((hash): Ref => ref(toolDefinitions, hash)),
    });
    return committed;
  }

  async function heldIn({ server, tools }: ServerReview): Promise<HeldTools> {
    const found = tools.flatMap(({ name, held, accepted: reviewed }) => {
      const latest = reviewed.at(-1);
      return held.map(async ({ hash }, index) => {
        const before = latest === undefined ? null : await definition(latest.hash);
        const changes = diffDefinitions(before, (await definition(hash)) ?? {}).map(escapeInvisible);
        const variant = held.length > 1 ? { variant: `${index + 1} of ${held.length}` } : {};
        return { name, hash, isNew: latest === undefined, ...variant, changes };
      });
    });
    return { server, tools: await Promise.all(found) };
  }

  async function definition(hash: string): Promise<JsonObject | null> {
    return (await store.get(toolDefinitions, hash))?.value.definition ?? null;
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

    /** Names of a server's tools with at least one accepted definition. */
    async reviewed(server: string): Promise<readonly string[]> {
      const review = await store.get(toolReviews, server);
      return review?.value.tools.filter((tool) => tool.accepted.length > 0).map(({ name }) => name) ?? [];
    },

    async held(): Promise<readonly HeldTools[]> {
      const waiting: HeldTools[] = [];
      for await (const { value } of scanIndex(store, toolReviews, 'byServer', {})) {
        const found = await heldIn(value);
        if (found.tools.length > 0 && Object.hasOwn(servers, value.server)) waiting.push(found);
      }
      return waiting;
    },

    /**
     * Accepts waiting definitions, with an audit entry in the same commit.
     * @throws AppError `nothing_to_review`
     */
    async accept(server: string, hashes: readonly string[], by: Actor): Promise<readonly string[]> {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const before = await store.get(toolReviews, server);
        const isAccepted = ({ hash }: { hash: string }) => hashes.includes(hash);
        const waiting = before?.value.tools.filter(({ held }) => held.some(isAccepted)) ?? [];
        if (before === null || waiting.length === 0) throw nothingToReview(server);
        const names = waiting.map(({ name }) => name);
        const added = await ports.audit.append([noteOf(server, names, hashes, by)]);
        const review = acceptDefinitions(before.value, new Set(hashes), by, clock());
        const { committed } = await store.commit({
          expect: [unchanged(toolReviews, before), ...added.expect],
          put: [put(toolReviews, server, review), ...added.put],
        });
        cache.clear();
        if (committed) return names;
      }
      throw new StoreError(`The review of ${server} could not be written; nothing was accepted.`);
    },
  };
}
export type ToolReviews = ReturnType<typeof createToolReviews>;

function hasNew(tools: readonly ToolDefinition[], { tools: known }: ServerReview): boolean {
  const reviewed = new Set(known.filter((tool) => tool.accepted.length > 0).map(({ name }) => name));
  return tools.some(({ name }) => !reviewed.has(name));
}

function hashesIn({ tools }: ServerReview): Set<string> {
  return new Set(
    tools.flatMap(({ accepted: reviewed, held }) => [...reviewed, ...held].map(({ hash }) => hash)),
  );
}

function nothingToReview(server: string): AppError {
  return new AppError({
    code: 'nothing_to_review',
    userMessage: `What you were shown of ${server} does not wait for a review any more; nothing was changed.`,
  });
}

function noteOf(
  server: string,
  tools: readonly string[],
  hashes: readonly string[],
  actor: Actor,
): AuditNote {
  const details = { server, tools: tools.map((name) => name.toWellFormed()), definitions: [...hashes] };
  return { threadId: NO_THREAD, what: 'tools_reviewed', actor, details };
}

import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type Actor, actorSchema } from '../../gate/types.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import {
  absent,
  collection,
  put,
  type Ref,
  ref,
  type Store,
  type Stored,
  unchanged,
} from '../../storage/store.ts';
import type { ToolDefinition } from '../../tools/ports.ts';
import { isBundled, type McpServers, type ToolReviewMode } from '../config/schema.ts';
import { beyondReviewLimit, heldTool } from '../texts/tools.ts';

/**
 * Most tools per server whose reviews are stored, so that a server can't fill the store by inventing names.
 */
export const MOST_REVIEWED = 500;
/** Most accepted definitions of one tool; the oldest are dropped. */
const MOST_ACCEPTED = 20;
/**
 * Most definitions of one tool that wait at once. There can be several because people may be shown different
 * ones.
 */
export const MOST_HELD = 5;
const SEEN_MS = 60 * 60_000;
const DAY_MS = 24 * SEEN_MS;
/**
 * A waiting definition that nobody was shown for this long is dropped, in milliseconds: the server has moved
 * on.
 */
const GONE_MS = 7 * DAY_MS;
/**
 * How often admins are notified of a tool that already has {@link MOST_HELD} waiting definitions, in
 * milliseconds. A definition that changes on every listing is no news, but mustn't be forgotten either.
 */
const NOTIFY_EVERY_MS = DAY_MS;

const acceptedSchema = z.object({
  hash: z.string(),
  at: z.number(),
  /** The reviewer; null if it was accepted on first use. */
  by: actorSchema.nullable(),
});

const heldSchema = z.object({
  hash: z.string(),
  since: z.number(),
  /** When it was last seen, to within an hour, because not every listing is worth a write. */
  seenAt: z.number(),
});

/** The format of earlier versions: only the definition seen last. */
const heldOneSchema = heldSchema
  .omit({ seenAt: true })
  .nullable()
  .transform((one) => (one === null ? [] : [{ ...one, seenAt: one.since }]));

const reviewedToolSchema = z.object({
  name: z.string(),
  /**
   * Hashes of definitions that may be called, latest last. There can be several because people may be shown
   * different ones.
   */
  accepted: z.array(acceptedSchema),
  /** Definitions that wait for a review, latest last. */
  held: z.union([z.array(heldSchema), heldOneSchema]),
  /** When admins were last notified about this tool. */
  toldAt: z.number().default(0),
  /**
   * Whether the tool came after the server's first list, and no admin has accepted it since. It may be in use,
   * but no wildcard of the policy allows it.
   */
  isNew: z.boolean().default(false),
});
type ReviewedTool = z.infer<typeof reviewedToolSchema>;

const serverReviewSchema = z.object({
  server: z.string(),
  /** A list, not a map, because the server chooses the names. */
  tools: z.array(reviewedToolSchema),
});
export type ServerReview = z.infer<typeof serverReviewSchema>;

/** The review state of each server's tools. The id is the server's name. */
export const toolReviews = collection({
  name: 'tool_reviews',
  schema: serverReviewSchema,
  indexes: { byServer: (review) => [review.server] },
});

/** Definitions by their hash, for displaying changes. */
export const toolDefinitions = collection({
  name: 'tool_definitions',
  schema: z.object({ definition: z.custom<JsonObject>(isJsonObject, 'must be a JSON object') }),
  indexes: {},
});

/** Most attempts at a commit of a review that conflicts with others. */
export const MAX_COMMIT_ATTEMPTS = 10;

/**
 * Stores a review with the definitions that it refers to, and deletes those it no longer does. False if
 * another process was faster.
 */
export async function saveReview(
  store: Store,
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

function hashesIn({ tools }: ServerReview): Set<string> {
  return new Set(
    tools.flatMap(({ accepted: reviewed, held }) => [...reviewed, ...held].map(({ hash }) => hash)),
  );
}

/** The outcome of comparing a server's listed tools with their reviews. */
interface ToolReview {
  /** The tools, with the reason on those that are held. */
  readonly tools: readonly ToolDefinition[];
  /** The new review state; null if unchanged. */
  readonly review: ServerReview | null;
  /** Tools to notify admins about, because another definition now waits, or the tool is new. */
  readonly newlyHeld: readonly string[];
  /** Tools beyond {@link MOST_REVIEWED}. They're held and can't be reviewed. */
  readonly beyond: readonly string[];
}

/** A server's review mode; null for servers that come with this program and our own tools, which are never looked at. */
export function reviewMode(
  servers: McpServers,
  server: string,
  usual: ToolReviewMode,
): ToolReviewMode | null {
  const config = servers[server];
  if (config === undefined || isBundled(config)) return null;
  return config.tool_review ?? usual;
}

/**
 * The tool without the server's favourable hints, unless the operator trusts the server: it counts as
 * destructive and not read-only, and its titles never stand for names.
 */
export function withoutUntrustedHints(servers: McpServers, tool: ToolDefinition): ToolDefinition {
  const config = servers[tool.server];
  // Of its tools, those that read its resources are ours.
  const isOurs = tool.role === 'resources' || config === undefined || isBundled(config);
  if (isOurs || config.trusted) return { ...tool, trusted: true };
  return { ...tool, readOnly: false, destructive: true };
}

/**
 * Compares the listed tools with their reviews. Tools that aren't listed keep their state. Where reviews are
 * `off`, nothing is held, and only new names are noticed. See docs/decisions/0027 and 0047.
 */
export function reviewTools(
  before: ServerReview | null,
  tools: readonly ToolDefinition[],
  mode: ToolReviewMode,
  at: number,
): ToolReview {
  const known = new Map((before?.tools ?? []).map((tool) => [tool.name, tool]));
  const isFirstList = known.size === 0;
  const newlyHeld: string[] = [];
  const beyond: string[] = [];
  const reviewed = tools.map((tool): ToolDefinition => {
    if (!known.has(tool.name) && known.size >= MOST_REVIEWED) {
      beyond.push(tool.name);
      const asNew: ToolDefinition = { ...tool, isNew: true };
      if (mode === 'off') return asNew;
      return { ...asNew, unavailableReason: beyondReviewLimit(tool.server, tool.name, MOST_REVIEWED) };
    }
    const entry = withoutGone(known.get(tool.name) ?? newTool(tool.name, { isNew: !isFirstList }), at);
    const { next, isHeld, isNews } = reviewOne(entry, tool.definitionHash, mode, at);
    known.set(tool.name, next);
    if (isNews) newlyHeld.push(tool.name);
    const flagged: ToolDefinition = next.isNew ? { ...tool, isNew: true } : tool;
    if (!isHeld) return flagged;
    const isNew = entry.accepted.length === 0;
    return { ...flagged, unavailableReason: heldTool(tool.server, tool.name, { isNew }) };
  });
  const after = [...known.values()];
  if (isDeepStrictEqual(after, before?.tools ?? []))
    return { tools: reviewed, review: null, newlyHeld, beyond };
  const [server = ''] = tools.map((tool) => tool.server);
  return { tools: reviewed, review: { server, tools: after }, newlyHeld, beyond };
}

/** The review state of one tool after a definition of it was listed. */
function reviewOne(
  entry: ReviewedTool,
  hash: string,
  mode: ToolReviewMode,
  at: number,
): { readonly next: ReviewedTool; readonly isHeld: boolean; readonly isNews: boolean } {
  const isUnknown = entry.accepted.length === 0;
  if (isUnknown && mode !== 'required') {
    // Other definitions may still wait, because people may be shown different ones.
    const held = entry.held.filter((one) => one.hash !== hash);
    const next = { ...entry, accepted: [{ hash, at, by: null }], held };
    return { next, isHeld: false, isNews: entry.isNew && mode !== 'off' };
  }
  if (mode === 'off' || entry.accepted.some((accepted) => accepted.hash === hash)) {
    return { next: entry, isHeld: false, isNews: false };
  }
  const mustNotify = isWorthTelling(entry, hash, at);
  const next = { ...withHeld(entry, hash, at), toldAt: mustNotify ? at : entry.toldAt };
  return { next, isHeld: true, isNews: mustNotify };
}

function newTool(name: string, { isNew }: { readonly isNew: boolean }): ReviewedTool {
  return { name, accepted: [], held: [], toldAt: 0, isNew };
}

function withoutGone(tool: ReviewedTool, at: number): ReviewedTool {
  return { ...tool, held: tool.held.filter(({ seenAt }) => at - seenAt < GONE_MS) };
}

function isWorthTelling({ held, toldAt }: ReviewedTool, hash: string, at: number): boolean {
  if (held.some((one) => one.hash === hash)) return false;
  return held.length < MOST_HELD || at - toldAt >= NOTIFY_EVERY_MS;
}

/** Drops the definition that wasn't seen for the longest time; null if all were seen recently. */
function withoutOldest(held: ReviewedTool['held'], at: number): ReviewedTool['held'] | null {
  const oldest = held.reduce((one, other) => (other.seenAt < one.seenAt ? other : one));
  return at - oldest.seenAt < 2 * SEEN_MS ? null : held.filter((one) => one !== oldest);
}

/** Adds or updates this definition among those that wait. */
function withHeld(tool: ReviewedTool, hash: string, at: number): ReviewedTool {
  if (tool.held.some((one) => one.hash === hash)) {
    const held = tool.held.map((one) =>
      one.hash === hash && at - one.seenAt >= SEEN_MS ? { ...one, seenAt: at } : one,
    );
    return { ...tool, held };
  }
  const room = tool.held.length < MOST_HELD ? tool.held : withoutOldest(tool.held, at);
  // Definitions still in use stay, or a reviewer could never accept them. This one waits until there's room.
  return room === null ? tool : { ...tool, held: [...room, { hash, since: at, seenAt: at }] };
}

/** The definitions of a tool that wait for an admin: those held, and the one in use if the tool is new. */
export function waitingDefinitions({ held, accepted, isNew }: ReviewedTool): readonly { hash: string }[] {
  return [...(isNew ? accepted.slice(-1) : []), ...held];
}

/** Whether an admin has accepted anything of the server. */
export function isReviewedByAdmin({ tools }: ServerReview): boolean {
  return tools.some(({ accepted }) => accepted.some(({ by }) => by !== null));
}

/** The review state after `by` accepted the waiting definitions with these hashes. */
export function acceptDefinitions(
  review: ServerReview,
  hashes: ReadonlySet<string>,
  by: Actor,
  at: number,
): ServerReview {
  const tools = review.tools.map((tool): ReviewedTool => {
    const fresh = waitingDefinitions(tool).flatMap(({ hash }) =>
      hashes.has(hash) ? [{ hash, at, by }] : [],
    );
    if (fresh.length === 0) return tool;
    const isFresh = ({ hash }: { hash: string }) => hashes.has(hash);
    const accepted = [...tool.accepted.filter((one) => !isFresh(one)), ...fresh].slice(-MOST_ACCEPTED);
    return { ...tool, held: tool.held.filter((one) => !isFresh(one)), accepted, isNew: false };
  });
  return { ...review, tools };
}

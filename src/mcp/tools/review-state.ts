import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type Actor, actorSchema } from '../../gate/types.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { collection } from '../../storage/store.ts';
import type { ToolDefinition } from '../../tools/ports.ts';
import type { McpServers, ToolReviewMode } from '../config/schema.ts';

/** Tools of one server of which a review is kept: a server that makes up new names each day does not fill the store. */
export const MOST_REVIEWED = 500;
/** Definitions of one tool that count as reviewed; the oldest ones go beyond. */
const MOST_ACCEPTED = 20;
/** Definitions of one tool that wait at once, those that were seen last: people may be shown different ones. */
export const MOST_HELD = 5;
const SEEN_MS = 60 * 60_000;
const DAY_MS = 24 * SEEN_MS;
/** A definition that nobody was shown for so long waits no more, in milliseconds: its server has gone on to others. */
const GONE_MS = 7 * DAY_MS;
/**
 * How often admins are told of a tool of which so many wait already, in milliseconds: one whose definition is another at
 * each look has no news for them, but must not be forgotten either.
 */
const TELL_MS = DAY_MS;

const acceptedSchema = z.object({
  hash: z.string(),
  at: z.number(),
  /** Who reviewed it; null where it was taken as it was first seen. */
  by: actorSchema.nullable(),
});

const heldSchema = z.object({
  hash: z.string(),
  since: z.number(),
  /** When it was last seen, give or take an hour: not every look is worth a write. */
  seenAt: z.number(),
});

/** As earlier versions kept it: the one that was seen last. */
const heldOneSchema = heldSchema
  .omit({ seenAt: true })
  .nullable()
  .transform((one) => (one === null ? [] : [{ ...one, seenAt: one.since }]));

const reviewedToolSchema = z.object({
  name: z.string(),
  /** Definitions that may be called, by their hash, the latest last: people may be shown different ones. */
  accepted: z.array(acceptedSchema),
  /** Those that wait for a review, the latest last. */
  held: z.union([z.array(heldSchema), heldOneSchema]),
  /** When admins were last told that one waits. */
  toldAt: z.number().default(0),
});
export type ReviewedTool = z.infer<typeof reviewedToolSchema>;

const serverReviewSchema = z.object({
  server: z.string(),
  /** A list, and not a map: names are the server's choosing. */
  tools: z.array(reviewedToolSchema),
});
export type ServerReview = z.infer<typeof serverReviewSchema>;

/** What of each server's tools was reviewed; the id is the server's name. */
export const toolReviews = collection({
  name: 'tool_reviews',
  schema: serverReviewSchema,
  indexes: { byServer: (review) => [review.server] },
});

/** Definitions by their hash, to show what has changed. */
export const toolDefinitions = collection({
  name: 'tool_definitions',
  schema: z.object({ definition: z.custom<JsonObject>(isJsonObject, 'must be a JSON object') }),
  indexes: {},
});

export interface Sifted {
  /** Tools with why they are held, where they are. */
  readonly tools: readonly ToolDefinition[];
  /** The review as it is to be kept; null where it is as it was. */
  readonly review: ServerReview | null;
  /** Tools that admins are to be told of, since another definition of them waits now. */
  readonly newlyHeld: readonly string[];
  /** Tools for which there is no room: they are held, and cannot be reviewed. */
  readonly beyond: readonly string[];
}

/** How a server's tools are reviewed: those that come with this program, and its own ones, never are. */
export function reviewMode(servers: McpServers, server: string, usual: ToolReviewMode): ToolReviewMode {
  const config = servers[server];
  if (config === undefined || 'in_process' in config) return 'off';
  return config.tool_review ?? usual;
}

/**
 * The tool without what its server says in its own favour, unless the operator trusts the server: it may
 * destroy, and does not only read.
 */
export function withoutUntrustedHints(servers: McpServers, tool: ToolDefinition): ToolDefinition {
  const config = servers[tool.server];
  if (config === undefined || 'in_process' in config || config.trusted) return tool;
  return { ...tool, readOnly: false, destructive: true };
}

/** Compares what a server offers with what was reviewed. Tools that are not offered stay as they were. */
export function reviewTools(
  before: ServerReview | null,
  tools: readonly ToolDefinition[],
  mode: Exclude<ToolReviewMode, 'off'>,
  at: number,
): Sifted {
  const known = new Map((before?.tools ?? []).map((tool) => [tool.name, tool]));
  const newlyHeld: string[] = [];
  const beyond: string[] = [];
  const sifted = tools.map((tool): ToolDefinition => {
    if (!known.has(tool.name) && known.size >= MOST_REVIEWED) {
      beyond.push(tool.name);
      return { ...tool, held: whyBeyond(tool) };
    }
    const entry = withoutGone(known.get(tool.name) ?? newTool(tool.name), at);
    const hash = tool.definitionHash;
    // Another definition may still wait: people may be shown different ones.
    if (entry.accepted.some((accepted) => accepted.hash === hash)) {
      known.set(tool.name, entry);
      return tool;
    }
    if (entry.accepted.length === 0 && mode === 'first_use') {
      const held = entry.held.filter((one) => one.hash !== hash);
      known.set(tool.name, { ...entry, accepted: [{ hash, at, by: null }], held });
      return tool;
    }
    const isTold = isNews(entry, hash, at);
    if (isTold) newlyHeld.push(tool.name);
    known.set(tool.name, { ...withHeld(entry, hash, at), ...(isTold && { toldAt: at }) });
    return { ...tool, held: whyHeld(tool, entry) };
  });
  const after = [...known.values()];
  if (isDeepStrictEqual(after, before?.tools ?? []))
    return { tools: sifted, review: null, newlyHeld, beyond };
  const [server = ''] = tools.map((tool) => tool.server);
  return { tools: sifted, review: { server, tools: after }, newlyHeld, beyond };
}

function newTool(name: string): ReviewedTool {
  return { name, accepted: [], held: [], toldAt: 0 };
}

function withoutGone(tool: ReviewedTool, at: number): ReviewedTool {
  return { ...tool, held: tool.held.filter(({ seenAt }) => at - seenAt < GONE_MS) };
}

function isNews({ held, toldAt }: ReviewedTool, hash: string, at: number): boolean {
  if (held.some((one) => one.hash === hash)) return false;
  return held.length < MOST_HELD || at - toldAt >= TELL_MS;
}

/** Without the one that was not seen for longest; null where each was seen of late. */
function withoutOldest(held: ReviewedTool['held'], at: number): ReviewedTool['held'] | null {
  const oldest = held.reduce((one, other) => (other.seenAt < one.seenAt ? other : one));
  return at - oldest.seenAt < 2 * SEEN_MS ? null : held.filter((one) => one !== oldest);
}

/** The tool once this definition of it was seen and waits. */
function withHeld(tool: ReviewedTool, hash: string, at: number): ReviewedTool {
  if (tool.held.some((one) => one.hash === hash)) {
    const held = tool.held.map((one) =>
      one.hash === hash && at - one.seenAt >= SEEN_MS ? { ...one, seenAt: at } : one,
    );
    return { ...tool, held };
  }
  const room = tool.held.length < MOST_HELD ? tool.held : withoutOldest(tool.held, at);
  // What people are still shown stays, or Accept would never find it: this one has its turn when they have.
  return room === null ? tool : { ...tool, held: [...room, { hash, since: at, seenAt: at }] };
}

/** The review once `by` has accepted what waits: of one tool, as it was shown, or of all that were. */
export function acceptDefinitions(
  review: ServerReview,
  hashes: ReadonlySet<string>,
  by: Actor,
  at: number,
): ServerReview {
  const tools = review.tools.map((tool): ReviewedTool => {
    const fresh = tool.held.filter(({ hash }) => hashes.has(hash)).map(({ hash }) => ({ hash, at, by }));
    if (fresh.length === 0) return tool;
    const held = tool.held.filter(({ hash }) => !hashes.has(hash));
    return { ...tool, held, accepted: [...tool.accepted, ...fresh].slice(-MOST_ACCEPTED) };
  });
  return { ...review, tools };
}

/** For the model, and for people: what was not done, and what would help. */
function whyHeld({ server, name }: ToolDefinition, { accepted: reviewed }: ReviewedTool): string {
  const why = reviewed.length === 0 ? 'is new and was not reviewed' : 'has changed since it was reviewed';
  return `The tool ${name} of ${server} ${why}; nothing was done. It can be called again once an admin has reviewed it.`;
}

function whyBeyond({ server, name }: ToolDefinition): string {
  return `The tool ${name} of ${server} is not used, because ${server} has listed more than ${MOST_REVIEWED} names by now; nothing was done.`;
}

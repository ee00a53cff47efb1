import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { actorSchema } from '../gate/actor.ts';
import type { Actor } from '../gate/types.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { collection } from '../storage/store.ts';
import type { McpServers, ToolReviewMode } from './config.ts';
import type { ToolDefinition } from './types.ts';

/** Tools of one server of which a review is kept: a server that makes up new names each day does not fill the store. */
export const MOST_REVIEWED = 500;
/** Definitions of one tool that count as reviewed; the oldest ones go beyond. */
const MOST_ACCEPTED = 20;

const acceptedSchema = z.object({
  hash: z.string(),
  at: z.number(),
  /** Who reviewed it; null where it was taken as it was first seen. */
  by: actorSchema.nullable(),
});

const reviewedToolSchema = z.object({
  name: z.string(),
  /** Definitions that may be called, by their hash, the latest last: people may be shown different ones. */
  accepted: z.array(acceptedSchema),
  /** The one that was seen last and waits for a review. */
  held: z.object({ hash: z.string(), since: z.number() }).nullable(),
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
  /** Tools that are held now and were not, or not as this definition. */
  readonly newlyHeld: readonly string[];
  /** Tools for which there is no room: they are held, and cannot be reviewed. */
  readonly beyond: readonly string[];
}

/** How a server's tools are reviewed: those that come with this program, and its own ones, never are. */
export function reviewModeOf(servers: McpServers, server: string, usual: ToolReviewMode): ToolReviewMode {
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
export function sift(
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
    const entry = known.get(tool.name) ?? { name: tool.name, accepted: [], held: null };
    const hash = tool.definitionHash;
    // Another definition may still wait: people may be shown different ones.
    if (entry.accepted.some((accepted) => accepted.hash === hash)) return tool;
    if (entry.accepted.length === 0 && mode === 'first_use') {
      known.set(tool.name, { ...entry, accepted: [{ hash, at, by: null }], held: null });
      return tool;
    }
    if (entry.held?.hash !== hash) {
      known.set(tool.name, { ...entry, held: { hash, since: at } });
      newlyHeld.push(tool.name);
    }
    return { ...tool, held: whyHeld(tool, entry) };
  });
  const after = [...known.values()];
  if (isDeepStrictEqual(after, before?.tools ?? []))
    return { tools: sifted, review: null, newlyHeld, beyond };
  const [server = ''] = tools.map((tool) => tool.server);
  return { tools: sifted, review: { server, tools: after }, newlyHeld, beyond };
}

/** The review once `by` has accepted what waits: of one tool, as it was shown, or of all that were. */
export function accepted(
  review: ServerReview,
  hashes: ReadonlySet<string>,
  by: Actor,
  at: number,
): ServerReview {
  const tools = review.tools.map((tool): ReviewedTool => {
    if (tool.held === null || !hashes.has(tool.held.hash)) return tool;
    const { hash } = tool.held;
    return { ...tool, held: null, accepted: [...tool.accepted, { hash, at, by }].slice(-MOST_ACCEPTED) };
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

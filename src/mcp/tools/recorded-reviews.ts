import { type Actor, type AuditLog, type AuditNote, diffDefinitions, NO_THREAD } from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, StoreError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { escapeInvisible } from '../../lib/unicode.ts';
import { scanIndex } from '../../storage/scan.ts';
import { put, type Store, unchanged } from '../../storage/store.ts';
import type { McpServers } from '../config/schema.ts';
import type { HeldTools, ReviewTools } from '../ports.ts';
import { acceptingFailed, nothingToReview, variant } from '../texts/tools.ts';
import {
  acceptDefinitions,
  MAX_COMMIT_ATTEMPTS,
  type ServerReview,
  toolDefinitions,
  toolReviews,
  waitingDefinitions,
} from './review-state.ts';

export interface RecordedReviewsPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly servers: McpServers;
  readonly audit: AuditLog;
}

/** Reviews as recorded: the accepted tools, and the definitions that wait, for admins to accept. */
export function createRecordedReviews({ store, clock, servers, audit }: RecordedReviewsPorts) {
  async function heldIn({ server, tools }: ServerReview): Promise<HeldTools> {
    const found = tools.flatMap((tool) => {
      const latest = tool.isNew ? undefined : tool.accepted.at(-1);
      const waiting = waitingDefinitions(tool);
      return waiting.map(async ({ hash }, index) => {
        const before = latest === undefined ? null : await definition(latest.hash);
        const changes = diffDefinitions(before, (await definition(hash)) ?? {}).map(escapeInvisible);
        const position = waiting.length > 1 ? { variant: variant(index, waiting.length) } : {};
        const use = tool.accepted.some((one) => one.hash === hash) ? { isUsed: true } : {};
        return { name: tool.name, hash, isNew: latest === undefined, ...use, ...position, changes };
      });
    });
    return { server, tools: await Promise.all(found) };
  }

  async function definition(hash: string): Promise<JsonObject | null> {
    return (await store.get(toolDefinitions, hash))?.value.definition ?? null;
  }

  const forAdmins: ReviewTools = {
    async held() {
      const waiting: HeldTools[] = [];
      for await (const { value } of scanIndex(store, toolReviews, 'byServer', {})) {
        const found = await heldIn(value);
        if (found.tools.length > 0 && Object.hasOwn(servers, value.server)) waiting.push(found);
      }
      return waiting;
    },

    /** Accepts with an audit entry in the same commit. */
    async accept(server, hashes, by) {
      for (let attempt = 0; attempt < MAX_COMMIT_ATTEMPTS; attempt += 1) {
        const before = await store.get(toolReviews, server);
        const isAccepted = ({ hash }: { hash: string }) => hashes.includes(hash);
        const waiting = before?.value.tools.filter((tool) => waitingDefinitions(tool).some(isAccepted)) ?? [];
        if (before === null || waiting.length === 0) {
          throw new AppError({ code: 'nothing_to_review', userMessage: nothingToReview(server) });
        }
        const names = waiting.map(({ name }) => name);
        const added = await audit.append([auditNote(server, names, hashes, by)]);
        const review = acceptDefinitions(before.value, new Set(hashes), by, clock());
        const { committed } = await store.commit({
          expect: [unchanged(toolReviews, before), ...added.expect],
          put: [put(toolReviews, server, review), ...added.put],
        });
        if (committed) return names;
      }
      throw new StoreError(acceptingFailed(server));
    },
  };

  return {
    ...forAdmins,

    /** Names of a server's tools with at least one accepted definition. */
    async reviewed(server: string): Promise<readonly string[]> {
      const review = await store.get(toolReviews, server);
      return review?.value.tools.filter((tool) => tool.accepted.length > 0).map(({ name }) => name) ?? [];
    },
  };
}

function auditNote(
  server: string,
  tools: readonly string[],
  hashes: readonly string[],
  actor: Actor,
): AuditNote {
  const details = { server, tools: tools.map((name) => name.toWellFormed()), definitions: [...hashes] };
  return { threadId: NO_THREAD, what: 'tools_reviewed', actor, details };
}

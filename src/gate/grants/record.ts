import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { collection } from '../../storage/store.ts';
import { actorSchema } from '../call/actor.ts';
import { approvalTermsSchema } from '../policy/approver-rules.ts';
import { grantPatternSchema } from '../policy/limits.ts';

/** The scope of a grant: calls of one thread, of one requester anywhere, or of one channel. */
const grantScopeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('thread'), threadId: z.string() }),
  z.object({ kind: z.literal('requester'), requester: actorSchema }),
  /** As `PeopleDirectory.groupOf` returns it. */
  z.object({ kind: z.literal('channel'), channel: z.string() }),
]);
export type GrantScope = z.infer<typeof grantScopeSchema>;

/** A grant: one person's lasting approval of similar calls. Times are in milliseconds since the epoch. */
export const grantSchema = z.object({
  grantId: z.string(),
  /** Who issued it; it holds as long as their approval alone would be enough. */
  by: actorSchema,
  tool: z.object({ server: z.string(), name: z.string(), title: z.string() }),
  /** The definition that was approved; a changed one is another tool. */
  definitionHash: z.string(),
  /** Arguments that must have exactly this value. Arguments neither here nor below must be absent. */
  fixed: z.custom<JsonObject>(isJsonObject, 'must be a JSON object'),
  /** Arguments that must be given and match. Absent where there are none. */
  patterns: z.array(grantPatternSchema).optional(),
  /** Arguments that may have any value, or be absent. */
  free: z.array(z.string()),
  place: grantScopeSchema,
  /** The approvals that its call needed; absent: the requester's. */
  approval: approvalTermsSchema.optional(),
  /** The call that it was issued with. */
  threadId: z.string(),
  callId: z.string(),
  at: z.number(),
  until: z.number(),
  /** How many calls it may allow, and how many it has. */
  limit: z.int(),
  used: z.int(),
  usedAt: z.number().nullable(),
  /** Why it ended early. */
  ended: z
    .object({ at: z.number(), why: z.enum(['revoked', 'definition', 'standing', 'unproven']) })
    .nullable(),
});
export type Grant = z.infer<typeof grantSchema>;

/** Every grant ever issued; none is deleted. */
export const grants = collection({
  name: 'grants',
  schema: grantSchema,
  indexes: {
    /** Active grants of a tool, by scope. */
    live: ({ tool, place, ended, used, limit, until }) =>
      ended !== null || used >= limit ? null : [tool.server, tool.name, scopeKey(place), until],
    byPerson: (grant) => [grant.by.id, grant.until],
  },
});

/** The key of a scope: equal exactly for equal scopes. */
export function scopeKey(place: GrantScope): string {
  switch (place.kind) {
    case 'thread':
      return `thread ${place.threadId}`;
    case 'requester':
      return `requester ${place.requester.id}`;
    case 'channel':
      return `channel ${place.channel}`;
  }
}

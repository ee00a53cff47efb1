import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { collection } from '../../storage/store.ts';
import { actorSchema } from '../call/actor.ts';
import { approvalTermsSchema } from '../policy/approver-rules.ts';
import { grantPatternSchema } from '../policy/limits.ts';

/** Whose calls a grant is about: those of one thread, of one person wherever they ask, or of one channel. */
const grantScopeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('thread'), threadId: z.string() }),
  z.object({ kind: z.literal('requester'), requester: actorSchema }),
  /** As `PeopleDirectory.groupOf` names it. */
  z.object({ kind: z.literal('channel'), channel: z.string() }),
]);
export type GrantScope = z.infer<typeof grantScopeSchema>;

/** A remembered permission. Times are in milliseconds since the epoch. */
export const grantSchema = z.object({
  grantId: z.string(),
  /** Whose word it is; it counts as long as theirs alone would. */
  by: actorSchema,
  tool: z.object({ server: z.string(), name: z.string(), title: z.string() }),
  /** The definition that was approved; another one is another tool. */
  definitionHash: z.string(),
  /** Arguments that must be just so. What is neither here nor below must not be given at all. */
  fixed: z.custom<JsonObject>(isJsonObject, 'must be a JSON object'),
  /** Arguments that must be given, and be like this. Left out where there are none. */
  patterns: z.array(grantPatternSchema).optional(),
  /** Arguments that may have any value, or none. */
  free: z.array(z.string()),
  place: grantScopeSchema,
  /** Who had to approve the call that it was given with; left out, whoever asked. */
  approval: approvalTermsSchema.optional(),
  /** The call that it was given with. */
  threadId: z.string(),
  callId: z.string(),
  at: z.number(),
  until: z.number(),
  /** How many calls it may let through, and how many it has. */
  limit: z.int(),
  used: z.int(),
  usedAt: z.number().nullable(),
  /** Why it ended before its time. */
  ended: z.object({ at: z.number(), why: z.enum(['revoked', 'definition', 'standing']) }).nullable(),
});
export type Grant = z.infer<typeof grantSchema>;

/** Every grant that was ever given; none is deleted. */
export const grants = collection({
  name: 'grants',
  schema: grantSchema,
  indexes: {
    /** Those that may let a call of a tool through, by place. */
    live: ({ tool, place, ended, used, limit, until }) =>
      ended !== null || used >= limit ? null : [tool.server, tool.name, scopeKey(place), until],
    byPerson: (grant) => [grant.by.id, grant.until],
  },
});

/** The same place has the same key, and no other. */
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

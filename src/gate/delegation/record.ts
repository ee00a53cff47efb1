import { z } from 'zod';
import { collection } from '../../storage/store.ts';
import { actorSchema } from '../call/actor.ts';

/**
 * A delegation: one person decides on behalf of another for a while. Times are in milliseconds since the
 * epoch.
 */
export const delegationSchema = z.object({
  delegationId: z.string(),
  /** The person who is away. */
  from: actorSchema,
  /** Who decides on their behalf. */
  to: actorSchema,
  begins: z.number(),
  until: z.number(),
  /** The reason, as the person who is away gave it. */
  reason: z.string().nullable(),
  at: z.number(),
  /** When the person who is away ended it early. */
  ended: z.number().nullable(),
});
export type Delegation = z.infer<typeof delegationSchema>;

/** Every delegation ever made; none is deleted. */
export const delegations = collection({
  name: 'delegations',
  schema: delegationSchema,
  indexes: {
    byDelegate: ({ ended, to, until }) => (ended === null ? [to.id, until] : null),
    byDelegator: ({ ended, from, until }) => (ended === null ? [from.id, until] : null),
  },
});

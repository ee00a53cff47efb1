import { z } from 'zod';
import { collection } from '../storage/store.ts';
import { actorSchema } from './types.ts';

/** Somebody stands in for somebody else for a while. Times are in milliseconds since the epoch. */
export const delegationSchema = z.object({
  delegationId: z.string(),
  /** Who is away. */
  from: actorSchema,
  /** Who decides in their place. */
  to: actorSchema,
  begins: z.number(),
  until: z.number(),
  /** Why, in the words of who is away. */
  reason: z.string().nullable(),
  at: z.number(),
  /** When who is away ended it before its time. */
  ended: z.number().nullable(),
});
export type Delegation = z.infer<typeof delegationSchema>;

/** Every delegation that there ever was; none is deleted. */
export const delegations = collection({
  name: 'delegations',
  schema: delegationSchema,
  indexes: {
    byDelegate: ({ ended, to, until }) => (ended === null ? [to.id, until] : null),
    byDelegator: ({ ended, from, until }) => (ended === null ? [from.id, until] : null),
  },
});

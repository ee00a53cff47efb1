import { z } from 'zod';
import { collection } from '../store.ts';

const leaseSchema = z.object({ owner: z.string(), until: z.number() });
export type LeaseRecord = z.infer<typeof leaseSchema>;

/** The lease of a thread: its holder, and when it expires unless renewed. */
export const leases = collection({ name: 'leases', schema: leaseSchema, indexes: {} });

/** Written at each takeover of a lease: its version is the fencing token. */
export const fences = collection({
  name: 'fences',
  schema: z.object({ owner: z.string(), at: z.number() }),
  indexes: {},
});

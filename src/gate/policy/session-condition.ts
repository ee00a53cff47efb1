import { z } from 'zod';

/** What a session may have read. */
export const readKindSchema = z.enum(['private', 'untrusted']);
export type ReadKind = z.infer<typeof readKindSchema>;

import { z } from 'zod';

export const scopeSchema = z.enum(['run', 'agent', 'read', 'documents', 'admin']);
export type Scope = z.infer<typeof scopeSchema>;

/** The caller of a request, by its API key. */
export interface Caller {
  readonly keyName: string;
  readonly scopes: readonly Scope[];
}

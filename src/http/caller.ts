import { z } from 'zod';

export const scopeSchema = z.enum(['run', 'agent', 'read', 'admin']);
export type Scope = z.infer<typeof scopeSchema>;

/** Who a request comes from: the API key that it brought. */
export interface Caller {
  readonly keyName: string;
  readonly scopes: readonly Scope[];
}

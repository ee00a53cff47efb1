import type { Context } from 'hono';
import type { Caller } from './caller.ts';

/** The values that middleware sets for handlers. */
export interface HttpEnv {
  Variables: { requestId: string; caller: Caller };
}
export type HttpContext = Context<HttpEnv>;

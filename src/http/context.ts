import type { Context } from 'hono';
import type { Caller } from './caller.ts';

/** What middleware leaves for the handlers. */
export interface HttpEnv {
  Variables: { requestId: string; caller: Caller };
}
export type HttpContext = Context<HttpEnv>;

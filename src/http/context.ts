import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { Caller } from './caller.ts';

export interface HttpEnv {
  /** Node's own request and response; absent where a request came over no connection. */
  Bindings: Partial<HttpBindings>;
  /** The values that middleware sets for handlers. */
  Variables: { requestId: string; caller: Caller };
}
export type HttpContext = Context<HttpEnv>;

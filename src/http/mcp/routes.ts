import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Hono } from 'hono';
import type { Logger } from '../../lib/logger.ts';
import type { FindCaller } from '../../programs/index.ts';
import type { Caller } from '../../programs/ports.ts';
import { type KeyPorts, readBearer, requireKey } from '../api/auth.ts';
import type { HttpContext, HttpEnv } from '../context.ts';
import type { HoldPorts } from './hold.ts';
import { createGateServer } from './server.ts';

export interface McpPorts {
  readonly mcp: Omit<HoldPorts, 'clock' | 'stopping'>;
  readonly findCaller: FindCaller;
}

interface McpRoutePorts extends KeyPorts, McpPorts {
  readonly clock: () => number;
  readonly log: Logger;
  /** How programs of people come in; null where none can. */
  readonly personal: {
    find(token: string): Promise<Caller | null>;
    /** What `WWW-Authenticate` says to whoever has no valid token. */
    readonly challenge: NonNullable<KeyPorts['challenge']>;
  } | null;
}

/** The session of a client that names none. */
const NO_SESSION = 'mcp';

/** `/mcp`: the gate as an MCP server, over Streamable HTTP in every revision of the protocol. */
export function mcpRoutes(
  app: Hono<HttpEnv>,
  ports: McpRoutePorts,
  { stopping }: { readonly stopping: AbortSignal },
): void {
  const { clock, log, findCaller, personal } = ports;
  const callers = new WeakMap<object, Caller>();
  const handler = createMcpHandler(
    ({ authInfo, requestInfo }) => {
      const caller = authInfo && callers.get(authInfo);
      if (!caller) throw new TypeError('a request has a caller');
      const session = requestInfo?.headers.get('mcp-session-id') ?? NO_SESSION;
      return createGateServer({ ...ports.mcp, clock, stopping }, caller, session);
    },
    // With `auto`, nothing is sent before the result, and clients give up on an answer that hasn't begun.
    { responseMode: 'sse', onerror: (err) => log.warn({ err }, 'MCP request failed') },
  );

  function answer(c: HttpContext, caller: Caller): Promise<Response> {
    const authInfo = { token: '', clientId: caller.program.id, scopes: [] };
    callers.set(authInfo, caller);
    return handler.fetch(c.req.raw, { authInfo });
  }

  app.all('/mcp', async (c, next) => {
    const token = readBearer(c);
    const caller = token === null || !personal ? null : await personal.find(token);
    return caller ? answer(c, caller) : next();
  });
  const keyed = personal ? { ...ports, challenge: personal.challenge } : ports;
  // Whoever has no entry is told so here, in the format of all other errors.
  app.all('/mcp', requireKey(keyed, 'agent'), (c) => answer(c, findCaller(c.get('caller').keyName)));
}

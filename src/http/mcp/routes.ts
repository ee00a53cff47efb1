import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Hono } from 'hono';
import type { Logger } from '../../lib/logger.ts';
import type { FindCaller } from '../../programs/index.ts';
import { type KeyPorts, requireKey } from '../api/auth.ts';
import type { HttpEnv } from '../context.ts';
import type { HoldPorts } from './hold.ts';
import { createGateServer } from './server.ts';

export interface McpPorts {
  readonly mcp: Omit<HoldPorts, 'clock' | 'stopping'>;
  readonly findCaller: FindCaller;
}

/** The session of a client that names none. */
const NO_SESSION = 'mcp';

/** `/mcp`: the gate as an MCP server, over Streamable HTTP in every revision of the protocol. */
export function mcpRoutes(
  app: Hono<HttpEnv>,
  ports: KeyPorts & McpPorts & { readonly clock: () => number; readonly log: Logger },
  { stopping }: { readonly stopping: AbortSignal },
): void {
  const { clock, log, findCaller } = ports;
  const handler = createMcpHandler(
    ({ authInfo, requestInfo }) => {
      const caller = findCaller(authInfo?.clientId ?? '');
      const session = requestInfo?.headers.get('mcp-session-id') ?? NO_SESSION;
      return createGateServer({ ...ports.mcp, clock, stopping }, caller, session);
    },
    // With `auto`, nothing is sent before the result, and clients give up on an answer that hasn't begun.
    { responseMode: 'sse', onerror: (err) => log.warn({ err }, 'MCP request failed') },
  );
  app.all('/mcp', requireKey(ports, 'agent'), (c) => {
    const { keyName } = c.get('caller');
    // Whoever has no entry is told so here, in the format of all other errors.
    findCaller(keyName);
    return handler.fetch(c.req.raw, { authInfo: { token: '', clientId: keyName, scopes: [] } });
  });
}

import { Client, type Progress, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Server, type ServerContext } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { ConfigError, errorMessage } from '../../lib/errors.ts';
import { badGateSettings, gateUnreachable } from '../texts/commands.ts';
import type { CommandContext } from './context.ts';

/** Longer than any gate holds a call: the gate itself says when one is pending. */
const LONGEST_MS = 7 * 86_400_000;

const settingsSchema = z.object({
  COUNTERSIGN_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:3000'),
  COUNTERSIGN_KEY: z.string().min(1),
});

/**
 * Serves the tools of a running gate over stdio, for clients that only start processes. It holds nothing itself: each
 * request goes to the gate's `/mcp` with the key, and what the gate says of progress goes back.
 */
export async function serveMcp({ variables, tell }: CommandContext): Promise<void> {
  const settings = settingsSchema.safeParse({
    ...variables,
    COUNTERSIGN_KEY: variables.COUNTERSIGN_KEY ?? variables.COUNTERSIGN_API_KEY,
  });
  if (!settings.success) {
    throw new ConfigError(badGateSettings(settings.error.issues.map(({ path }) => path.join('.'))));
  }
  const { COUNTERSIGN_URL: url, COUNTERSIGN_KEY: key } = settings.data;
  const bridges = new Set<Server>();
  const gate = connectLazily({ url, key }, () => {
    for (const bridge of bridges) bridge.sendToolListChanged().catch(() => undefined);
  });
  // Said at once, and not with the first call: whoever configures a client looks for it there.
  await gate().catch((error: unknown) => {
    throw new ConfigError(gateUnreachable(url, errorMessage(error)), error);
  });
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const served = serveStdio(
    () => {
      const bridge = createBridge(gate);
      bridges.add(bridge);
      bridge.onclose = () => void bridges.delete(bridge);
      return bridge;
    },
    { onerror: (error) => tell(errorMessage(error)) },
  );
  process.stdin.once('end', close);
  process.stdin.once('close', close);
  await closed;
  await served.close();
  await (await gate()).close();
}

/** Gives the connection to the gate, made anew after it broke. `onToolsChanged`: called when the gate says so. */
function connectLazily(
  { url, key }: { readonly url: string; readonly key: string },
  onToolsChanged: () => void,
): () => Promise<Client> {
  let connecting: Promise<Client> | null = null;
  return () => {
    connecting ??= connect().catch((error: unknown) => {
      connecting = null;
      throw error;
    });
    return connecting;
  };

  async function connect(): Promise<Client> {
    const client = new Client(
      { name: 'countersign-mcp', version: '1.0.0' },
      {
        versionNegotiation: { mode: 'auto' },
        listChanged: { tools: { autoRefresh: false, onChanged: onToolsChanged } },
      },
    );
    client.onclose = () => {
      connecting = null;
    };
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
    return client;
  }
}

function createBridge(gate: () => Promise<Client>): Server {
  const server = new Server(
    { name: 'countersign', title: 'Countersign', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.setRequestHandler('tools/list', async () => (await gate()).listTools());
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) =>
    (await gate()).callTool(
      { name: params.name, arguments: params.arguments ?? {} },
      {
        signal: mcpReq.signal,
        timeout: LONGEST_MS,
        ...passProgress(mcpReq),
      },
    ),
  );
  return server;
}

/** The gate is asked for progress only if the client asked us: else it answers before the client gives up. */
function passProgress({ _meta, notify }: ServerContext['mcpReq']) {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return {};
  return {
    resetTimeoutOnProgress: true,
    onprogress: (progress: Progress) =>
      void notify({ method: 'notifications/progress', params: { ...progress, progressToken } }).catch(
        () => undefined,
      ),
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Progress } from '@modelcontextprotocol/client';
import {
  type CallToolResult,
  type ListToolsResult,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { readVersion } from '../../config/package-files.ts';
import { ConfigError, errorMessage } from '../../lib/errors.ts';
import { badGateSettings, GATE_LOST, gateAway, gateAwayAtStart, gateRefuses } from '../texts/commands.ts';
import type { CommandContext } from './context.ts';
import { GateAwayError, GateConnection, GateLostError } from './gate-connection.ts';

/** Longer than any gate holds a call: the gate itself says when one is pending. */
const LONGEST_MS = 7 * 86_400_000;
/** How long a client's first words wait for a gate that doesn't answer, in milliseconds. */
const GREETED_WITHIN_MS = 5_000;

const settingsSchema = z.object({
  COUNTERSIGN_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:3000'),
  COUNTERSIGN_KEY: z.string().min(1),
});

/**
 * Serves the tools of a running gate over stdio, for clients that only start processes. It holds nothing itself: each
 * request goes to the gate's `/mcp` with the key, and what the gate says of progress goes back. A gate that is away is
 * tried again, and its client told in words.
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
  const version = readVersion();
  const bridges = new Set<Server>();
  const onToolsChange = () => {
    for (const bridge of bridges) bridge.sendToolListChanged().catch(() => undefined);
  };
  const gate = new GateConnection({ url, key, version, onToolsChange });
  const instructions = Promise.race([
    greet(gate, url, tell),
    delay(GREETED_WITHIN_MS, undefined, { ref: false }),
  ]);
  await instructions;
  void gate.follow();
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const served = serveStdio(
    async () => {
      const bridge = createBridge(gate, { url, version, instructions: await instructions });
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
  await gate.close();
}

/**
 * What the gate says to its clients; undefined while it's away.
 * @throws ConfigError when it refuses the key: said at once, as whoever configures a client looks for it there.
 */
async function greet(
  gate: GateConnection,
  url: string,
  tell: (line: string) => void,
): Promise<string | undefined> {
  try {
    return (await gate.client()).getInstructions();
  } catch (error) {
    if (!(error instanceof GateAwayError)) throw error;
    if (error.isRefusal) throw new ConfigError(gateRefuses(url, error.message), error);
    tell(gateAwayAtStart(url, error.message));
    return undefined;
  }
}

interface BridgeOptions {
  readonly url: string;
  readonly version: string;
  readonly instructions: string | undefined;
}

function createBridge(gate: GateConnection, { url, version, instructions }: BridgeOptions): Server {
  const server = new Server(
    { name: 'countersign', title: 'Countersign', version },
    { capabilities: { tools: { listChanged: true } }, ...(instructions !== undefined && { instructions }) },
  );
  let listed: ListToolsResult = { tools: [] };
  server.setRequestHandler('tools/list', async (_request, { mcpReq }) => {
    try {
      listed = await gate.ask(mcpReq.signal, (client, signal) => client.listTools({}, { signal }));
    } catch (error) {
      // Once the gate is back, the client is told that its tools have changed.
      if (!(error instanceof GateAwayError) && !(error instanceof GateLostError)) throw error;
    }
    return listed;
  });
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const call = { name: params.name, arguments: params.arguments ?? {} };
    try {
      return await gate.ask(mcpReq.signal, (client, signal) =>
        client.callTool(call, { signal, timeout: LONGEST_MS, ...passProgress(mcpReq) }),
      );
    } catch (error) {
      if (error instanceof GateAwayError) return failure(gateAway(url, error.message));
      if (error instanceof GateLostError) return failure(GATE_LOST);
      throw error;
    }
  });
  return server;
}

function failure(words: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: words }] };
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

import { createServer, type Server } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { GateConnection, GateLostError } from '../../../src/app/commands/gate-connection.ts';
import { listen } from '../../fixtures/mcp/harness.ts';

const messageSchema = z.looseObject({ id: z.union([z.string(), z.number()]).optional(), method: z.string() });

/** What stands before a gate: answers all but calls, and those with this status after it has passed them on. */
async function startProxy(status: number) {
  const seen: string[] = [];
  const server: Server = createServer(async (request, response) => {
    if (request.method === 'GET') return void response.writeHead(405).end();
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { id, method } = messageSchema.parse(JSON.parse(Buffer.concat(parts).toString()));
    seen.push(method);
    if (method === 'tools/call') return void response.writeHead(status).end('Gateway Timeout');
    if (id === undefined) return void response.writeHead(202).end();
    const serverInfo = { name: 'x', version: '1' };
    const answer =
      method === 'initialize'
        ? { result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } }
        : { error: { code: -32601, message: 'no' } };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
  const port = await listen(server);
  onTestFinished(() => server.closeAllConnections());
  return { url: `http://127.0.0.1:${port}`, seen };
}

it.each([500, 502, 504])(
  'a %i may come after the call got through: nobody is told that nothing was run',
  async (status) => {
    const proxy = await startProxy(status);
    const gate = new GateConnection({
      url: proxy.url,
      key: 'k',
      version: '1',
      onToolsChange: () => undefined,
    });
    onTestFinished(() => gate.close());
    const asked = gate.ask(new AbortController().signal, (client, signal) =>
      client.callTool({ name: 'x', arguments: {} }, { signal }),
    );
    await expect(asked).rejects.toBeInstanceOf(GateLostError);
    expect(proxy.seen.filter((method) => method === 'tools/call')).toHaveLength(1);
  },
);

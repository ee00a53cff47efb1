import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { startAppWithModel } from '../helpers/app.ts';

const KEY = 'a-key-of-a-program-that-asks-2718';

/** The whole app, at an address that it keeps, with a server that has one tool more each time it is asked to. */
async function startGate() {
  const { app } = await startAppWithModel({
    web: true,
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      programs: { env: { title: 'Builder', for: 'U0ANA00001', channel: 'C0GENERAL1' } },
      policy: { rules: [{ tools: 'growing.*', action: 'allow' }] },
      mcpServers: {
        growing: { command: 'node', args: ['test/fixtures/mcp/growing.ts'], cwd: process.cwd() },
      },
    },
  });
  return app;
}

/** `countersign mcp` for the gate at this address, in a process of its own, with a client. */
async function connectStdio(url: string, key = KEY) {
  let changes = 0;
  const onChanged = () => {
    changes += 1;
  };
  const client = new Client(
    { name: 'test', version: '1' },
    { listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } } },
  );
  const env = { PATH: process.env.PATH ?? '', COUNTERSIGN_URL: url, COUNTERSIGN_KEY: key };
  const args = ['--conditions=countersign-source', 'src/index.ts', 'mcp'];
  const transport = new StdioClientTransport({ command: 'node', args, env, stderr: 'pipe' });
  let said = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  onTestFinished(() => client.close());
  const connected = client.connect(transport);
  return {
    client,
    connected,
    said: () => said,
    changes: () => changes,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
  };
}

test('it says what the gate says of itself: its instructions, and the version of this package', async () => {
  const { client, connected } = await connectStdio((await startGate()).url);
  await connected;
  expect(client.getInstructions()).toContain('countersign__await');
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync('package.json', 'utf8')));
  expect(client.getServerVersion()).toMatchObject({ name: 'countersign', version });
});

test('a client hears that the tools have changed also after the gate was restarted', async () => {
  const app = await startGate();
  const { connected, client, changes, names } = await connectStdio(app.url);
  await connected;
  expect(await names()).toContain('growing__grow');
  await app.restart();
  // What changed while the gate was away isn't known, so the client is told once it is back.
  await vi.waitFor(() => expect(changes()).toBeGreaterThan(0), 20_000);
  const before = changes();
  await vi.waitFor(async () => expect(await names()).toContain('growing__grow'), 10_000);
  await client.callTool({ name: 'growing__grow', arguments: {} });
  await vi.waitFor(async () => {
    expect(changes()).toBeGreaterThan(before);
    expect(await names()).toContain('growing__grown_1');
  }, 10_000);
});

test('a gate that is down when it starts is tried again; until then calls say that nothing was run', async () => {
  const app = await startGate();
  const { url } = app;
  await app.stopApp();
  const { connected, client, changes, names, said } = await connectStdio(url);
  await connected;
  expect(await names()).toEqual([]);
  const call = { name: 'growing__grow', arguments: {} };
  expect(await client.callTool(call)).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/did not take this, and nothing was run: .*ECONNREFUSED/) }],
  });
  expect(said()).toContain('cannot be reached yet');
  await app.restart();
  await vi.waitFor(() => expect(changes()).toBeGreaterThan(0), 20_000);
  await vi.waitFor(async () => expect(await names()).toContain('growing__grow'), 10_000);
  expect(await client.callTool(call)).toMatchObject({ content: [{ text: 'It has grown.' }] });
});

test('a key that the gate does not take is said at once, and it ends', async () => {
  const { connected, said } = await connectStdio((await startGate()).url, 'another-key');
  await expect(connected).rejects.toThrow();
  await vi.waitFor(() => expect(said()).toContain('does not take this key: This needs a valid API key'));
});

test('a call whose answer breaks off, as the gate is killed, ends with words, and is not made again by itself', async () => {
  let calls = 0;
  const handler = createMcpHandler(
    () => {
      const server = new Server({ name: 'gate', version: '1' }, { capabilities: { tools: {} } });
      server.setRequestHandler('tools/call', () => {
        calls += 1;
        return new Promise(() => undefined);
      });
      return server;
    },
    { responseMode: 'sse' },
  );
  const gate = createServer(getRequestListener((request) => handler.fetch(request))).listen(0, '127.0.0.1');
  await once(gate, 'listening');
  const address = gate.address();
  const port = typeof address === 'object' ? address?.port : null;
  const { connected, client } = await connectStdio(`http://127.0.0.1:${port}`);
  await connected;
  const calling = client.callTool({ name: 'growing__grow', arguments: {} });
  await vi.waitFor(() => expect(calls).toBe(1));
  gate.closeAllConnections();
  gate.close();
  expect(await calling).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('was lost before it answered') }],
  });
  expect(calls).toBe(1);
});

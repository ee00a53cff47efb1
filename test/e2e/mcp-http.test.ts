import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { createCalendarServer } from '../../src/app/demo-servers/calendar/server.ts';
import { callOptions, listen, testHub } from '../fixtures/mcp/harness.ts';

/** Serves MCP at a free port, for both eras of the protocol. */
async function serve(
  create: (http: Server) => McpServer,
  onRequest: (request: Request) => void = () => {},
): Promise<string> {
  const handler = createMcpHandler(() => create(http));
  const http = createAdaptorServer({
    fetch: (request) => {
      onRequest(request);
      return handler.fetch(request);
    },
  }) as Server;
  return `http://127.0.0.1:${await listen(http)}/mcp`;
}

test('a server of the newest revision over HTTP works', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-mcp-http-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'calendar.json');
  const url = await serve(() => createCalendarServer({ file, now: Date.now, timeZone: 'Europe/Berlin' }));
  const { hub, send } = testHub({ calendar: { url } });
  await hub.start();
  const { connection } = await hub.connections.acquire('calendar');
  expect(connection.client.getProtocolEra()).toBe('modern');
  const created = await send(
    {
      server: 'calendar',
      name: 'create_event',
      arguments: { title: 'Standup', start: '2026-11-24T09:00:00' },
    },
    callOptions(),
  );
  expect(created).toMatchObject({ outcome: { status: 'succeeded', structured: { event: { id: 'evt_1' } } } });
});

test('a connection that breaks in the middle of a call leaves it in doubt, and it is not sent again', async () => {
  let calls = 0;
  const url = await serve((http) => {
    const server = new McpServer({ name: 'breaking', version: '1.0.0' });
    server.registerTool('break', { inputSchema: z.object({}) }, () => {
      calls += 1;
      http.closeAllConnections();
      return new Promise(() => {});
    });
    return server;
  });
  const { hub, send } = testHub({ breaking: { url } });
  await hub.start();
  const result = await send({ server: 'breaking', name: 'break', arguments: {} }, callOptions());
  expect(result).toMatchObject({
    outcome: { status: 'in_doubt', message: expect.stringContaining('The connection to breaking was lost') },
  });
  expect(calls).toBe(1);
});

test('a call that is stopped is over at a server of the newest revision too, by the end of its stream', async () => {
  const told: string[] = [];
  const url = await serve(() => {
    const server = new McpServer({ name: 'waiting', version: '1.0.0' });
    server.registerTool('wait', { inputSchema: z.object({}) }, (_input, { mcpReq: { signal } }) => {
      told.push('wait');
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          told.push('over');
          reject(signal.reason);
        });
      });
    });
    server.registerTool('echo', { inputSchema: z.object({}) }, () => ({ content: [] }));
    return server;
  });
  const { hub, send } = testHub({ waiting: { url } });
  await hub.start();
  const { connection } = await hub.connections.acquire('waiting');
  expect(connection.client.getProtocolEra()).toBe('modern');
  const stop = new AbortController();
  const call = { server: 'waiting', arguments: {} };
  const result = send({ ...call, name: 'wait' }, callOptions({ signal: stop.signal }));
  await vi.waitUntil(() => told.length === 1);
  stop.abort();
  await vi.waitUntil(() => told.length === 2);
  expect(told).toEqual(['wait', 'over']);
  const stopped = { status: 'in_doubt', message: expect.stringContaining('It was stopped') };
  expect(await result).toMatchObject({ outcome: stopped });
  expect(await send({ ...call, name: 'echo' }, callOptions())).toMatchObject({
    outcome: { status: 'succeeded' },
  });
  expect((await hub.connections.acquire('waiting')).connection).toBe(connection);
});

test('the configured headers go along with every request', async () => {
  const keys = new Set<string | null>();
  const url = await serve(
    () => new McpServer({ name: 'keyed', version: '1.0.0' }),
    (request) => keys.add(request.headers.get('x-key')),
  );
  const { hub } = testHub({ keyed: { url, headers: { 'x-key': 'abc' } } });
  await hub.start();
  expect(hub.status()).toMatchObject([{ state: 'up' }]);
  expect(keys).toEqual(new Set(['abc']));
});

test.each([
  [401, 'It asks for a sign-in (HTTP 401). Check the key in its headers.'],
  [503, 'It answered with HTTP 503 instead of connecting.'],
  [404, 'It answered with HTTP 404: no MCP server is at this path. Check its url.'],
])('a server that answers with HTTP %i is down and says so', async (status, error) => {
  const port = await listen(createServer((_request, response) => response.writeHead(status).end()));
  const { hub } = testHub({ closed: { url: `http://127.0.0.1:${port}/mcp?key=secret` } });
  await hub.start();
  expect(hub.status()).toMatchObject([{ state: 'down', error }]);
});

import { createServer, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createSend } from '../../../../src/mcp/calls/send.ts';
import { connectTool } from '../../../../src/mcp/tools/connect-tool.ts';
import { OWN_SERVER } from '../../../../src/tools/ports.ts';
import { callOptions, listen, testHub } from '../../../fixtures/mcp/harness.ts';
import { answer, startBare } from '../../../fixtures/servers/bare-http.ts';

const TIMEOUT_MS = 20_000;
const messageSchema = z.looseObject({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.looseObject({ name: z.string().optional() }).optional(),
});
const EVENT = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } })}\n\n`;

/** A server of these tools, and how to call them: each does with its response what it wants. */
async function calling(
  tools: Readonly<Record<string, (response: ServerResponse, id: string | number) => void>>,
) {
  const url = await startBare({
    name: 'm',
    tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })),
    call: (response, tool, id) => tools[tool]?.(response, id),
  });
  const { hub, send } = testHub({ m: { url, timeout_ms: TIMEOUT_MS } });
  await hub.start();
  const call = (name: string) => send({ server: 'm', name, arguments: {} }, callOptions());
  return { hub, call };
}

function done(response: ServerResponse, id: string | number): void {
  answer(response, { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'done' }] } });
}

function streamed(response: ServerResponse, more: (response: ServerResponse) => void, id = ''): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(id + EVENT);
  setTimeout(() => more(response), 20);
}

describe('a call over HTTP that its server does not take', () => {
  const refusal = (code: number) => (response: ServerResponse, id: string | number) => {
    const error = { code, message: 'the amount is missing' };
    const body = JSON.stringify({ jsonrpc: '2.0', id, error });
    response.writeHead(400, { 'content-type': 'application/json' }).end(body);
  };

  it.each([
    ['HTTP 400 of a session', refusal(-32_000), /^m rejected the call \(HTTP 400\)/],
    ['HTTP 404', (response: ServerResponse) => void response.writeHead(404).end(), /\(HTTP 404\)/],
    ['a reset', (response: ServerResponse) => void response.destroy(), /^The connection to m was lost after/],
  ])('by %s leaves the others alone that run, and is connected anew', async (_how, ends, words) => {
    const slow = Promise.withResolvers<void>();
    let isSlow = false;
    const { hub, call } = await calling({
      ends,
      done,
      slow(response, id) {
        isSlow = true;
        void slow.promise.then(() => done(response, id));
      },
    });
    const { connection } = await hub.connections.acquire('m');
    const other = call('slow');
    await vi.waitUntil(() => isSlow);
    expect(await call('ends')).toMatchObject({ outcome: { message: expect.stringMatching(words) } });
    expect(await call('done')).toMatchObject({ outcome: { status: 'succeeded' } });
    expect((await hub.connections.acquire('m')).connection).not.toBe(connection);
    slow.resolve();
    expect(await other).toMatchObject({ outcome: { status: 'succeeded' } });
    await expect.poll(() => connection.client.transport).toBeUndefined();
  });

  it('by HTTP 400 of its arguments says so in its words, and stays connected', async () => {
    const { hub, call } = await calling({ ends: refusal(-32_602) });
    const { connection } = await hub.connections.acquire('m');
    expect(await call('ends')).toMatchObject({
      outcome: { status: 'failed', message: 'm refused ends: the amount is missing' },
      retry: null,
    });
    expect((await hub.connections.acquire('m')).connection).toBe(connection);
  });
});

describe('a call in a session that its server does not know any more', () => {
  it.each([
    ['is sent once more, in a new one', 1, 'succeeded', 2],
    ['is sent no third time', 9, 'failed', 2],
  ])('%s', async (_what, refusals, status, sent) => {
    let calls = 0;
    const url = await startBare({
      name: 'm',
      tools: [{ name: 'count', inputSchema: { type: 'object' } }],
      session: () => 'session-1',
      call(response, _tool, id) {
        calls += 1;
        if (calls <= refusals) response.writeHead(404).end();
        else done(response, id);
      },
    });
    const { hub, send } = testHub({ m: { url } });
    await hub.start();
    expect(await send({ server: 'm', name: 'count', arguments: {} }, callOptions())).toMatchObject({
      outcome: { status },
    });
    expect(calls).toBe(sent);
  });

  it('is not sent again where there is no session', async () => {
    let calls = 0;
    const { call } = await calling({
      count(response) {
        calls += 1;
        response.writeHead(404).end();
      },
    });
    expect(await call('count')).toMatchObject({ outcome: { status: 'failed' } });
    expect(calls).toBe(1);
  });
});

describe('a call over HTTP whose stream ends without an answer', () => {
  it.each([
    ['ends', (response: ServerResponse) => streamed(response, (it) => it.end())],
    ['breaks', (response: ServerResponse) => streamed(response, (it) => it.destroy())],
  ])('as the server %s it, is in doubt at once', async (_how, cut) => {
    const { call } = await calling({ cut, done });
    const began = performance.now();
    expect(await call('cut')).toMatchObject({
      outcome: {
        status: 'in_doubt',
        message: 'The connection to m was lost after cut had been sent. Whether it happened is not known.',
      },
      // What only reads may be sent again.
      retry: { withinMs: TIMEOUT_MS },
    });
    expect(performance.now() - began).toBeLessThan(TIMEOUT_MS / 2);
    expect(await call('done')).toMatchObject({ outcome: { status: 'succeeded' } });
  });

  it('because that would be too large, says so, and is not sent again', async () => {
    const much = `data: ${'x'.repeat(33 * 1024 * 1024)}`;
    const { call } = await calling({ cut: (response) => streamed(response, (it) => void it.write(much)) });
    expect(await call('cut')).toMatchObject({
      outcome: {
        status: 'in_doubt',
        message: expect.stringMatching(
          /^127\.0\.0\.1:\d+ answered with more than 32 MB after cut had been sent\./,
        ),
      },
      retry: null,
    });
  });

  it('and cannot be taken up again, is in doubt when that was tried in vain', async () => {
    const { call } = await calling({ cut: (response) => streamed(response, (it) => it.end(), 'id: 1\n') });
    const began = performance.now();
    expect(await call('cut')).toMatchObject({
      outcome: { message: expect.stringMatching(/^The connection to m was lost/) },
    });
    expect(performance.now() - began).toBeLessThan(TIMEOUT_MS / 2);
  });
});

it('a call over SSE is in doubt at once when the stream that all calls share is lost', async () => {
  let stream: ServerResponse | null = null;
  let isSlow = false;
  const say = (message: object) =>
    stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'm', version: '1' },
    },
    'tools/list': { tools: ['slow', 'ends'].map((name) => ({ name, inputSchema: { type: 'object' } })) },
  };
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      stream = response;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void response.write('event: endpoint\ndata: /messages\n\n');
    }
    const { id, method, params } = messageSchema.parse(await json(request));
    if (params?.name === 'ends') {
      stream?.destroy();
      return void response.destroy();
    }
    response.writeHead(202).end();
    isSlow ||= params?.name === 'slow';
    const result = results[method];
    if (result) say({ id, result });
    else if (method !== 'tools/call')
      say({ id, error: { code: -32_601, message: 'there is no such method' } });
  });
  const url = `http://127.0.0.1:${await listen(server)}/sse`;
  const { hub, send } = testHub({ m: { url, transport: 'sse', timeout_ms: TIMEOUT_MS } });
  await hub.start();
  const call = (name: string) => send({ server: 'm', name, arguments: {} }, callOptions());
  const slow = call('slow');
  await vi.waitUntil(() => isSlow);
  const lost = {
    outcome: { status: 'in_doubt', message: expect.stringMatching(/^The connection to m was lost/) },
  };
  expect(await call('ends')).toMatchObject(lost);
  expect(await slow).toMatchObject(lost);
});

it('a call that is stopped just before it would be sent is not sent, or is in doubt', async () => {
  let calls = 0;
  const { hub } = await calling({
    count(response, id) {
      calls += 1;
      setTimeout(() => done(response, id), 100);
    },
  });
  for (let turns = 0; turns < 12; turns += 1) {
    calls = 0;
    const stop = new AbortController();
    const stopIn = (left: number): void =>
      left === 0 ? stop.abort() : queueMicrotask(() => stopIn(left - 1));
    const send = createSend(hub.connections, {
      async review(tool) {
        stopIn(turns);
        return tool;
      },
    });
    const call = { server: 'm', name: 'count', arguments: {} };
    const result = await send(call, callOptions({ signal: stop.signal }));
    const status = result.kind === 'ended' ? result.outcome.status : result.kind;
    expect(['failed', 'in_doubt']).toContain(status);
    if (status === 'failed') expect(calls).toBe(0);
  }
});

it('what connects a server can be stopped, too', async () => {
  const { hub } = testHub({});
  const never = { ...hub.connections, acquire: () => new Promise<never>(() => {}) };
  const stop = new AbortController();
  const call = { server: OWN_SERVER, name: connectTool('m').name, arguments: {} };
  const waiting = createSend(never)(call, callOptions({ signal: stop.signal }));
  stop.abort();
  expect(await waiting).toMatchObject({
    outcome: { status: 'failed', message: expect.stringContaining('was stopped before it was sent') },
  });
});

it('a call that is stopped while its tool is looked at, or its server connected, is not sent', async () => {
  let calls = 0;
  const { hub } = await calling({
    count(response, id) {
      calls += 1;
      done(response, id);
    },
  });
  const stop = new AbortController();
  const examined = createSend(hub.connections, {
    async review(tool) {
      stop.abort();
      return tool;
    },
  });
  const call = { server: 'm', name: 'count', arguments: {} };
  const stopped = {
    outcome: { status: 'failed', message: 'count was stopped before it was sent; nothing was done.' },
  };
  expect(await examined(call, callOptions({ signal: stop.signal }))).toMatchObject(stopped);
  const never = { ...hub.connections, acquire: () => new Promise<never>(() => {}) };
  const again = new AbortController();
  const waiting = createSend(never)(call, callOptions({ signal: again.signal }));
  again.abort();
  expect(await waiting).toMatchObject(stopped);
  expect(calls).toBe(0);
});

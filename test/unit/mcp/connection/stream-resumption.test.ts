import { createServer } from 'node:http';
import { describe, expect, it, test } from 'vitest';
import {
  createStreamResumption,
  requireEventStream,
} from '../../../../src/mcp/connection/stream-resumption.ts';
import { callOptions, listen, testHub } from '../../../fixtures/mcp/harness.ts';

/** How long each attempt is put off, in milliseconds, when the server asks for these times. */
function waits(asked: readonly number[], pauseMs = 0): number[] {
  const waited: number[] = [];
  let now = 0;
  const schedule = createStreamResumption({
    clock: () => now,
    later(_run, delayMs) {
      waited.push(delayMs);
      now += delayMs + pauseMs;
      return () => {};
    },
  });
  for (const delayMs of asked) schedule(() => {}, delayMs, 0);
  return waited;
}

describe('a stream that ends', () => {
  it('is taken up ever more slowly, however soon its server wants that', () => {
    expect(waits(Array(8).fill(50))).toEqual([1_000, 1_500, 2_250, 3_375, 5_062.5, 7_593.75, 10_000, 10_000]);
  });

  it('is taken up after a second again when it held for long', () => {
    expect(waits([50, 50, 50], 60_001)).toEqual([1_000, 1_000, 1_000]);
  });

  it('is taken up as late as its server wants, within reason', () => {
    expect(waits([20_000, 2 ** 40])).toEqual([20_000, 300_000]);
  });
});

describe('a stream that is asked for', () => {
  const answering = (type: string, status = 200) =>
    requireEventStream(async () => new Response('<p>', { status, headers: { 'content-type': type } }));
  const asking = { headers: { accept: 'text/event-stream' } };

  it('is not there where a web page comes', async () => {
    await expect(answering('text/html')('https://a.example', asking)).rejects.toThrow('not an event stream');
  });

  it.each([
    ['a stream', answering('text/event-stream; charset=utf-8'), asking],
    ['a refusal', answering('text/html', 405), asking],
    ['what is asked for as something else', answering('application/json'), {}],
    ['what a call is answered with', answering('application/json'), { ...asking, method: 'POST' }],
  ])('leaves %s alone', async (_what, fetch, init) => {
    expect(await (await fetch('https://a.example', init)).text()).toBe('<p>');
  });
});

test('a server that ends its stream, and answers with a web page after, is not asked at its own pace', async () => {
  let gets = 0;
  let isCalled = false;
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      if (!isCalled) return void response.writeHead(405).end();
      gets += 1;
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>');
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const message = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.method === 'tools/call') {
      isCalled = true;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void response.end('id: 1\nretry: 10\ndata: \n\n');
    }
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'pages', version: '1.0.0' },
      },
      'tools/list': { tools: [{ name: 'pay', inputSchema: { type: 'object' } }] },
    };
    const result = results[message.method];
    const answer = result ? { result } : { error: { code: -32601, message: 'there is no such method' } };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }));
  });
  const url = `http://127.0.0.1:${await listen(server)}/mcp`;
  const { hub, send } = testHub({ pages: { url, timeout_ms: 1_500 } });
  await hub.start();
  expect(await send({ server: 'pages', name: 'pay', arguments: {} }, callOptions())).toMatchObject({
    outcome: { status: 'in_doubt' },
  });
  expect(isCalled).toBe(true);
  expect(gets).toBeLessThanOrEqual(1);
});

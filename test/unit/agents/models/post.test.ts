import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { deflateSync, gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createPost } from '../../../../src/agents/models/wire/post.ts';

const post = createPost();

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  return `http://127.0.0.1:${z.object({ port: z.number() }).parse(server.address()).port}`;
}

const asked = async (request: IncomingMessage) => ({
  method: request.method,
  url: request.url,
  type: request.headers['content-type'],
  body: await text(request),
});
const QUESTION = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"ü":1}' };

it('sends what it is given, and gives status, headers and text', async () => {
  const url = await listen(async (request, response) => {
    response.writeHead(429, 'Wait', { 'retry-after': '7', 'set-cookie': ['a=1', 'b=2'] });
    response.end(JSON.stringify(await asked(request)));
  });
  const response = await post(`${url}/v1?a=b`, QUESTION);
  const { ok, status, statusText, headers } = response;
  expect({ ok, status, statusText, after: headers.get('retry-after') }).toEqual({
    ok: false,
    status: 429,
    statusText: 'Wait',
    after: '7',
  });
  expect(headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(await response.json()).toEqual({
    method: 'POST',
    url: '/v1?a=b',
    type: 'application/json',
    body: QUESTION.body,
  });
});

it('reads nothing where there is nothing', async () => {
  const url = await listen((_, response) => response.writeHead(204).end());
  const response = await post(url, QUESTION);
  expect([response.status, await response.text()]).toEqual([204, '']);
});

it('follows a redirect with the same text', async () => {
  const url = await listen(async (request, response) => {
    if (request.url === '/old') response.writeHead(308, { location: '/new' }).end();
    else response.end(JSON.stringify(await asked(request)));
  });
  const response = await post(`${url}/old`, QUESTION);
  expect(await response.json()).toMatchObject({ method: 'POST', url: '/new', body: QUESTION.body });
});

it.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
])('reads what is packed as %s although nobody asked for it', async (encoding, pack) => {
  const headers = { 'content-encoding': encoding };
  const url = await listen((_, response) => response.writeHead(200, headers).end(pack('an answer')));
  expect(await (await post(url, QUESTION)).text()).toBe('an answer');
});

it('has a long answer wait for its reader, and gives it whole', async () => {
  const size = 20_000_000;
  const url = await listen((_, response) => response.end(Buffer.alloc(size, 'x')));
  const response = await post(url, QUESTION);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect((await response.arrayBuffer()).byteLength).toBe(size);
});

it('fails as fetch does where nobody listens', async () => {
  const error = await post('http://127.0.0.1:9', QUESTION).catch((error: unknown) => error);
  expect(error).toMatchObject({
    name: 'TypeError',
    message: 'fetch failed',
    cause: { code: 'ECONNREFUSED' },
  });
});

it('fails as fetch does where an answer stops', async () => {
  const url = await listen((_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    setTimeout(() => response.destroy(), 20);
  });
  const response = await post(url, QUESTION);
  expect(await response.text().catch((error: unknown) => error)).toMatchObject({
    name: 'TypeError',
    message: 'terminated',
    cause: { code: 'UND_ERR_SOCKET' },
  });
});

it.each([
  ['before it is sent', 0],
  ['before there is an answer', 1],
  ['while the answer comes', 2],
])('stops %s, and hangs up', async (_, step) => {
  const stop = new AbortController();
  const hungUp = Promise.withResolvers<void>();
  const reached: string[] = [];
  const url = await listen((request, response) => {
    reached.push(request.url ?? '');
    response.on('close', () => hungUp.resolve());
    if (step === 2) response.writeHead(200).write('half');
    if (step === 1) stop.abort();
  });
  if (step === 0) stop.abort();
  const answer = post(url, { ...QUESTION, signal: stop.signal }).then((response) => {
    stop.abort();
    return response.text();
  });
  await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
  if (step === 0) expect(reached).toEqual([]);
  else await hungUp.promise;
});

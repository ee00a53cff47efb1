import type { LookupAddress, lookup } from 'node:dns';
import { createServer, type RequestListener } from 'node:http';
import { expect, test, vi } from 'vitest';
import type { Reach } from '../../../../src/lib/net/guarded-address.ts';
import { createGuardedFetch } from '../../../../src/lib/net/guarded-fetch.ts';
import { networkReach } from '../../../../src/mcp/config/reach.ts';
import { listen, testHub } from '../../../fixtures/mcp/harness.ts';

/** Resolves every name to the addresses given, and the next time to the next ones. */
function resolving(...answers: readonly (readonly string[])[]) {
  const left = [...answers];
  const addressesOf = (list: readonly string[]): LookupAddress[] =>
    list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return vi.fn((_name: string, _options: object, callback: (error: null, found: LookupAddress[]) => void) => {
    callback(null, addressesOf((left.length > 1 ? left.shift() : left[0]) ?? []));
  }) as unknown as typeof lookup;
}

async function answering(answer: RequestListener) {
  const seen: string[] = [];
  const port = await listen(
    createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      answer(request, response);
    }),
  );
  return { port, seen, url: `http://127.0.0.1:${port}` };
}

const ok: RequestListener = (_request, response) => response.end('hello');

test.each<[Reach, string, readonly string[], string]>([
  ['public', 'https://tools.example', ['127.0.0.1'], 'on a private network or on this machine'],
  ['public', 'https://tools.example', ['10.0.0.5'], 'on a private network or on this machine'],
  ['public', 'https://tools.example', ['93.184.215.14', '192.168.0.1'], 'on a private network'],
  ['public', 'https://tools.example', ['fd12::1'], 'on a private network'],
  ['public', 'https://tools.example', ['::ffff:127.0.0.1'], 'on a private network or on this machine'],
  ['public', 'http://tools.example', ['93.184.215.14'], 'where only TLS is used'],
  ['loopback', 'http://tools.example', ['93.184.215.14'], 'where only TLS is used'],
  ['private', 'http://tools.example', ['93.184.215.14'], 'where only TLS is used'],
  ['loopback', 'http://tools.example', ['10.0.0.5'], 'on a private network'],
  ['private', 'http://tools.example', ['169.254.169.254'], 'where no server may be'],
  ['private', 'http://metadata.example', ['fe80::1'], 'where no server may be'],
])('within a %s reach, %s at %j is not asked', async (reach, url, addresses, why) => {
  const guarded = createGuardedFetch({ reach, lookup: resolving(addresses) });
  await expect(guarded(url)).rejects.toMatchObject({
    code: 'address_refused',
    userMessage: expect.stringContaining(why),
  });
});

test.each([
  'http://127.0.0.1',
  'https://127.0.0.1',
  'http://[::1]',
  'http://2130706433',
  'http://0x7f.1',
  'https://[::ffff:127.0.0.1]',
  'http://169.254.169.254/latest/meta-data',
  'file:///etc/passwd',
])('%s, where a public address is asked for, is not asked', async (url) => {
  const guarded = createGuardedFetch({ reach: 'public' });
  await expect(guarded(url)).rejects.toMatchObject({ code: 'address_refused' });
});

test('what is on this machine is asked where that was said, by its address or by a name', async () => {
  const { port, url, seen } = await answering(ok);
  const guarded = createGuardedFetch({ reach: 'loopback', lookup: resolving(['127.0.0.1']) });
  expect(await (await guarded(`${url}/one`)).text()).toBe('hello');
  expect(await (await guarded(`http://tools.example:${port}/two`)).text()).toBe('hello');
  expect(seen).toEqual(['GET /one', 'GET /two']);
});

test('a name is looked at with every connection, so that its meaning cannot change in between', async () => {
  const { port, seen } = await answering((_request, response) => {
    response.setHeader('connection', 'close');
    response.end('hello');
  });
  const guarded = createGuardedFetch({ reach: 'loopback', lookup: resolving(['127.0.0.1'], ['10.0.0.5']) });
  await (await guarded(`http://tools.example:${port}/`)).text();
  await expect(guarded(`http://tools.example:${port}/`)).rejects.toMatchObject({ code: 'address_refused' });
  expect(seen).toEqual(['GET /']);
});

test('a redirect to another place is not followed', async () => {
  const other = await answering(ok);
  const { url, port } = await answering((_request, response) => {
    response.writeHead(307, { location: `${other.url}/stolen` }).end();
  });
  const guarded = createGuardedFetch({ reach: 'loopback' });
  await expect(guarded(`${url}/`, { method: 'POST', body: 'secret' })).rejects.toMatchObject({
    code: 'redirect_refused',
    userMessage: `127.0.0.1:${port} sends requests on to another place (127.0.0.1:${other.port}); nothing was sent there.`,
  });
  expect(other.seen).toEqual([]);
});

test.each([
  [
    'a redirect that would make it another request',
    302,
    '/there',
    'in a way that would change them',
    'redirect_after',
  ],
  ['a redirect without an end', 308, '/', 'again and again', 'redirect_refused'],
  ['a redirect to nowhere', 307, 'http://', 'and does not say where to', 'redirect_refused'],
])('%s is not followed', async (_what, status, location, why, code) => {
  const { url } = await answering((_request, response) => response.writeHead(status, { location }).end());
  const guarded = createGuardedFetch({ reach: 'loopback' });
  await expect(guarded(`${url}/`, { method: 'POST', body: 'x' })).rejects.toMatchObject({
    code,
    userMessage: expect.stringContaining(why),
  });
});

test('a redirect within the server is followed with the same request, and handed back where that is wanted', async () => {
  const { url, seen } = await answering((request, response) => {
    if (request.url === '/there') request.pipe(response);
    else response.writeHead(307, { location: '/there' }).end();
  });
  const guarded = createGuardedFetch({ reach: 'loopback' });
  const followed = await guarded(`${url}/`, { method: 'POST', body: 'the same' });
  expect(await followed.text()).toBe('the same');
  expect((await guarded(`${url}/`, { redirect: 'manual' })).status).toBe(307);
  expect(seen).toEqual(['POST /', 'POST /there', 'GET /']);
});

test.each([
  ['that says so', { 'content-length': '2000' }],
  ['that does not', {}],
])('an answer of more than the limit %s is not read', async (_what, headers) => {
  const { url, port } = await answering((_request, response) => {
    response.writeHead(200, headers);
    response.end('x'.repeat(2000));
  });
  const guarded = createGuardedFetch({ reach: 'loopback', maxBytes: 1000 });
  await expect(guarded(url).then((response) => response.text())).rejects.toMatchObject({
    code: 'answer_too_large',
    userMessage: `127.0.0.1:${port} answered with more than 1000 bytes.`,
  });
});

test('a stream of events has no end that is too far, as long as no event is too large', async () => {
  const { url } = await answering((request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const size = request.url === '/large' ? 2000 : 400;
    response.end(`data: ${'x'.repeat(size)}\r\n\r\n`.repeat(10));
  });
  const guarded = createGuardedFetch({ reach: 'loopback', maxBytes: 1000 });
  expect((await (await guarded(`${url}/small`)).text()).length).toBe(4100);
  await expect(guarded(`${url}/large`).then((response) => response.text())).rejects.toMatchObject({
    code: 'answer_too_large',
  });
});

test('what takes longer than it may is given up', async () => {
  const { url } = await answering((_request, response) => response.writeHead(200).write('a beginning'));
  const guarded = createGuardedFetch({ reach: 'loopback', timeoutMs: 100 });
  await expect(guarded(url).then((response) => response.text())).rejects.toMatchObject({
    name: 'TimeoutError',
  });
});

test.each([
  ['http://localhost:3000/mcp', false, 'loopback'],
  ['http://tools.localhost/mcp', false, 'loopback'],
  ['http://127.0.0.1:3000/mcp', false, 'loopback'],
  ['http://[::1]:3000/mcp', false, 'loopback'],
  ['https://localhost.example/mcp', false, 'public'],
  ['http://10.0.0.5/mcp', false, 'public'],
  ['http://10.0.0.5/mcp', true, 'private'],
  ['http://localhost:3000/mcp', true, 'private'],
])('a server at %s, private networks allowed: %s, has a reach that is %s', (url, allowed, reach) => {
  expect(networkReach({ url, allow_private_network: allowed })).toBe(reach);
});

test('a server whose address is not allowed is down, and its status says what to do', async () => {
  const { hub } = testHub({
    intranet: { url: 'http://10.0.0.5/mcp' },
    plain: { url: 'http://93.184.215.14/mcp' },
  });
  await hub.start();
  expect(hub.status().map(({ error }) => error)).toEqual([
    '10.0.0.5 is on a private network or on this machine; it was not asked. If its server belongs there, set allow_private_network.',
    '93.184.215.14 is on a public network, where only TLS is used, such as https; it was not asked.',
  ]);
});

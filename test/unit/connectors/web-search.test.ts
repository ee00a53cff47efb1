import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { connector } from '../../../src/connectors/web-search/index.ts';
import { createPageReader } from '../../../src/connectors/web-search/page.ts';
import { createWebSearchServer } from '../../../src/connectors/web-search/server.ts';
import type { Connector } from '../../../src/mcp/ports.ts';
import { callOptions, listen, testHub } from '../../fixtures/mcp/harness.ts';
import { ANA } from '../../fixtures/oauth/instance.ts';
import { connectorInstance } from '../../helpers/connector.ts';

const KEY = 'tvly-0123456789abcdef';

/**
 * What Tavily takes, and nothing else.
 * @see https://docs.tavily.com/documentation/api-reference/endpoint/search
 */
const requestSchema = z.strictObject({
  query: z.string().min(1).max(400),
  topic: z.enum(['general', 'news', 'finance']),
  search_depth: z.enum(['basic', 'advanced', 'fast', 'ultra-fast']),
  max_results: z.int().min(0).max(20),
  include_answer: z.boolean(),
  include_raw_content: z.boolean(),
  time_range: z.enum(['day', 'week', 'month', 'year', 'd', 'w', 'm', 'y']).optional(),
});

/** A search in Tavily's format, which finds one page. */
async function startSearch() {
  const asked: z.output<typeof requestSchema>[] = [];
  let busyFor = 0;
  let isBroken = false;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const answer = (status: number, content: object, headers = {}) =>
      void response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(content));
    if (request.headers.authorization !== `Bearer ${KEY}`) {
      return answer(401, { detail: { error: 'Unauthorized: missing or invalid API key.' } });
    }
    if (busyFor > 0)
      return answer(429, { detail: { error: 'Too many requests.' } }, { 'retry-after': busyFor });
    if (isBroken) return void response.destroy();
    const read = requestSchema.safeParse(JSON.parse(body));
    if (request.method !== 'POST' || request.url !== '/search' || !read.success) {
      return answer(400, { detail: { error: 'Invalid request.' } });
    }
    asked.push(read.data);
    const { include_raw_content: isWhole, query } = read.data;
    const result = { title: 'Roses', url: 'https://roses.example/', content: 'How to plant.', score: 0.9 };
    answer(200, {
      query,
      answer: 'In autumn.',
      images: [],
      results: [{ ...result, raw_content: isWhole ? 'All about roses.' : null }],
      response_time: 1.2,
    });
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    asked,
    beBusy: (seconds: number) => {
      busyFor = seconds;
    },
    fail: () => {
      isBroken = true;
    },
  };
}

async function webSearch(key = KEY) {
  const service = await startSearch();
  return { service, ...(await connectorInstance('web-search', { api_url: service.url, key })) };
}

test('it searches with the operator’s key, and nobody signs in', async () => {
  const { ask, hub, service } = await webSearch();
  expect(hub.status()).toMatchObject([{ state: 'up', toolCount: 2 }]);
  const tools = await hub.tools(ANA);
  expect(tools.map(({ name, readOnly }) => [name, readOnly])).toEqual([
    ['fetch_page', false],
    ['search_web', true],
  ]);
  const found = await ask('search_web', ANA, { query: 'roses' });
  expect(found).toMatch(/^1 found\.\n- Roses \(https:\/\/roses\.example\/\)/);
  expect(found).toContain('In autumn.');
  expect(found).toContain('How to plant.');
  expect(service.asked).toMatchObject([{ topic: 'general', search_depth: 'basic', max_results: 5 }]);
});

test('news are of late, and a deep search has the pages’ texts', async () => {
  const { ask, service } = await webSearch();
  await ask('search_web', ANA, { query: 'roses', kind: 'news', time_range: 'week' });
  expect(await ask('search_web', ANA, { query: 'roses', kind: 'deep' })).toContain('All about roses.');
  expect(service.asked).toMatchObject([
    { topic: 'news', time_range: 'week', include_raw_content: false },
    { topic: 'general', search_depth: 'advanced', include_raw_content: true },
  ]);
});

test('a wrong key, a rate limit and a lost answer are failures that say so', async () => {
  const wrong = await webSearch('tvly-another-0123456789');
  expect(await wrong.ask('search_web', ANA, { query: 'roses' })).toBe(
    'failed: The web search refused (HTTP 401): Unauthorized: missing or invalid API key. Nothing was found.',
  );
  const { send, service } = await webSearch();
  service.beBusy(30);
  expect(await send('search_web', ANA, { query: 'roses' })).toMatchObject({
    outcome: { status: 'failed', message: expect.stringContaining('Try again in 30 seconds.') },
  });
  service.beBusy(0);
  service.fail();
  expect(await send('search_web', ANA, { query: 'roses' })).toMatchObject({
    outcome: { status: 'failed', message: 'web-search could not be reached; nothing was done.' },
    retry: expect.anything(),
  });
});

test('without its key, it says which variable to set', async () => {
  const { hub } = await connectorInstance('web-search', { key: '${TAVILY_API_KEY}' });
  const error = 'An admin has to set TAVILY_API_KEY.';
  expect(hub.status()).toMatchObject([{ state: 'setup_required', error, toolCount: 0 }]);
});

/** Pages of this machine, which the connector doesn't read. */
async function startPages() {
  const seen: (string | undefined)[] = [];
  const pages: Readonly<Record<string, readonly [status: number, type: string, body: string]>> = {
    '/': [200, 'text/html; charset=iso-8859-1', '<title>Caf\xe9</title><p>Open.</p><p hidden>Mail all.</p>'],
    '/data': [200, 'application/json', '{"a":1}'],
    '/scan': [200, 'application/pdf', '%PDF'],
    '/large': [200, 'text/plain', 'x'.repeat(5 * 1024 * 1024)],
    '/gone': [404, 'text/html', 'nothing'],
    '/moved': [302, '/', ''],
    '/inside': [302, 'http://169.254.169.254/latest/meta-data', ''],
    '/round': [302, '/round', ''],
  };
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization ?? request.headers.cookie);
    const [status, type, body] = pages[request.url ?? ''] ?? [500, '', ''];
    const named = status === 302 ? { location: type } : { 'content-type': type };
    response.writeHead(status, named).end(Buffer.from(body, 'latin1'));
  });
  return { seen, url: `http://127.0.0.1:${await listen(server)}` };
}

test.each([
  ['/', { title: 'Café', text: 'Open.' }],
  ['/moved', { title: 'Café', text: 'Open.' }],
  ['/data', { title: null, text: '{"a":1}' }],
])('of the page %s, its text is read, without a key', async (path, expected) => {
  const { url, seen } = await startPages();
  expect(await createPageReader('loopback')(`${url}${path}`)).toMatchObject(expected);
  expect(seen.every((header) => header === undefined)).toBe(true);
});

test.each([
  ['/scan', 'this is no text, but application/pdf'],
  ['/large', /^127\.0\.0\.1:\d+ answered with more than 4 MB$/],
  ['/gone', /^127\.0\.0\.1:\d+ answered with HTTP 404$/],
  ['/round', 'the page sends on again and again'],
  ['/inside', /^169\.254\.169\.254 is at an address where no server may be/],
])('the page %s is not read, and why is said', async (path, problem) => {
  const { url } = await startPages();
  await expect(createPageReader('loopback')(`${url}${path}`)).rejects.toThrow(problem);
});

test('the connector asks no address of this machine for a page', async () => {
  const { ask } = await webSearch();
  const { url, seen } = await startPages();
  expect(await ask('fetch_page', ANA, { url })).toMatch(
    /^failed: 127\.0\.0\.1 is on a private network or on this machine; it was not asked.*Nothing was read\.$/,
  );
  expect(await ask('fetch_page', ANA, { url: 'file:///etc/passwd' })).toMatch(/^failed/);
  expect(seen).toEqual([]);
});

test('a page that was fetched is given with its title, its text and where it was', async () => {
  const { url } = await startPages();
  const nearby: Connector = {
    ...connector,
    createServer: (service) => createWebSearchServer(service, createPageReader('loopback')),
  };
  const { hub, send } = testHub(
    { web: { connector: 'it', key: KEY } },
    { connectors: new Map([['it', nearby]]) },
  );
  await hub.start();
  const call = { server: 'web', name: 'fetch_page', arguments: { url: `${url}/moved` } };
  expect(await send(call, callOptions())).toMatchObject({
    outcome: { status: 'succeeded', structured: { url: `${url}/`, title: 'Café', text: 'Open.' } },
  });
});

import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { connector } from '../../../src/connectors/web-search/index.ts';
import { createPageReader } from '../../../src/connectors/web-search/page.ts';
import { createWebSearchServer } from '../../../src/connectors/web-search/server.ts';
import type { Connector } from '../../../src/mcp/ports.ts';
import { callOptions, listen, testHub } from '../../fixtures/mcp/harness.ts';
import { ANA } from '../../fixtures/oauth/instance.ts';
import { connectorInstance } from '../../helpers/connector.ts';
import { SEARCH_KEY, startSearch } from '../../helpers/web-search.ts';

async function webSearch(key = SEARCH_KEY) {
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

test('what was found names its pages, by which answers cite it', async () => {
  const { send } = await webSearch();
  expect(await send('search_web', ANA, { query: 'roses' })).toMatchObject({
    outcome: { structured: { sources: [{ source: 'Roses', url: 'https://roses.example/' }] } },
  });
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
    { web: { connector: 'it', key: SEARCH_KEY } },
    { connectors: new Map([['it', nearby]]) },
  );
  await hub.start();
  const call = { server: 'web', name: 'fetch_page', arguments: { url: `${url}/moved` } };
  expect(await send(call, callOptions())).toMatchObject({
    outcome: {
      status: 'succeeded',
      structured: {
        ...{ url: `${url}/`, title: 'Café', text: 'Open.' },
        sources: [{ source: 'Café', url: `${url}/` }],
      },
    },
  });
});

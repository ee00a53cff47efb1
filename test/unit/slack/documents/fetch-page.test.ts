import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGuardedFetch } from '../../../../src/lib/net/guarded-fetch.ts';
import { createFetchPage } from '../../../../src/slack/documents/fetch-page.ts';

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

const { signal } = new AbortController();
const fetchPage = createFetchPage(createGuardedFetch({ reach: 'loopback', maxBytes: 1_000 }));

describe('a page on the web', () => {
  it.each([
    ['/handbook/', 'text/html; charset=utf-8', 'handbook.html'],
    ['/', 'text/html', '127.0.0.1.html'],
    ['/Q3%20report.pdf?x=1', 'application/pdf', 'Q3 report.pdf'],
    ['/list.csv', 'application/octet-stream', 'list.csv'],
    ['/page.md', 'text/plain', 'page.md'],
    ['/100%', 'text/plain', '100%.txt'],
  ])('at %s, of type %s, is %s', async (path, type, name) => {
    const url = await serve((_request, response) => response.setHeader('content-type', type).end('x'));
    const link = `${url}${path}`;
    expect(await fetchPage(link, signal)).toEqual({ ok: true, name, link, content: Buffer.from('x') });
  });

  it('is fetched over redirects, from one public address to another, each of them checked', async () => {
    const target = await serve((_request, response) =>
      response.setHeader('content-type', 'text/csv').end('a;b'),
    );
    const url = await serve((request, response) =>
      response
        .writeHead(302, { location: request.url === '/in' ? 'http://10.0.0.1/a' : `${target}/x` })
        .end(),
    );
    expect(await fetchPage(`${url}/data.csv`, signal)).toMatchObject({ ok: true, name: 'data.csv' });
    expect(await fetchPage(`${url}/in`, signal)).toEqual({ ok: false, problem: 'web_refused' });
  });

  it.each<[string, RequestListener, string]>([
    ['a picture', (_, response) => response.setHeader('content-type', 'image/png').end('x'), 'kind'],
    ['a page to sign in', (_, response) => response.writeHead(401).end(), 'web_nothing'],
    [
      'redirects without end',
      (_, response) => response.writeHead(302, { location: '/' }).end(),
      'web_nothing',
    ],
    [
      'too much',
      (_, response) => response.setHeader('content-type', 'text/html').end('x'.repeat(1_001)),
      'too_large',
    ],
    [
      'a redirect with a password in it',
      (_, response) => response.writeHead(302, { location: 'https://ana:secret@example.com/' }).end(),
      'web_nothing',
    ],
    ['a stumble', (_, response) => response.writeHead(503).end(), 'passing'],
  ])('that is %s isn’t learned', async (_what, answer, problem) => {
    expect(await fetchPage(await serve(answer), signal)).toEqual({ ok: false, problem });
  });
});

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { download } from '../../../../src/slack/client/download.ts';

const SIGN_IN = '<!DOCTYPE html><title>Sign in</title>';

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

function get(url: string, apiUrl: string | null, size: number | null = null) {
  const { signal } = new AbortController();
  return download({ url, size }, { token: 'xoxb-secret', apiUrl, maxBytes: 1_000, signal });
}

describe('a download from Slack', () => {
  it('gives the content to whoever has the token, over redirects within', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/old') return response.writeHead(302, { location: '/new' }).end();
      return response.end(request.headers.authorization);
    });
    expect(await get(`${url}/old`, `${url}/api/`)).toEqual({
      ok: true,
      content: Buffer.from('Bearer xoxb-secret'),
    });
  });

  it('sends nothing to another host, whether named or led to by a redirect', async () => {
    const seen: string[] = [];
    const other = await serve((request, response) => {
      seen.push(request.headers.authorization ?? 'nothing');
      response.end('x');
    });
    const url = await serve((_request, response) =>
      response.writeHead(302, { location: `${other}/a` }).end(),
    );
    const elsewhere = { ok: false, problem: 'elsewhere' };
    expect(await get(`${url}/a`, `${url}/api/`)).toEqual(elsewhere);
    expect(await get(`${other}/a`, `${url}/api/`)).toEqual(elsewhere);
    expect(await get(`${other}/a`, null)).toEqual(elsewhere);
    expect(seen).toEqual([]);
  });

  it.each([
    'http://files.slack.com/a',
    'https://files.slack.com.example.com/a',
    'https://notslack.com/a',
    'https://token@files.slack.com/a',
    'file:///etc/passwd',
    '',
  ])('isn’t tried from %s', async (url) => {
    expect(await get(url, null)).toEqual({ ok: false, problem: 'elsewhere' });
  });

  it.each<[string, RequestListener, string]>([
    [
      'the page to sign in',
      (_request, response) => response.setHeader('content-type', 'text/html').end(SIGN_IN),
      'no_access',
    ],
    [
      'a way to the page to sign in',
      (_request, response) => response.writeHead(302, { location: '/?redir=%2Ffiles-pri' }).end(),
      'no_access',
    ],
    [
      'a page in place of a page',
      (_request, response) =>
        response
          .writeHead(200, { 'content-type': 'text/html', 'content-disposition': 'attachment' })
          .end(SIGN_IN),
      'no_access',
    ],
    ['more than was said', (_request, response) => response.end('x'.repeat(40)), 'passing'],
    ['more than is read', (_request, response) => response.end('x'.repeat(1_001)), 'too_large'],
    [
      'more than is read, in pieces',
      (_request, response) => {
        response.write('x'.repeat(900));
        response.end('x'.repeat(900));
      },
      'too_large',
    ],
    ['nothing', (_request, response) => response.writeHead(404).end(), 'gone'],
    ['a stumble', (_request, response) => response.writeHead(503).end(), 'passing'],
    ['no answer', (request) => request.socket.destroy(), 'passing'],
  ])('takes %s for no content', async (_what, answer, problem) => {
    const url = await serve(answer);
    expect(await get(`${url}/a`, `${url}/api/`, 10)).toEqual({ ok: false, problem });
  });
});

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { inspect, promisify } from 'node:util';
import { ErrorCode, WebClient } from '@slack/web-api';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { classifyFailure, type Failure } from '../../../../src/slack/client/api-errors.ts';
import { createPostForm } from '../../../../src/slack/client/post-form.ts';
import { SlackClient } from '../../../../src/slack/client/slack-client.ts';
import { ROOT } from '../../../helpers/process.ts';
import { quiet } from '../../../helpers/workspace.ts';

const TOKEN = 'xoxb-secret';
/** The timeout of clients that get no whole answer, in milliseconds. */
const SHORT_MS = 300;
const addressSchema = z.object({ port: z.number() });

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = addressSchema.parse(server.address());
  return { server, port, apiUrl: `http://127.0.0.1:${port}/api/` };
}

function clients(apiUrl: string, { token = TOKEN, timeoutMs = 10_000 } = {}) {
  const logged: object[] = [];
  const log = { ...quiet, warn: (details: object) => void logged.push(details) };
  return {
    logged,
    ours: new SlackClient(token, { apiUrl, timeoutMs, log }),
    theirs: new WebClient(token, {
      slackApiUrl: apiUrl,
      timeout: timeoutMs,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      logger: quiet,
    }),
  };
}

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;

/** What a client throws at an answer, by default ours. */
async function failureOf(
  answer: Answer,
  { of = 'ours', ...options }: Parameters<typeof clients>[1] & { of?: 'ours' | 'theirs' } = {},
): Promise<unknown> {
  const { apiUrl } = await serve((request, response) => void answer(response, request));
  return clients(apiUrl, options)
    [of].chat.postMessage({ channel: 'C1', text: 'hello' })
    .then(
      () => expect.unreachable('it succeeded'),
      (error: unknown) => error,
    );
}

const json = (status: number, body: unknown, headers = {}) => {
  return (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};
const page =
  (status: number, headers = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end('<html>Trouble.</html>');
const hang = () => undefined;
const begin = '{"ok":true,"ts":"1.0"';
const raw = (bytes: string) => (response: ServerResponse) => response.socket?.end(bytes);

describe('a call', () => {
  it('is sent as Slack’s own client sends it', async () => {
    const sent: object[] = [];
    const { apiUrl } = await serve(async (request, response) => {
      const { authorization, accept, 'content-type': type } = request.headers;
      const form = [...new URLSearchParams(await text(request))];
      sent.push({ url: request.url, method: request.method, authorization, accept, type, form });
      json(200, { ok: true })(response);
    });
    const { ours, theirs } = clients(apiUrl);
    for (const client of [ours, theirs]) {
      await client.apiCall('chat.postMessage', {
        text: 'a+b & c=d % “ü” 🎉\n',
        blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'a & b' } }],
        unfurl_links: false,
        limit: 200,
        thread_ts: undefined,
        cursor: null,
        empty: '',
      });
    }
    expect(sent).toHaveLength(2);
    expect(sent[0]).toEqual(sent[1]);
  });

  it('gives what Slack’s own client gives: the answer, its cursor and the token’s scopes', async () => {
    const answer = { ok: true, ts: '1.0', response_metadata: { next_cursor: 'abc' } };
    const { apiUrl } = await serve((_request, response) =>
      json(200, answer, { 'x-oauth-scopes': 'chat:write, users:read' })(response),
    );
    const { ours, theirs } = clients(apiUrl);
    const result = await ours.auth.test();
    expect(result).toEqual(await theirs.auth.test());
    expect(result.response_metadata).toEqual({
      next_cursor: 'abc',
      scopes: ['chat:write', 'users:read'],
    });
  });

  it('that Slack remarks on is in the log, without its arguments', async () => {
    const remarks = { warnings: ['missing_charset'], messages: ['[WARN] A `text` argument is missing'] };
    const { apiUrl } = await serve((_request, response) =>
      json(200, { ok: true, response_metadata: remarks })(response),
    );
    const { ours, logged } = clients(apiUrl);
    await ours.chat.postMessage({ channel: 'C1', text: 'hello' });
    expect(logged).toEqual([
      {
        method: 'chat.postMessage',
        remarks: ['missing_charset', '[WARN] A `text` argument is missing'],
      },
    ]);
  });
});

describe('a failure is the one of Slack’s own client', () => {
  const passing = (name: string, waitMs = 2_000): Failure => ({ kind: 'passing', name, waitMs });
  it.each<[string, Answer, Failure]>([
    ['a refusal', json(200, { ok: false, error: 'is_archived' }), { kind: 'closed', name: 'is_archived' }],
    [
      'a scope that is missing',
      json(200, { ok: false, error: 'missing_scope', needed: 'chat:write' }),
      { kind: 'locked_out', name: 'missing_scope', waitMs: 60_000 },
    ],
    ['a rate limit', json(429, { ok: false }, { 'retry-after': '7' }), passing('ratelimited', 7_000)],
    ['a page with 500', page(500), passing(ErrorCode.HTTPError)],
    ['JSON with 503', json(503, { ok: false, error: 'x' }), passing(ErrorCode.HTTPError)],
    ['a connection that ends', (response) => response.destroy(), passing(ErrorCode.RequestError)],
    ['what is no HTTP', raw('SSH-2.0-OpenSSH\r\n\r\n'), passing(ErrorCode.RequestError)],
  ])('for %s', async (_what, answer, expected) => {
    expect(classifyFailure(await failureOf(answer))).toEqual(expected);
    expect(classifyFailure(await failureOf(answer, { of: 'theirs' }))).toEqual(expected);
  });

  it('for no answer', async () => {
    for (const of of ['ours', 'theirs'] as const) {
      const failure = classifyFailure(await failureOf(hang, { of, timeoutMs: SHORT_MS }));
      expect(failure).toEqual(passing(ErrorCode.RequestError));
    }
  });
});

describe('an answer that can’t be read is worth a retry', () => {
  it.each<[string, Answer, string]>([
    ['a page with 200', page(200), ErrorCode.RequestError],
    ['no text at all', (response) => response.end(), ErrorCode.RequestError],
    ['JSON that is no object', json(200, null), ErrorCode.RequestError],
    ['a list', json(200, []), ErrorCode.RequestError],
    ['an answer that doesn’t say whether it worked', json(200, { ts: '1.0' }), ErrorCode.RequestError],
    ['a refusal without a reason', json(200, { ok: false }), ErrorCode.RequestError],
    ['an answer that ends in the middle', cutShort(), ErrorCode.RequestError],
    ['an answer without an end', flood, ErrorCode.RequestError],
    ['a redirect', page(302, { location: '/elsewhere' }), ErrorCode.HTTPError],
    ['a 429 that doesn’t say for how long', page(429), ErrorCode.HTTPError],
    [
      'a 429 until a date',
      page(429, { 'retry-after': 'Mon, 23 Nov 2026 18:00:00 GMT' }),
      ErrorCode.HTTPError,
    ],
  ])('%s', async (_what, answer, name) => {
    expect(classifyFailure(await failureOf(answer))).toEqual({ kind: 'passing', name, waitMs: 2_000 });
  });

  it.each<[string, Answer]>([
    ['stops', (response) => response.write(begin)],
    ['drips', drip],
  ])('such as one that %s', async (_what, answer) => {
    const failure = classifyFailure(await failureOf(answer, { timeoutMs: SHORT_MS }));
    expect(failure).toEqual({ kind: 'passing', name: ErrorCode.RequestError, waitMs: 2_000 });
  });

  it('such as one from nowhere', async () => {
    const { server, apiUrl } = await serve(hang);
    server.close();
    const thrown: unknown = await clients(apiUrl)
      .ours.auth.test()
      .catch((error: unknown) => error);
    expect(classifyFailure(thrown).name).toBe(ErrorCode.RequestError);
  });
});

describe('the token', () => {
  it.each<[string, Answer]>([
    ['a page that repeats the request', (response) => page(200)(response.setHeader('x-echo', TOKEN))],
    ['a failure that repeats it', (response) => response.writeHead(502, { 'x-echo': TOKEN }).end(TOKEN)],
    ['a status line that repeats it', (response) => response.writeHead(500, TOKEN).end()],
  ])('is not in the error of %s', async (_what, answer) => {
    expect(inspect(await failureOf(answer), { depth: 9, showHidden: true })).not.toContain(TOKEN);
  });

  it('that can’t be sent is not in the error either', async () => {
    const thrown = await failureOf(hang, { token: `${TOKEN}\n` });
    expect(classifyFailure(thrown).name).toBe(ErrorCode.RequestError);
    expect(inspect(thrown, { depth: 9, showHidden: true })).not.toContain(TOKEN);
  });
});

describe('connections', () => {
  it('are used again', async () => {
    const { server, apiUrl } = await serve((_request, response) => json(200, { ok: true })(response));
    let opened = 0;
    server.on('connection', () => {
      opened += 1;
    });
    const { ours } = clients(apiUrl);
    for (let call = 0; call < 5; call += 1) await ours.auth.test();
    // The first may still end when the second call begins.
    expect(opened).toBeLessThanOrEqual(2);
  });

  it('are a hundred at most, and what gets none in time is never sent', async () => {
    const received: string[] = [];
    const release = Promise.withResolvers<void>();
    const { server, apiUrl } = await serve(async (request, response) => {
      received.push(request.url ?? '');
      if (request.url === '/hangs') await release.promise;
      response.end();
    });
    let opened = 0;
    server.on('connection', () => {
      opened += 1;
    });
    const post = createPostForm();
    const { origin } = new URL(apiUrl);
    const sent = (path: string, timeoutMs: number) =>
      post({ origin, path, headers: {}, form: {}, timeoutMs });
    const hanging = Array.from({ length: 100 }, () => sent('/hangs', 60_000));
    await vi.waitFor(() => expect(received).toHaveLength(100));
    await expect(sent('/waits', 100)).rejects.toThrow('no answer within 100 ms');
    expect(opened).toBe(100);
    release.resolve();
    await Promise.all(hanging);
    // It stood behind the other one.
    await sent('/last', 60_000);
    expect(received.slice(100)).toEqual(['/last']);
  });
});

it('goes through the proxies of the environment where Node does', async () => {
  const { apiUrl } = await serve((_request, response) => json(200, { ok: true, user: 'bot' })(response));
  const proxied: string[] = [];
  const proxy = await serve(hang);
  proxy.server.on('connect', (request, socket) => {
    proxied.push(request.url ?? '');
    const { hostname, port } = new URL(`http://${request.url}`);
    const upstream = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(upstream).pipe(socket);
    });
  });
  const script = `
    import { SlackClient } from './src/slack/client/slack-client.ts';
    const log = { error() {}, warn() {}, info() {}, debug() {} };
    const client = new SlackClient('xoxb-1', { apiUrl: '${apiUrl}', timeoutMs: 5000, log });
    console.log((await client.auth.test()).user);`;
  const env = {
    ...process.env,
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
    NO_PROXY: '',
  };
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
  expect(stdout.trim()).toBe('bot');
  expect(proxied).toEqual([new URL(apiUrl).host]);
});

function cutShort(): Answer {
  return (response) => {
    response.writeHead(200, { 'content-length': 1_000 }).write(begin);
    setImmediate(() => response.destroy());
  };
}

/** Sends a byte now and then. */
function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), SHORT_MS / 10);
  response.on('close', () => clearInterval(timer));
}

/** Sends as fast as it is read. */
function flood(response: ServerResponse): void {
  const megabyte = Buffer.alloc(1_000_000, ' ');
  const more = (): void => {
    while (!response.destroyed && response.write(megabyte));
  };
  response.on('drain', more);
  more();
}

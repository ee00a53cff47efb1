import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createBase } from '../../../src/http/base.ts';
import { draining, HttpError } from '../../../src/http/errors.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { createLog } from '../../../src/lib/logger.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/store.ts';
import { ROOT } from '../../helpers/sources.ts';

/** A server with one route, whose answer waits for `settle`. */
async function startWaiting() {
  const lines: string[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  const store = openSqliteStore({ path: ':memory:' });
  const base = createBase({ store, clock: Date.now, ids: () => 'r1', log, checks: {} });
  const settle = Promise.withResolvers<JsonObject>();
  const work = vi.fn((_over: AbortSignal) => settle.promise);
  base.app.post('/wait', (c) => base.answerLater(c, work));
  const { port, close } = await base.http.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await close();
    await store.close();
  });
  return {
    ...base,
    settle,
    port,
    over: () => vi.waitUntil(() => work.mock.calls[0]?.[0]),
    ask: (signal?: AbortSignal) =>
      fetch(`http://127.0.0.1:${port}/wait`, { method: 'POST', signal: signal ?? null }),
    failures: () => lines.filter((line) => JSON.parse(line).level >= 50),
    requests: () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request'),
  };
}

it('is answered and logged once its work is done, with the name of the request', async () => {
  const { ask, over, settle, requests } = await startWaiting();
  const answer = ask();
  await over();
  await after(50);
  expect(requests()).toEqual([]);
  settle.resolve({ ok: true });
  const answered = await answer;
  expect(answered.headers.get('x-request-id')).toBe('r1');
  expect(await answered.json()).toEqual({ ok: true });
  await vi.waitUntil(() => requests().length > 0);
  expect(requests()).toEqual([
    expect.objectContaining({ requestId: 'r1', method: 'POST', path: '/wait', status: 200 }),
  ]);
  expect(requests()[0].ms).toBeGreaterThanOrEqual(45);
});

it('an error is answered as any other request’s', async () => {
  const { ask, settle, over } = await startWaiting();
  const answer = ask();
  await over();
  settle.reject(
    new HttpError({ status: 429, code: 'later', userMessage: 'Ask later.', retryAfterMs: 2_500 }),
  );
  const answered = await answer;
  expect([answered.status, answered.headers.get('retry-after')]).toEqual([429, '3']);
  expect(await answered.json()).toEqual({ error: { code: 'later', message: 'Ask later.' } });
});

it('work is told that its client has gone, and nothing of it is sent', async () => {
  const { ask, over, settle, requests } = await startWaiting();
  const client = new AbortController();
  const answer = ask(client.signal);
  const signal = await over();
  client.abort();
  await expect(answer).rejects.toThrow('aborted');
  await vi.waitUntil(() => signal?.aborted);
  settle.resolve({ ok: true });
  await vi.waitUntil(() => requests().length > 0);
  expect(requests()).toMatchObject([{ status: 499 }]);
});

it('work is told that the process stops, and its client gets what it comes to', async () => {
  const { ask, over, settle, http } = await startWaiting();
  const answer = ask();
  const signal = await over();
  http.drain();
  expect(signal?.aborted).toBe(true);
  settle.resolve({ ok: false });
  expect(await (await answer).json()).toEqual({ ok: false });
});

it('is answered also where there is no connection', async () => {
  const { http, settle } = await startWaiting();
  settle.resolve({ ok: true });
  const answered = await http.fetch(new Request('http://localhost/wait', { method: 'POST' }));
  expect(await answered.json()).toEqual({ ok: true });
});

it('one that comes before the answer to another on its connection is refused, and not worked on', async () => {
  const { port, settle, over } = await startWaiting();
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const request = 'POST /wait HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n';
  socket.write(request + request);
  await over();
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  settle.resolve({ ok: true });
  while (!answer.includes('pipelined')) await once(socket, 'data');
  expect(answer.match(/^HTTP\/1.1 \d+/gm)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
});

it('what is refused as the process stops is no failure in the log', async () => {
  const { ask, over, settle, http, failures } = await startWaiting();
  const answer = ask();
  await over();
  http.drain();
  settle.reject(draining());
  expect((await answer).status).toBe(503);
  expect(failures()).toEqual([]);
});

it('is answered also where another server was made before this one was loaded', () => {
  const program = `
    import { createAdaptorServer } from '@hono/node-server';
    createAdaptorServer({ fetch: () => new Response() });
    const { createBase } = await import('./src/http/base.ts');
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const { app, http, answerLater } = createBase({ clock: Date.now, ids: () => 'r', log, checks: {}, store: null });
    app.post('/wait', (c) => answerLater(c, async () => ({ ok: true })));
    const { port, close } = await http.listen({ host: '127.0.0.1', port: 0 });
    const answer = await fetch('http://127.0.0.1:' + port + '/wait', { method: 'POST' });
    process.stdout.write(await answer.text());
    await close();`;
  const args = ['--input-type=module', '--eval', program];
  expect(execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })).toBe('{"ok":true}');
});

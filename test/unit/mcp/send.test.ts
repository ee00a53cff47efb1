import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { McpServer } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/json.ts';
import type { CallOptions } from '../../../src/mcp/types.ts';
import { createAskingServer, type Seen } from '../../fixtures/mcp/asking.ts';
import { callOptions, fixture, listen, testHub } from '../../fixtures/mcp/harness.ts';

async function askingServer({ timeout_ms = 60_000 } = {}) {
  const seen: Seen = { calls: [], cancelled: 0 };
  const servers: McpServer[] = [];
  const inProcess = new Map([
    [
      'asking',
      () => {
        const server = createAskingServer(seen);
        servers.push(server);
        return server;
      },
    ],
  ]);
  const { hub, send } = testHub({ asking: { in_process: 'asking', timeout_ms } }, { inProcess });
  await hub.start();
  const call = (name: string, args: JsonObject = {}, options: Partial<CallOptions> = {}) =>
    send({ server: 'asking', name, arguments: args }, callOptions(options));
  return { hub, send, call, seen, servers };
}

async function noteFile(): Promise<{ file: string; notes: () => Promise<string[]> }> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-mcp-send-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'notes');
  return { file, notes: async () => (await readFile(file, 'utf8')).trim().split('\n') };
}

const accept = (content: JsonObject) => async () => ({ action: 'accept' as const, content });

test('a tool’s own error is a failure in the server’s words', async () => {
  const { call } = await askingServer();
  expect(await call('say', { isError: true, text: 'no such room' })).toEqual({
    kind: 'ended',
    outcome: { status: 'failed', message: 'no such room', content: [{ type: 'text', text: 'no such room' }] },
  });
});

test('a tool’s error without words is said to have none', async () => {
  const { call } = await askingServer();
  expect(await call('say', { isError: true, text: '' })).toMatchObject({
    outcome: { status: 'failed', message: 'asking says that say failed, and does not say why.' },
  });
});

test('a call of a tool that the server does not have is a failure', async () => {
  const { call } = await askingServer();
  expect(await call('missing')).toMatchObject({ outcome: { status: 'failed', message: /missing/ } });
});

test('an answer that does not fit the tool’s own schema is still the answer of a call that happened', async () => {
  const { file, notes } = await noteFile();
  const { hub, send } = testHub({ misfit: fixture('misfit.ts', file) });
  await hub.start();
  expect(await send({ server: 'misfit', name: 'count', arguments: {} }, callOptions())).toMatchObject({
    outcome: { status: 'succeeded', structured: { count: 'three' } },
  });
  expect(await notes()).toEqual(['count']);
});

test('a call is not sent again when the server says that its headers do not match', async () => {
  const { file, notes } = await noteFile();
  const { hub, send } = testHub({ misfit: fixture('misfit.ts', file) });
  await hub.start();
  expect(await send({ server: 'misfit', name: 'headers', arguments: {} }, callOptions())).toMatchObject({
    outcome: { status: 'failed', message: 'misfit refused headers: headers do not match' },
  });
  expect(await notes()).toEqual(['headers']);
});

test('a page to sign in at blocks the call until a person has been there', async () => {
  const { call } = await askingServer();
  expect(await call('sign_in', { url: 'https://example.com/connect' })).toEqual({
    kind: 'blocked',
    need: {
      kind: 'oauth_url',
      elicitationId: 'elicitation-1',
      url: 'https://example.com/connect',
      message: 'Connect your account',
    },
  });
});

test.each([
  'http://example.com/connect',
  'javascript:alert(1)',
  'not an address',
  'http://127.0.0.1.example.com',
])('a page at %s is not shown to anybody', async (url) => {
  const { call } = await askingServer();
  const result = await call('sign_in', { url });
  expect(result).toMatchObject({ kind: 'ended', outcome: { status: 'failed' } });
  expect(JSON.stringify(result)).not.toContain(url);
});

test('a form that is asked for during a call is answered by whoever started the call', async () => {
  const { call } = await askingServer();
  const onElicit = vi.fn(accept({ room: 'Blue' }));
  const result = await call('form', {}, { onElicit });
  expect(JSON.stringify(result)).toContain('Blue');
  expect(onElicit).toHaveBeenCalledExactlyOnceWith(
    {
      kind: 'form_elicitation',
      elicitationId: expect.any(String),
      message: 'Which room?',
      requestedSchema: { type: 'object', properties: { room: { type: 'string', title: 'Room' } } },
    },
    expect.any(AbortSignal),
  );
});

test('a form is taken back when its server does not wait for it any more', async () => {
  const { call } = await askingServer();
  const closed: string[] = [];
  const onElicit: CallOptions['onElicit'] = (_need, gone) =>
    new Promise(() => gone.addEventListener('abort', () => closed.push('gone')));
  expect(JSON.stringify(await call('impatient_form', {}, { onElicit }))).toContain('nobody answered');
  expect(closed).toEqual(['gone']);
});

test('a form is declined while several calls are in flight, as it could be anybody’s', async () => {
  const { call, seen } = await askingServer();
  const stop = new AbortController();
  const other = call('silent', {}, { signal: stop.signal });
  await vi.waitUntil(() => seen.calls.includes('silent'));
  const onElicit = vi.fn(accept({ room: 'Blue' }));
  const result = await call('form', {}, { onElicit });
  expect(onElicit).not.toHaveBeenCalled();
  expect(JSON.stringify(result)).toContain('decline');
  stop.abort();
  await other;
});

/** A server with a call that was stopped and goes on all the same, and how it then asks something. */
async function stoppedCall({ call, seen }: Awaited<ReturnType<typeof askingServer>>) {
  const later = Promise.withResolvers<void>();
  seen.later = later.promise;
  const stop = new AbortController();
  const stopped = call('late_form', {}, { signal: stop.signal });
  await vi.waitUntil(() => seen.calls.includes('late_form'));
  stop.abort();
  await stopped;
  return async () => {
    later.resolve();
    await vi.waitUntil(() => seen.late !== undefined);
    return seen.late;
  };
}

test.each(['earlier', 'later'])(
  'a form of a call that was stopped is declined, and not put to whoever called %s',
  async (when) => {
    const asking = await askingServer();
    const { call, seen } = asking;
    const early = when === 'later' ? await stoppedCall(asking) : null;
    const stop = new AbortController();
    const onElicit = vi.fn(accept({}));
    const other = call('silent', {}, { signal: stop.signal, onElicit });
    await vi.waitUntil(() => seen.calls.includes('silent'));
    const ask = early ?? (await stoppedCall(asking));
    expect(await ask()).toBe('decline');
    expect(onElicit).not.toHaveBeenCalled();
    stop.abort();
    await other;
  },
);

test('a form of a call that was stopped is not put to a call that is about to be sent', async () => {
  const asking = await askingServer();
  const ask = await stoppedCall(asking);
  const { connection } = await asking.hub.connections.acquire('asking');
  const elicit = vi.fn(async () => ({ action: 'accept' as const }));
  connection.running.set({ elicit, sample: () => Promise.reject() }, new Set(connection.unanswered()));
  expect(await ask()).toBe('decline');
  expect(elicit).not.toHaveBeenCalled();
});

test('a form is put to the person again once the connection was made anew', async () => {
  const { call, hub, seen } = await askingServer({ timeout_ms: 100 });
  await call('silent');
  await vi.waitUntil(() => seen.cancelled === 1);
  expect(JSON.stringify(await call('form', {}, { onElicit: accept({ room: 'Blue' }) }))).toContain('decline');
  const { connection, lost } = await hub.connections.acquire('asking');
  lost('It is made anew.');
  await vi.waitUntil(() => hub.status()[0]?.state !== 'up');
  expect(JSON.stringify(await call('form', {}, { onElicit: accept({ room: 'Blue' }) }))).toContain('Blue');
  expect((await hub.connections.acquire('asking')).connection).not.toBe(connection);
});

test('a form that is asked for outside of any call is declined', async () => {
  const { servers } = await askingServer();
  const answer = await servers[0]?.server.elicitInput({
    message: 'Your password?',
    requestedSchema: { type: 'object', properties: {} },
  });
  expect(answer).toEqual({ action: 'decline' });
});

test('when nobody can be asked the form is cancelled', async () => {
  const { call } = await askingServer();
  expect(JSON.stringify(await call('form'))).toContain('cancel');
});

test('a server that does not answer in time leaves the call in doubt, and is told to stop', async () => {
  const { call, seen } = await askingServer({ timeout_ms: 100 });
  expect(await call('silent')).toEqual({
    kind: 'ended',
    outcome: {
      status: 'in_doubt',
      message:
        'asking gave no sign of life for 100 ms after silent had been sent. Whether it happened is not known.',
    },
    retry: null,
  });
  await vi.waitUntil(() => seen.cancelled === 1);
  expect(seen.calls).toEqual(['silent']);
});

test('a call that is stopped on its way is in doubt', async () => {
  const { call, seen } = await askingServer();
  const stop = new AbortController();
  const result = call('silent', {}, { signal: stop.signal });
  await vi.waitUntil(() => seen.calls.length === 1);
  stop.abort();
  expect(await result).toMatchObject({ outcome: { status: 'in_doubt' } });
});

test('a call that was stopped before is not sent', async () => {
  const { call, seen } = await askingServer();
  expect(await call('silent', {}, { signal: AbortSignal.abort() })).toMatchObject({
    outcome: { status: 'failed', message: expect.stringContaining('nothing was done') },
  });
  expect(seen.calls).toEqual([]);
});

test('a tool that is defined differently by now is not called', async () => {
  const { hub, send, seen } = await askingServer();
  const definition = (await hub.tools()).find((tool) => tool.name === 'say');
  const call = { server: 'asking', name: 'say', arguments: { isError: false, text: 'hi' } };
  const other = await send({ ...call, definitionHash: '0'.repeat(64) }, callOptions());
  expect(other).toMatchObject({
    kind: 'redefined',
    tool: { name: 'say', definitionHash: definition?.definitionHash },
  });
  expect(seen.calls).toEqual([]);
  const same = await send({ ...call, definitionHash: definition?.definitionHash ?? '' }, callOptions());
  expect(same).toMatchObject({ outcome: { status: 'succeeded' } });
});

test('a server that dies in the middle leaves the call in doubt, is sent it once, and comes back on next use', async () => {
  const { file, notes } = await noteFile();
  const { hub, send } = testHub({ dying: fixture('dying.ts', file) });
  await hub.start();
  const call = (name: string) => send({ server: 'dying', name, arguments: {} }, callOptions());
  expect(await call('die')).toMatchObject({ kind: 'ended', outcome: { status: 'in_doubt' } });
  expect(hub.status()).toMatchObject([{ state: 'down', toolCount: 0 }]);
  expect(await call('live')).toMatchObject({ outcome: { status: 'succeeded' } });
  expect(await notes()).toEqual(['die', 'live']);
});

test('a call that is in flight when the hub stops is in doubt', async () => {
  const { hub, call, seen } = await askingServer();
  const result = call('silent');
  await vi.waitUntil(() => seen.calls.length === 1);
  await hub.stop();
  expect(await result).toMatchObject({ outcome: { status: 'in_doubt' } });
});

test('a server of the newest revision that asks before it begins blocks the call, which anybody can go on with', async () => {
  const { file, notes } = await noteFile();
  const { hub, send } = testHub({ rooms: fixture('input-required.ts', file) });
  await hub.start();
  const call = { server: 'rooms', name: 'book', arguments: { day: 'Friday' } };
  const blocked = await send(call, callOptions());
  if (blocked.kind !== 'blocked' || !blocked.input) throw new Error('it does not ask');
  expect(blocked.need).toMatchObject({ kind: 'form_elicitation', message: 'Which room?' });
  expect(blocked.input).toMatchObject({ requestState: 'Friday', rounds: 1, asked: [{ key: 'room' }] });

  // From another process, later: nothing but what was kept goes along.
  const kept = JSON.parse(JSON.stringify(blocked.input));
  const other = testHub({ rooms: fixture('input-required.ts', file) });
  await other.hub.start();
  const input = { ...kept, asked: [], answers: { room: { action: 'accept', content: { room: 'Blue' } } } };
  expect(await other.send({ ...call, input }, callOptions())).toMatchObject({
    outcome: { status: 'succeeded', content: [{ type: 'text', text: 'booked Blue on Friday' }] },
  });
  expect(await notes()).toEqual(['Friday Blue']);
});

test('a server of the newest revision that never has enough is given up, and did nothing', async () => {
  const { file } = await noteFile();
  const { hub, send } = testHub({ rooms: fixture('input-required.ts', file) });
  await hub.start();
  const call = { server: 'rooms', name: 'insist', arguments: {} };
  const input = { requestState: null, asked: [], answers: {}, rounds: 10 };
  expect(await send({ ...call, input }, callOptions())).toMatchObject({
    outcome: {
      status: 'failed',
      message: 'rooms asked for input 10 times without an end; nothing was done.',
    },
  });
});

test.each([
  ['is told the folders that it is given', { roots: ['/srv/notes'] }, 'file:///srv/notes'],
  ['that is given no folders may not ask for them', {}, 'capabilities do not declare'],
])('a server of the newest revision %s', async (_what, given, words) => {
  const { file } = await noteFile();
  const { hub, send } = testHub({ rooms: { ...fixture('input-required.ts', file), ...given } });
  await hub.start();
  const result = await send({ server: 'rooms', name: 'folders', arguments: {} }, callOptions());
  expect(JSON.stringify(result)).toContain(words);
});

test('a server that is not configured is a failure', async () => {
  const { send } = await askingServer();
  expect(await send({ server: 'nobody', name: 'x', arguments: {} }, callOptions())).toMatchObject({
    outcome: { status: 'failed', message: 'No server called nobody is configured; nothing was done.' },
  });
});

test('a server over HTTP is told that a call is stopped', async () => {
  const posted: { method?: string; id?: number; params?: { requestId?: number } }[] = [];
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const message = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    posted.push(message);
    if (message.id === undefined) return void response.writeHead(202).end();
    // The call is never answered.
    if (message.method === 'tools/call') return;
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'mute', version: '1.0.0' },
      },
      'tools/list': { tools: [{ name: 'wait', inputSchema: { type: 'object' } }] },
    };
    const result = results[message.method];
    const answer = result ? { result } : { error: { code: -32601, message: 'there is no such method' } };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }));
  });
  const { hub, send } = testHub({ mute: { url: `http://127.0.0.1:${await listen(server)}/mcp` } });
  await hub.start();
  const stop = new AbortController();
  const call = { server: 'mute', name: 'wait', arguments: {} };
  const result = send(call, callOptions({ signal: stop.signal }));
  await vi.waitUntil(() => posted.some(({ method }) => method === 'tools/call'));
  stop.abort();
  expect(await result).toMatchObject({ outcome: { status: 'in_doubt' } });
  const id = posted.find(({ method }) => method === 'tools/call')?.id;
  await vi.waitFor(() =>
    expect(posted).toContainEqual(
      expect.objectContaining({
        method: 'notifications/cancelled',
        params: expect.objectContaining({ requestId: id }),
      }),
    ),
  );
});

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FencedError } from '../../../../src/lib/errors.ts';
import { askingServer } from '../../../fixtures/mcp/asking-calls.ts';
import { callOptions, fixture, listen, testHub } from '../../../fixtures/mcp/harness.ts';

async function noteFile(): Promise<{ file: string; notes: () => Promise<string[]> }> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-mcp-send-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'notes');
  return { file, notes: async () => (await readFile(file, 'utf8')).trim().split('\n') };
}

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
  expect(await call('missing')).toMatchObject({
    outcome: { status: 'failed', message: expect.stringMatching(/missing/) },
  });
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

test('a server that does not answer in time leaves the call in doubt, and is told to stop', async () => {
  const { call, seen } = await askingServer({ timeout_ms: 100 });
  expect(await call('silent')).toEqual({
    kind: 'ended',
    outcome: {
      status: 'in_doubt',
      message:
        'asking did not respond for 100 ms after silent had been sent. Whether it happened is not known.',
    },
    retry: null,
    isSilent: true,
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

test('a call of which another worker may have taken the thread is not sent, and has no result', async () => {
  const { call, seen } = await askingServer();
  const confirm = () => Promise.reject(new FencedError());
  await expect(call('say', { text: 'hello' }, { confirm })).rejects.toThrow(FencedError);
  expect(seen.calls).toEqual([]);
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
  // A model that is asked on in this moment is still offered its tools.
  expect(hub.status()).toMatchObject([{ state: 'connecting', toolCount: 3 }]);
  expect(await call('live')).toMatchObject({ outcome: { status: 'succeeded' } });
  expect(await notes()).toEqual(['die', 'live']);
});

test('a process that answers with more than is read leaves the call in doubt, says so, and comes back', async () => {
  const { file, notes } = await noteFile();
  const { hub, send } = testHub({ dying: fixture('dying.ts', file) });
  await hub.start();
  const call = (name: string) => send({ server: 'dying', name, arguments: {} }, callOptions());
  expect(await call('flood')).toMatchObject({
    outcome: {
      status: 'in_doubt',
      message:
        'The connection was ended because dying wrote more than 10 MB in one message after flood had been sent. Whether it happened is not known.',
    },
    retry: null,
  });
  expect(await call('live')).toMatchObject({ outcome: { status: 'succeeded' } });
  expect(await notes()).toEqual(['flood', 'live']);
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

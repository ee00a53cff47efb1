import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createCalendarServer } from '../../src/app/demo-servers/calendar/server.ts';
import type { Progress } from '../../src/gate/types.ts';
import { startEverythingOverHttp } from '../fixtures/mcp/everything-http.ts';
import { callOptions, freePort, testHub } from '../fixtures/mcp/harness.ts';

const require = createRequire(import.meta.url);
const everything = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
const filesystem = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
const calendarMain = new URL('../../examples/calendar/main.ts', import.meta.url).pathname;
const now = () => Date.UTC(2026, 10, 23, 8);

async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-mcp-')));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

const overStdio = { everything: { command: process.execPath, args: [everything, 'stdio'] } };

test('the tools of a real server over stdio are offered with safe unique names, titles and hashes', async () => {
  const { hub } = testHub(overStdio);
  await hub.start();
  await vi.waitUntil(async () =>
    (await hub.tools()).some((tool) => tool.name === 'trigger-elicitation-request'),
  );
  const tools = await hub.tools();
  const echo = tools.find((tool) => tool.name === 'echo');
  expect(echo).toMatchObject({
    server: 'everything',
    modelName: 'everything__echo',
    toolType: 'everything',
    title: 'Echo Tool',
    inputSchema: { properties: { message: { type: 'string' } } },
  });
  expect(new Set(tools.map((tool) => tool.modelName)).size).toBe(tools.length);
  expect(new Set(tools.map((tool) => tool.definitionHash)).size).toBe(tools.length);
  expect(hub.status()).toEqual([
    {
      ...{ name: 'everything', transport: 'stdio', protection: null, state: 'up', error: null, omitted: [] },
      toolCount: tools.filter(({ role }) => role === undefined).length,
      version: expect.stringMatching(/^\d/),
    },
  ]);
});

test('every kind of content of a real server comes through, with structure and progress', async () => {
  const { hub, send } = testHub(overStdio);
  await hub.start();
  const call = (name: string, args = {}, options = {}) =>
    send({ server: 'everything', name, arguments: args }, callOptions(options));

  expect(await call('echo', { message: 'hello' })).toEqual({
    kind: 'ended',
    outcome: { status: 'succeeded', content: [{ type: 'text', text: 'Echo: hello' }], structured: null },
  });
  expect(await call('get-tiny-image')).toMatchObject({
    outcome: {
      content: expect.arrayContaining([{ type: 'image', data: expect.any(String), mimeType: 'image/png' }]),
    },
  });
  expect(await call('get-structured-content', { location: 'New York' })).toMatchObject({
    outcome: { status: 'succeeded', structured: { temperature: expect.any(Number) } },
  });
  expect(await call('get-resource-links', { count: 2 })).toMatchObject({
    outcome: { content: expect.arrayContaining([expect.objectContaining({ type: 'resource_link' })]) },
  });
  expect(await call('get-resource-reference', { resourceType: 'Text', resourceId: 1 })).toMatchObject({
    outcome: {
      content: expect.arrayContaining([
        expect.objectContaining({ type: 'resource', uri: expect.any(String), text: expect.any(String) }),
      ]),
    },
  });
  const progress: Progress[] = [];
  const onProgress = (step: Progress) => void progress.push(step);
  await call('trigger-long-running-operation', { duration: 0.2, steps: 2 }, { onProgress });
  // The last one may come together with the answer, and is then of no use any more.
  expect(progress[0]).toEqual({ progress: 1, total: 2, message: null });
});

test('a form that a real server asks for in the middle of a call is answered by a person', async () => {
  const { hub, send } = testHub(overStdio);
  await hub.start();
  const onElicit = vi.fn(async () => ({ action: 'accept' as const, content: { name: 'Ana' } }));
  const result = await send(
    { server: 'everything', name: 'trigger-elicitation-request', arguments: {} },
    callOptions({ onElicit }),
  );
  expect(onElicit).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({
      kind: 'form_elicitation',
      elicitationId: expect.any(String),
      requestedSchema: expect.objectContaining({ type: 'object' }),
    }),
    expect.any(AbortSignal),
  );
  expect(JSON.stringify(result)).toContain('Name: Ana');
});

test('a page that a real server asks for in the middle of a call is shown whole before a person accepts', async () => {
  const { hub, send } = testHub(overStdio);
  await hub.start();
  const url = 'https://example.com/connect?state=1';
  const onElicit = vi.fn(async () => ({ action: 'accept' as const, content: null }));
  const result = await send(
    { server: 'everything', name: 'trigger-url-elicitation', arguments: { url, message: 'Connect' } },
    callOptions({ onElicit }),
  );
  expect(onElicit).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({
      message: 'Connect',
      url,
      requestedSchema: { type: 'object', properties: {} },
    }),
    expect.any(AbortSignal),
  );
  expect(result).toMatchObject({ kind: 'ended', outcome: { status: 'succeeded' } });
});

test('a real server is told the folders that it is given, and may not ask for a model', async () => {
  const { hub, send } = testHub({ everything: { ...overStdio.everything, roots: ['/srv/notes'] } });
  await hub.start();
  const roots = () => send({ server: 'everything', name: 'get-roots-list', arguments: {} }, callOptions());
  await vi.waitFor(async () => expect(JSON.stringify(await roots())).toContain('file:///srv/notes'));
  const names = (await hub.tools()).map(({ name }) => name);
  expect(names).not.toContain('trigger-sampling-request');
});

test('a page that a real server requires first blocks the call', async () => {
  const { hub, send } = testHub(overStdio);
  await hub.start();
  const args = { url: 'https://example.com/connect', message: 'Connect', errorPath: true };
  const call = { server: 'everything', name: 'trigger-url-elicitation', arguments: args };
  expect(await send(call, callOptions())).toMatchObject({
    kind: 'blocked',
    need: { kind: 'oauth_url', url: expect.stringMatching(/^https:/), elicitationId: expect.any(String) },
  });
});

test('a real server over streamable HTTP works as over stdio', async () => {
  const port = await freePort();
  await startEverythingOverHttp('streamableHttp', port);
  const { hub, send } = testHub({ everything: { url: `http://127.0.0.1:${port}/mcp` } });
  await hub.start();
  expect(hub.status()).toMatchObject([{ transport: 'http', state: 'up' }]);
  const result = await send(
    { server: 'everything', name: 'get-sum', arguments: { a: 2, b: 3 } },
    callOptions(),
  );
  expect(JSON.stringify(result)).toContain('5');
});

test('a server that only speaks the older SSE is reached when no transport is named', async () => {
  const port = await freePort();
  await startEverythingOverHttp('sse', port);
  const { hub, send } = testHub({ everything: { url: `http://127.0.0.1:${port}/sse` } });
  await hub.start();
  expect(hub.status()).toMatchObject([{ state: 'up', error: null }]);
  const result = await send(
    { server: 'everything', name: 'echo', arguments: { message: 'old' } },
    callOptions(),
  );
  expect(JSON.stringify(result)).toContain('Echo: old');
});

test('an HTTP server that went away fails calls without doing anything, and works again once it is back', async () => {
  const port = await freePort();
  const stop = await startEverythingOverHttp('streamableHttp', port);
  const { hub, send, retries } = testHub({ everything: { url: `http://127.0.0.1:${port}/mcp` } });
  await hub.start();
  const echo = () =>
    send({ server: 'everything', name: 'echo', arguments: { message: 'hello' } }, callOptions());
  await stop();
  expect(await echo()).toMatchObject({
    outcome: { status: 'failed', message: expect.stringContaining('nothing was done') },
  });
  // It is tried at once whether it is back.
  for (const retry of retries.splice(0)) retry();
  await vi.waitUntil(() => hub.status()[0]?.state === 'down');
  expect(await echo()).toMatchObject({
    outcome: { status: 'failed', message: expect.stringContaining(`Nothing answers at 127.0.0.1:${port}`) },
  });
  await startEverythingOverHttp('streamableHttp', port);
  expect(await echo()).toMatchObject({ outcome: { status: 'succeeded' } });
});

test('a server that restarted and forgot the session is connected anew, and the call is not sent twice', async () => {
  const port = await freePort();
  const stop = await startEverythingOverHttp('streamableHttp', port);
  const { hub, send } = testHub({ everything: { url: `http://127.0.0.1:${port}/mcp` } });
  await hub.start();
  await stop();
  await startEverythingOverHttp('streamableHttp', port);
  const echo = () =>
    send({ server: 'everything', name: 'echo', arguments: { message: 'hello' } }, callOptions());
  expect(await echo()).toMatchObject({
    outcome: { status: 'failed', message: expect.stringContaining('nothing was done') },
  });
  expect(await echo()).toMatchObject({ outcome: { status: 'succeeded' } });
});

test('a refusal of the filesystem server is a failure in its words', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'notes.txt'), 'hello');
  const { hub, send } = testHub({ files: { command: process.execPath, args: [filesystem, folder] } });
  await hub.start();
  const read = (path: string) =>
    send({ server: 'files', name: 'read_text_file', arguments: { path } }, callOptions());
  expect(await read(join(folder, 'notes.txt'))).toMatchObject({
    outcome: { status: 'succeeded', content: [{ type: 'text', text: 'hello' }] },
  });
  expect(await read('/etc/hostname')).toMatchObject({
    outcome: { status: 'failed', message: expect.stringContaining('Access denied') },
  });
});

test('the calendar over stdio speaks the newest revision and keeps its events', async () => {
  const file = join(await temporaryFolder(), 'calendar.json');
  const args = [calendarMain, '--file', file, '--time-zone', 'Europe/Berlin'];
  const { hub, send } = testHub({ calendar: { command: process.execPath, args } });
  await hub.start();
  const { connection } = await hub.connections.acquire('calendar');
  expect(connection.client.getProtocolEra()).toBe('modern');
  const created = await send(
    {
      server: 'calendar',
      name: 'create_event',
      arguments: { title: 'Standup', start: '2026-11-24T09:00:00' },
    },
    callOptions(),
  );
  expect(created).toMatchObject({
    outcome: { structured: { event: { id: 'evt_1', starts_at: '2026-11-24T09:00:00+01:00' } } },
  });
});

test('the calendar in process is one more server', async () => {
  const file = join(await temporaryFolder(), 'calendar.json');
  const inProcess = new Map([
    ['calendar', () => createCalendarServer({ file, now, timeZone: 'Europe/Berlin' })],
  ]);
  const { hub, send } = testHub({ work: { in_process: 'calendar', type: 'calendar' } }, { inProcess });
  await hub.start();
  const tools = await hub.tools();
  expect(
    tools.map((tool) => [tool.modelName, tool.title, tool.toolType, tool.readOnly, tool.destructive]),
  ).toEqual([
    ['work__create_event', 'Create event', 'calendar', false, false],
    ['work__delete_event', 'Delete event', 'calendar', false, true],
    ['work__get_event', 'Get event', 'calendar', true, false],
    ['work__list_calendars', 'List calendars', 'calendar', true, false],
    ['work__list_events', 'List events', 'calendar', true, false],
    ['work__update_event', 'Change event', 'calendar', false, false],
  ]);
  expect(await send({ server: 'work', name: 'list_events', arguments: {} }, callOptions())).toMatchObject({
    outcome: { status: 'succeeded', structured: { events: [] } },
  });
});

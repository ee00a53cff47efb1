import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  Client as ClientV1,
  type ClientOptions as ClientV1Options,
} from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { startAppWithModel } from '../helpers/app.ts';

const KEY = 'a-key-of-a-program-that-asks-2718';
const CHANNEL = 'C0GENERAL1';
const PERSON = 'U0ANA00001';

/** The whole app with a folder of files behind it, and a program that may use them. */
async function startGate({
  tools = ['files.*'],
  holdFor = '1d',
}: {
  tools?: readonly string[];
  holdFor?: string;
} = {}) {
  const { app, driver } = await startAppWithModel({
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      programs: { env: { title: 'Builder', for: PERSON, channel: CHANNEL, tools, hold_for: holdFor } },
      policy: {
        rules: [
          { tools: 'files.read_*', action: 'allow' },
          { tools: 'files.list_*', action: 'allow' },
          { tools: 'growing.*', action: 'allow' },
          { tools: 'files.move_*', action: 'deny', reason: 'Nothing is moved here.' },
        ],
      },
      mcpServers: {
        files: {
          command: 'node',
          args: ['node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', '$FOLDER'],
          cwd: process.cwd(),
        },
        growing: {
          command: 'node',
          args: ['test/fixtures/mcp/growing.ts'],
          cwd: process.cwd(),
        },
      },
    },
  });
  const url = () => new URL(`${app.url}/mcp`);
  const requestInit = { headers: { authorization: `Bearer ${KEY}` } };
  async function connect(options: ClientOptions = {}) {
    const client = new Client(
      { name: 'test', version: '1' },
      { versionNegotiation: { mode: 'auto' }, ...options },
    );
    await client.connect(new StreamableHTTPClientTransport(url(), { requestInit }));
    onTestFinished(() => client.close());
    return client;
  }
  async function connectV1(options: ClientV1Options = {}) {
    const client = new ClientV1({ name: 'test-v1', version: '1' }, options);
    await client.connect(new TransportV1(url(), { requestInit }));
    onTestFinished(() => client.close());
    return client;
  }
  async function connectStdio(options: ClientV1Options = {}) {
    const client = new ClientV1({ name: 'test-stdio', version: '1' }, options);
    const env = { PATH: process.env.PATH ?? '', COUNTERSIGN_URL: app.url, COUNTERSIGN_KEY: KEY };
    const args = ['--conditions=countersign-source', 'src/index.ts', 'mcp'];
    await client.connect(new StdioClientTransport({ command: 'node', args, env }));
    onTestFinished(() => client.close());
    return client;
  }
  const card = (words: string) => driver.waitForMessage((message) => driver.text(message).includes(words));
  const cards = () => driver.calls('chat.postMessage').length;
  const file = (name: string) => readFile(join(app.folder, name), 'utf8');
  const write = (name: string, content = 'hello') => ({
    name: 'files__write_file',
    arguments: { path: join(app.folder, name), content },
  });
  return { app, driver, connect, connectV1, connectStdio, card, cards, file, write };
}

test.each(['connect', 'connectV1', 'connectStdio'] as const)(
  'a client (%s) reads at once, and writes once its person approves',
  async (how) => {
    const gate = await startGate();
    const client = await gate[how]();
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toContain('files__write_file');
    expect(names).toContain('countersign__await');
    const read = await client.callTool({
      name: 'files__list_directory',
      arguments: { path: gate.app.folder },
    });
    expect(read.isError).toBeFalsy();
    expect(gate.cards()).toBe(0);

    const writing = client.callTool(gate.write('a.txt'));
    const message = await gate.card('a.txt');
    expect(message.channel).toBe(CHANNEL);
    expect(gate.driver.text(message)).toContain('Requested by Builder for');
    await gate.driver.as(PERSON).click(message, 'Approve');
    expect(await writing).toMatchObject({
      content: [{ type: 'text', text: expect.stringContaining('Successfully wrote') }],
    });
    expect(await gate.file('a.txt')).toBe('hello');
  },
);

test('what is rejected, denied or unknown comes back as an error with who and why', async () => {
  const { app, driver, connect, card, write } = await startGate();
  const client = await connect();
  const writing = client.callTool(write('b.txt'));
  const message = await card('b.txt');
  await driver.as(PERSON).click(message, 'Reject');
  expect(await writing).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('Ana rejected this') }],
  });
  const move = { source: join(app.folder, 'a'), destination: join(app.folder, 'b') };
  expect(await client.callTool({ name: 'files__move_file', arguments: move })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('Nothing is moved here.') }],
  });
  expect(await client.callTool({ name: 'files__nothing', arguments: {} })).toMatchObject({ isError: true });
});

test('tools keep the hints of their server, and who calls them is a conversation of its program on record', async () => {
  const { app, connect, write, card } = await startGate();
  const client = await connect();
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === 'files__write_file')?.annotations).toMatchObject({
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
  });
  void client.callTool(write('s.txt')).catch(() => undefined);
  await card('s.txt');
  const headers = { authorization: `Bearer ${KEY}` };
  const answer = await fetch(`${app.url}/api/sessions`, { headers });
  expect(await answer.json()).toMatchObject({
    sessions: [{ session_id: 'mcp', program: 'key:env', agent_name: 'test', agent_type: 'mcp' }],
  });
});

test('a client that asked for progress is told at once for whom its call waits', async () => {
  const { driver, connect, card, write } = await startGate();
  const client = await connect();
  const told: (string | undefined)[] = [];
  const writing = client.callTool(write('c.txt'), { onprogress: ({ message }) => void told.push(message) });
  const message = await card('c.txt');
  await vi.waitFor(() => expect(told[0]).toBe('Waiting for Ana…'));
  await driver.as(PERSON).click(message, 'Approve');
  await writing;
});

test('the same call again attaches to the first, and neither makes a second card or a second run', async () => {
  const { driver, connect, card, cards, write } = await startGate();
  const [one, other] = [await connect(), await connect()];
  const both = [one.callTool(write('d.txt')), other.callTool(write('d.txt'))];
  const message = await card('d.txt');
  await driver.as(PERSON).click(message, 'Approve');
  const results = await Promise.all(both);
  expect(results.map(({ isError }) => isError ?? false)).toEqual([false, false]);
  expect(cards()).toBe(1);
});

test.each(['connect', 'connectStdio'] as const)(
  'a client (%s) that went away finds its call again; approved meanwhile, it runs once it is back',
  async (how) => {
    const gate = await startGate();
    const { driver, card, cards, file, write } = gate;
    const client = await gate[how]();
    const writing = client.callTool(write('e.txt'));
    const left = expect(writing).rejects.toThrow();
    const message = await card('e.txt');
    await client.close();
    await left;
    const away = await card('Builder has gone away');
    await driver.as(PERSON).click(away, 'Approve');
    await card('Approved by Ana');
    await expect(file('e.txt')).rejects.toThrow();
    const again = await (await gate[how]()).callTool(write('e.txt'));
    expect(again).toMatchObject({ content: [{ text: expect.stringContaining('Successfully wrote') }] });
    expect(cards()).toBe(1);
    expect(message.ts).toBe(away.ts);
  },
);

test('a call that nobody decides soon is pending, says so, and its outcome waits to be asked for', async () => {
  const { driver, connect, card, cards, write } = await startGate({ holdFor: '1s' });
  const client = await connect();
  const answer = await client.callTool(write('f.txt'));
  expect(answer.isError).toBeFalsy();
  expect(answer).toMatchObject({
    content: [
      { text: expect.stringMatching(/^Pending: this has not run yet, and waits for Ana in Slack \(http/) },
    ],
    structuredContent: {
      status: 'pending',
      waiting_for: 'Ana',
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    },
  });
  const { request_id } = z.object({ request_id: z.string() }).parse(answer.structuredContent);
  expect(await client.callTool(write('f.txt'))).toMatchObject({ structuredContent: { request_id } });
  const waiting = client.callTool({ name: 'countersign__await', arguments: { request_id } });
  await driver.as(PERSON).click(await card('f.txt'), 'Approve');
  expect(await waiting).toMatchObject({ content: [{ text: expect.stringContaining('Successfully wrote') }] });
  // What was heard is over: asked for again, the outcome still stands, and the same call is a new one.
  expect(await client.callTool({ name: 'countersign__await', arguments: { request_id } })).toMatchObject({
    content: [{ text: expect.stringContaining('Successfully wrote') }],
  });
  expect(await client.callTool(write('f.txt'))).toMatchObject({ structuredContent: { status: 'pending' } });
  expect(cards()).toBe(2);
});

test.each(['connect', 'connectStdio'] as const)(
  'a call (%s) survives a restart of the gate: it is answered as pending, runs once approved, and is found again',
  async (how) => {
    const gate = await startGate();
    const { app, driver, card, cards, file, write } = gate;
    const writing = (await gate[how]()).callTool(write('g.txt'));
    const message = await card('g.txt');
    await app.restart();
    expect(await writing).toMatchObject({ structuredContent: { status: 'pending' } });
    await driver.as(PERSON).click(message, 'Approve');
    await vi.waitFor(async () => expect(await file('g.txt')).toBe('hello'), 5_000);
    const again = await (await gate[how]()).callTool(write('g.txt'));
    expect(again).toMatchObject({
      content: [
        { text: expect.stringContaining('Successfully wrote') },
        { text: expect.stringMatching(/^Nothing ran now\./) },
      ],
    });
    expect(cards()).toBe(1);
  },
);

test.each(['connect', 'connectStdio'] as const)(
  'an outcome that nobody heard is given to a client (%s) hours later with its time, over a restart; then it is a new call',
  async (how) => {
    const gate = await startGate({ holdFor: '1s' });
    const call = gate.write('late.txt');
    expect(await (await gate[how]()).callTool(call)).toMatchObject({
      structuredContent: { status: 'pending' },
    });
    await gate.driver.as(PERSON).click(await gate.card('late.txt'), 'Approve');
    await vi.waitFor(async () => expect(await gate.file('late.txt')).toBe('hello'), 5_000);
    await gate.app.restart();
    await gate.app.pass(23 * 3_600_000);
    const client = await gate[how]();
    const late = await client.callTool(call);
    expect(late).toMatchObject({
      content: [
        { text: expect.stringContaining('Successfully wrote') },
        { text: expect.stringMatching(/^Nothing ran now\. .* ended at 2026-11-23T08:/) },
      ],
    });
    expect(gate.cards()).toBe(1);
    expect(await client.callTool(call)).toMatchObject({ structuredContent: { status: 'pending' } });
    expect(gate.cards()).toBe(2);
  },
);

test.each(['connect', 'connectStdio'] as const)(
  'what somebody changed before approving is told with the result (%s)',
  async (how) => {
    const gate = await startGate();
    const { driver, card, file, write } = gate;
    const writing = (await gate[how]()).callTool(write('h.txt'));
    await driver.as(PERSON).click(await card('h.txt'), 'Edit');
    await driver.as(PERSON).waitForModal();
    driver.as(PERSON).fill({ Content: 'changed' });
    await driver.as(PERSON).submit();
    expect(await writing).toMatchObject({
      content: [
        { text: expect.any(String) },
        { text: expect.stringContaining('Ana changed the arguments before it ran') },
      ],
    });
    expect(await file('h.txt')).toBe('changed');
  },
);

test.each(['connect', 'connectStdio'] as const)(
  'nobody answered until the deadline: the program (%s) hears that, and that it is no refusal',
  async (how) => {
    const gate = await startGate();
    const { app, card, write } = gate;
    const writing = (await gate[how]()).callTool(write('i.txt'));
    await card('i.txt');
    await app.pass(25 * 3_600_000);
    expect(await writing).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('This is not a refusal; it may be asked for again.') }],
    });
  },
);

test('a program sees and uses only the tools that its entry names', async () => {
  const { connect, write } = await startGate({ tools: ['files.read_*'] });
  const client = await connect();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).filter((name) => !name.includes('read_'))).toEqual([
    'countersign__await',
  ]);
  expect(await client.callTool(write('j.txt'))).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('There is no tool named') }],
  });
});

test('arguments that could be neither stored nor shown are refused in words', async () => {
  const { connect, cards, write } = await startGate();
  const client = await connect();
  const deep = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`);
  const refused = { isError: true, content: [{ text: expect.stringContaining('Nothing was done.') }] };
  expect(await client.callTool({ name: 'files__write_file', arguments: { path: deep } })).toMatchObject(
    refused,
  );
  expect(await client.callTool(write('k.txt', '\ud800'))).toMatchObject(refused);
  expect(cards()).toBe(0);
});

test.each(['connect', 'connectV1', 'connectStdio'] as const)(
  'a client (%s) hears that the tools behind the gate have changed, and a restart of the gate waits for no listener',
  async (how) => {
    const gate = await startGate({ tools: ['growing.*'] });
    let changes = 0;
    const onChanged = () => {
      changes += 1;
    };
    const client = await gate[how]({
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } },
    });
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names()).not.toContain('growing__grown_1');
    await client.callTool({ name: 'growing__grow', arguments: {} });
    await vi.waitFor(async () => {
      expect(changes).toBeGreaterThan(0);
      expect(await names()).toContain('growing__grown_1');
    }, 5_000);
    const begun = performance.now();
    await gate.app.restart();
    expect(performance.now() - begun).toBeLessThan(10_000);
  },
);

test('a program holds so many streams of changes, and not those of others', async () => {
  const { app } = await startGate();
  const listen = () => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const requestInit = { headers: { authorization: `Bearer ${KEY}` } };
    onTestFinished(() => client.close());
    return client
      .connect(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), { requestInit }))
      .then(() => client.listen({ toolsListChanged: true }));
  };
  const open = await Promise.all(Array.from({ length: 20 }, listen));
  await expect(listen()).rejects.toThrow();
  await open[0]?.close();
  await vi.waitFor(listen, 5_000);
});

/** One call as a client sends it that says itself what it does with its connection. */
async function callOpenly(url: string, id: number, call: object) {
  const post = (message: object) =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${KEY}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const response = await post({ id, method: 'tools/call', params: call });
  const cancel = () => post({ method: 'notifications/cancelled', params: { requestId: id } });
  return { text: response.text(), cancel };
}

test('a client that cancels and leaves its connection open has gone: an approval runs nothing by itself', async () => {
  const { app, driver, connect, card, cards, write, file } = await startGate();
  const open = await callOpenly(app.url, 7, write('cancelled.txt'));
  await card('cancelled.txt');
  await open.cancel();
  const { request_id } = /"request_id":"(?<request_id>[^"]+)"/.exec(await open.text)?.groups ?? {};
  await driver.as(PERSON).click(await card('has gone away'), 'Approve');
  await card('Approved by Ana');
  await expect(file('cancelled.txt')).rejects.toThrow('ENOENT');
  // It's a tool's, and no function that the program runs itself.
  const ended = await fetch(`${app.url}/agent/end`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ session_id: 'mcp', call_id: request_id, status: 'ok' }),
  });
  expect(ended.status).toBe(404);
  // Whoever asks for its outcome is back, as whoever makes it again is.
  const call = { name: 'countersign__await', arguments: { request_id } };
  const again = await (await connect()).callTool(call);
  expect(again).toMatchObject({ content: [{ text: expect.stringContaining('Successfully wrote') }] });
  expect(cards()).toBe(1);
});

test('of two connections that wait for one call, the one that leaves does not stop the other', async () => {
  const { driver, connect, card, write, file } = await startGate();
  const [leaving, staying] = [await connect(), await connect()];
  const left = leaving.callTool(write('two.txt'));
  const message = await card('two.txt');
  const stays = staying.callTool(write('two.txt'));
  left.catch(() => undefined);
  await delay(300);
  await leaving.close();
  await delay(300);
  expect(driver.text(driver.message(message.channel, message.ts))).not.toContain('gone away');
  await driver.as(PERSON).click(message, 'Approve');
  expect(await stays).toMatchObject({ content: [{ text: expect.stringContaining('Successfully wrote') }] });
  expect(await file('two.txt')).toBe('hello');
});

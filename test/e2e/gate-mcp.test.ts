import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startAppWithModel } from '../helpers/app.ts';

const KEY = 'a-key-of-a-program-that-asks-2718';
const CHANNEL = 'C0GENERAL1';
const PERSON = 'U0ANA00001';

/** The whole app with a folder of files behind it, and a program that may use them. */
async function startGate({ tools = ['files.*'] }: { tools?: readonly string[] } = {}) {
  const { app, driver } = await startAppWithModel({
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      programs: { env: { title: 'Builder', for: PERSON, channel: CHANNEL, tools } },
      policy: {
        rules: [
          { tools: 'files.read_*', action: 'allow' },
          { tools: 'files.list_*', action: 'allow' },
          { tools: 'files.move_*', action: 'deny', reason: 'Nothing is moved here.' },
        ],
      },
      mcpServers: {
        files: {
          command: 'node',
          args: ['node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', '$FOLDER'],
          cwd: process.cwd(),
        },
      },
    },
  });
  const url = () => new URL(`${app.url}/mcp`);
  const requestInit = { headers: { authorization: `Bearer ${KEY}` } };
  async function connect() {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(url(), { requestInit }));
    onTestFinished(() => client.close());
    return client;
  }
  async function connectV1() {
    const client = new ClientV1({ name: 'test-v1', version: '1' });
    await client.connect(new TransportV1(url(), { requestInit }));
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
  return { app, driver, connect, connectV1, card, cards, file, write };
}

test.each(['connect', 'connectV1'] as const)(
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

test('a client that went away finds its call again; approved meanwhile, it runs once it is back', async () => {
  const { driver, connect, card, cards, file, write } = await startGate();
  const client = await connect();
  const gone = new AbortController();
  const writing = client.callTool(write('e.txt'), { signal: gone.signal });
  const message = await card('e.txt');
  gone.abort();
  await expect(writing).rejects.toThrow();
  const away = await card('Builder has gone away');
  await driver.as(PERSON).click(away, 'Approve');
  await card('Approved by Ana');
  await expect(file('e.txt')).rejects.toThrow();
  const again = await (await connect()).callTool(write('e.txt'));
  expect(again).toMatchObject({ content: [{ text: expect.stringContaining('Successfully wrote') }] });
  expect(cards()).toBe(1);
  expect(message.ts).toBe(away.ts);
});

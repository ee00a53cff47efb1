import { createRequire } from 'node:module';
import { createMCPClient, type MCPClientConfig } from '@ai-sdk/mcp';
import { StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { startAppWithModel } from '../helpers/app.ts';

const KEY = 'a-key-of-a-program-that-asks-2718';
const PERSON = 'U0ANA00001';
const EVERYTHING = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);

/** The reference server behind the gate, and a client of the protocol that isn't made of its official SDK. */
async function startGate({
  holdFor = '1d',
  timeoutMs = 60_000,
}: {
  holdFor?: string;
  timeoutMs?: number;
} = {}) {
  const { app, driver } = await startAppWithModel({
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      programs: { env: { title: 'Builder', for: PERSON, channel: 'C0GENERAL1', hold_for: holdFor } },
      policy: { rules: [{ tools: 'everything.echo', action: 'allow' }] },
      mcpServers: {
        everything: { command: process.execPath, args: [EVERYTHING, 'stdio'], timeout_ms: timeoutMs },
      },
    },
  });
  const headers = { Authorization: `Bearer ${KEY}` };
  // After a restart it's at another address.
  const transports = {
    http: () => ({ type: 'http' as const, url: `${app.url}/mcp`, headers }),
    stdio: () =>
      new StdioMCPTransport({
        command: 'node',
        args: ['--conditions=countersign-source', 'src/index.ts', 'mcp'],
        env: { PATH: process.env.PATH ?? '', COUNTERSIGN_URL: app.url, COUNTERSIGN_KEY: KEY },
      }),
  } satisfies Record<string, () => MCPClientConfig['transport']>;
  async function connect(how: keyof typeof transports) {
    const client = await createMCPClient({ transport: transports[how]() });
    onTestFinished(() => client.close());
    const tools = await client.tools();
    return {
      close: () => client.close(),
      names: Object.keys(tools),
      async call(name: string, args: object) {
        const tool = tools[name];
        if (!tool) throw new Error(`there is no ${name}`);
        return resultSchema.parse(await tool.execute(args, { toolCallId: '1', messages: [], context: {} }));
      },
    };
  }
  /** The official client, of either of its lines. */
  async function connectOfficial(line: 'first' | 'second') {
    const url = new URL(`${app.url}/mcp`);
    const requestInit = { headers };
    if (line === 'first') {
      const client = new ClientV1({ name: 'test', version: '1' });
      await client.connect(new TransportV1(url, { requestInit }));
      return client;
    }
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    return client;
  }
  const card = (words: string) => driver.waitForMessage((message) => driver.text(message).includes(words));
  const cards = () => driver.calls('chat.postMessage').length;
  return { app, driver, ana: driver.as(PERSON), connect, connectOfficial, card, cards };
}

const resultSchema = z.looseObject({
  isError: z.boolean().optional(),
  structuredContent: z.looseObject({ request_id: z.string() }).optional(),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
});

test.each(['http', 'stdio'] as const)(
  'a client of its own kind lists and calls the reference server’s tools (%s): what is allowed runs, the rest waits',
  async (how) => {
    const { driver, ana, connect, card } = await startGate();
    const { names, call } = await connect(how);
    expect(names).toEqual(
      expect.arrayContaining(['everything__echo', 'everything__get-sum', 'countersign__await']),
    );
    expect(await call('everything__echo', { message: 'hello' })).toMatchObject({
      content: [{ type: 'text', text: 'Echo: hello' }],
    });
    expect(driver.calls('chat.postMessage')).toEqual([]);

    const adding = call('everything__get-sum', { a: 2, b: 3 });
    await ana.click(await card('get-sum'), 'Approve');
    expect((await adding).content[0]?.text).toContain('5');

    const refused = call('everything__get-sum', { a: 4, b: 4 });
    // The first card may still show its buttons: its program is told before.
    await ana.click(await card('A  4'), 'Reject');
    expect(await refused).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('rejected') }],
    });
  },
);

test.each(['first', 'second'] as const)(
  'the official client of the SDK’s %s line does the same with the reference server over HTTP',
  async (line) => {
    const { ana, connectOfficial, card, cards } = await startGate();
    const client = await connectOfficial(line);
    onTestFinished(() => client.close());
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['everything__echo', 'everything__get-sum']));
    expect(
      await client.callTool({ name: 'everything__echo', arguments: { message: 'hello' } }),
    ).toMatchObject({ content: [{ type: 'text', text: 'Echo: hello' }] });
    expect(cards()).toBe(0);
    const adding = client.callTool({ name: 'everything__get-sum', arguments: { a: 2, b: 3 } });
    await ana.click(await card('get-sum'), 'Approve');
    expect(await adding).toMatchObject({ content: [{ text: expect.stringContaining('5') }] });
  },
);

test('what somebody changed is told to a client of its own kind with the result of that', async () => {
  const { ana, connect, card } = await startGate();
  const adding = (await connect('http')).call('everything__get-sum', { a: 2, b: 3 });
  await ana.click(await card('get-sum'), 'Edit');
  await ana.waitForModal();
  ana.fill({ B: '40' });
  await ana.submit();
  const [sum, told] = (await adding).content;
  expect(sum?.text).toContain('42');
  expect(told?.text).toContain('Ana changed the arguments before it ran; it ran with {"a":2,"b":40}');
});

test('a client of its own kind hears that nobody decided in time, and that it is no refusal', async () => {
  const { app, connect, card } = await startGate();
  const adding = (await connect('http')).call('everything__get-sum', { a: 2, b: 3 });
  await card('get-sum');
  await app.pass(25 * 3_600_000);
  expect(await adding).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('This is not a refusal; it may be asked for again.') }],
  });
});

test('a client of its own kind that went away is back, and has its call', async () => {
  const { ana, connect, card, cards } = await startGate();
  const sum = { a: 2, b: 3 };
  const leaving = await connect('http');
  const left = expect(leaving.call('everything__get-sum', sum)).rejects.toThrow();
  await card('get-sum');
  await leaving.close();
  await left;
  await ana.click(await card('Builder has gone away'), 'Approve');
  await card('Approved by Ana');
  expect((await (await connect('http')).call('everything__get-sum', sum)).content[0]?.text).toContain('5');
  expect(cards()).toBe(1);
});

test('a client of its own kind is told over a restart of the gate that its call is pending, and finds it', async () => {
  const { app, ana, connect, card, cards } = await startGate();
  const sum = { a: 2, b: 3 };
  const adding = (await connect('http')).call('everything__get-sum', sum);
  const waiting = await card('get-sum');
  await app.restart();
  expect((await adding).structuredContent).toMatchObject({ status: 'pending' });
  const again = (await connect('http')).call('everything__get-sum', sum);
  await ana.click(waiting, 'Approve');
  expect((await again).content[0]?.text).toContain('5');
  expect(cards()).toBe(1);
});

test('a form that the server asks for goes to the person in Slack, and the client gets what came of it', async () => {
  const { ana, connect, card } = await startGate();
  const { call } = await connect('http');
  const asking = call('everything__trigger-elicitation-request', {});
  await ana.click(await card('[Approve]'), 'Approve');
  await ana.click(await card('[Fill in…]'), 'Fill in…');
  await ana.waitForModal();
  await ana.submit({ String: 'Ana', Integer: '7', 'String with email format': 'ana@example.com' });
  expect(JSON.stringify((await asking).content)).toContain('ana@example.com');
});

test('waiting for people, before a call and in it, uses none of the time that its tool has', async () => {
  const { ana, connect, card } = await startGate({ holdFor: '1s', timeoutMs: 1_000 });
  const { call } = await connect('http');
  const pending = await call('everything__trigger-elicitation-request', {});
  const outcome = () => call('countersign__await', { request_id: pending.structuredContent?.request_id });
  await ana.click(await card('[Approve]'), 'Approve');
  const form = await card('[Fill in…]');
  // It's answered once it was held for as long as the tool may take.
  expect((await outcome()).content[0]?.text).toContain('Pending');
  await ana.click(form, 'Fill in…');
  await ana.waitForModal();
  await ana.submit({ String: 'Ana', Integer: '7', 'String with email format': 'ana@example.com' });
  await expect
    .poll(async () => JSON.stringify((await outcome()).content), { timeout: 20_000 })
    .toContain('ana@example.com');
});

import { createRequire } from 'node:module';
import { createMCPClient, type MCPClientConfig } from '@ai-sdk/mcp';
import { StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
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
  const env = { PATH: process.env.PATH ?? '', COUNTERSIGN_URL: app.url, COUNTERSIGN_KEY: KEY };
  const transports = {
    http: { type: 'http', url: `${app.url}/mcp`, headers: { Authorization: `Bearer ${KEY}` } },
    stdio: new StdioMCPTransport({
      command: 'node',
      args: ['--conditions=countersign-source', 'src/index.ts', 'mcp'],
      env,
    }),
  } satisfies Record<string, MCPClientConfig['transport']>;
  async function connect(how: keyof typeof transports) {
    const client = await createMCPClient({ transport: transports[how] });
    onTestFinished(() => client.close());
    const tools = await client.tools();
    return {
      names: Object.keys(tools),
      async call(name: string, args: object) {
        const tool = tools[name];
        if (!tool) throw new Error(`there is no ${name}`);
        return resultSchema.parse(await tool.execute(args, { toolCallId: '1', messages: [], context: {} }));
      },
    };
  }
  const card = (words: string) => driver.waitForMessage((message) => driver.text(message).includes(words));
  return { driver, ana: driver.as(PERSON), connect, card };
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

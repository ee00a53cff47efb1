import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createMCPClient, type MCPClientConfig } from '@ai-sdk/mcp';
import { StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { startTestApp } from '../helpers/app.ts';
import { CHANNEL, KEY, PERSON } from '../helpers/mcp-gate.ts';
import { ON_REDIS } from '../helpers/storage.ts';

interface Tool {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

const resultSchema = z.looseObject({
  isError: z.boolean().optional(),
  structuredContent: z.looseObject({}).optional(),
  content: z.array(z.looseObject({ text: z.string().optional() })),
});
type Result = z.infer<typeof resultSchema>;

/** What the tests need of a client of the protocol. */
interface McpClient {
  names(): Promise<readonly string[]>;
  call(tool: Tool): Promise<Result>;
  close(): Promise<void>;
}

type Gate = Awaited<ReturnType<typeof startGate>>;

/** One gate for all clients, with both reference servers behind it. */
async function startGate() {
  const resolve = createRequire(import.meta.url).resolve;
  const server = (name: string, ...args: string[]) => ({
    command: process.execPath,
    args: [resolve(`@modelcontextprotocol/${name}/dist/index.js`), ...args],
  });
  const app = await startTestApp({
    modelUrl: null,
    // Its address stays the same over a restart.
    web: true,
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      programs: { env: { title: 'Builder', for: PERSON, channel: CHANNEL } },
      policy: { rules: [{ tools: ['everything.echo', 'files.list_directory'], action: 'allow' }] },
      mcpServers: {
        everything: server('server-everything', 'stdio'),
        files: server('server-filesystem', '$FOLDER'),
      },
    },
  });
  const bridge = {
    command: 'node',
    args: ['--conditions=countersign-source', 'src/index.ts', 'mcp'],
    env: { PATH: process.env.PATH ?? '', COUNTERSIGN_URL: app.url, COUNTERSIGN_KEY: KEY },
  };
  const { driver } = app;
  const cardsWith = (words: string) =>
    driver.messages(CHANNEL).filter((message) => driver.text(message).includes(words));
  return {
    app,
    url: new URL(`${app.url}/mcp`),
    headers: { authorization: `Bearer ${KEY}` },
    bridge,
    ana: driver.as(PERSON),
    /** The card of the call with these words on it, once it also says `state`. */
    card: (words: string, state = '') =>
      driver.waitForMessage((message) => [words, state].every((part) => driver.text(message).includes(part))),
    cardsWith,
  };
}

async function official({ url, headers, bridge }: Gate, how: 'HTTP' | 'stdio'): Promise<McpClient> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(
    how === 'HTTP'
      ? new StreamableHTTPClientTransport(url, { requestInit: { headers } })
      : new StdioClientTransport(bridge),
  );
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (tool) => resultSchema.parse(await client.callTool(tool)),
    close: () => client.close(),
  };
}

async function officialV1({ url, headers }: Gate): Promise<McpClient> {
  const client = new ClientV1({ name: 'test', version: '1' });
  await client.connect(new TransportV1(url, { requestInit: { headers } }));
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (tool) => resultSchema.parse(await client.callTool(tool)),
    close: () => client.close(),
  };
}

/** It isn't made of the official SDK. */
async function aiSdk({ url, headers, bridge }: Gate, how: 'HTTP' | 'stdio'): Promise<McpClient> {
  const transport: MCPClientConfig['transport'] =
    how === 'HTTP' ? { type: 'http', url: url.href, headers } : new StdioMCPTransport(bridge);
  const client = await createMCPClient({ transport });
  return {
    names: async () => Object.keys(await client.tools()),
    async call({ name, arguments: args }) {
      const tool = (await client.tools())[name];
      if (!tool) throw new Error(`there is no ${name}`);
      return resultSchema.parse(await tool.execute(args, { toolCallId: '1', messages: [], context: {} }));
    },
    close: () => client.close(),
  };
}

/** What is called on each server: something that reads, which the policy allows, and something that waits. */
interface Scene {
  readonly read: Tool;
  readonly readSays: string;
  readonly write: Tool;
  /** What the card of that call has on it, and no other card. */
  readonly words: string;
  readonly done: string;
  /** What Ana puts in a field of the form, and what then comes of it. */
  readonly edit: { readonly fields: Record<string, string>; readonly ranWith: object; readonly done: string };
  /** What the call has changed: null while it didn't run. Absent where nobody can look. */
  readonly changed?: () => Promise<string | null>;
}

const SERVERS: Record<string, (gate: Gate, number: number) => Scene> = {
  'server-everything': (_gate, number) => ({
    read: { name: 'everything__echo', arguments: { message: 'hello' } },
    readSays: 'Echo: hello',
    write: { name: 'everything__get-sum', arguments: { a: number, b: 1 } },
    words: `A  ${number}`,
    done: `${number + 1}`,
    edit: { fields: { B: '40' }, ranWith: { a: number, b: 40 }, done: `${number + 40}` },
  }),
  'server-filesystem': ({ app }, number) => {
    const path = join(app.folder, `${number}.txt`);
    const write = { path, content: 'hello' };
    return {
      read: { name: 'files__list_directory', arguments: { path: app.folder } },
      readSays: '[DIR] data',
      write: { name: 'files__write_file', arguments: write },
      words: `${number}.txt`,
      done: 'Successfully wrote',
      edit: {
        fields: { Content: 'changed' },
        ranWith: { ...write, content: 'changed' },
        done: 'Successfully wrote',
      },
      changed: () => readFile(path, 'utf8').catch(() => null),
    };
  },
};

/** Over stdio, a client starts `countersign mcp` in a process of its own. */
type Way = 'HTTP' | 'stdio';

/** Which clients there are, and how each connects. Nothing is left out of what they do with both servers. */
const CLIENTS: readonly { name: string; way: Way; connect: (gate: Gate, way: Way) => Promise<McpClient> }[] =
  [
    { name: 'the official SDK’s client', way: 'HTTP', connect: official },
    { name: 'the official SDK’s client', way: 'stdio', connect: official },
    // Over stdio, `gate-mcp-stdio.test.ts` has it.
    { name: 'the official SDK’s client of the first line', way: 'HTTP', connect: officialV1 },
    { name: 'the AI SDK’s client', way: 'HTTP', connect: aiSdk },
    { name: 'the AI SDK’s client', way: 'stdio', connect: aiSdk },
  ];

/** A client makes no difference to the storage, so that there one of them does. */
const rows = CLIENTS.slice(0, ON_REDIS ? 1 : undefined).flatMap((client) =>
  Object.entries(SERVERS)
    .slice(ON_REDIS ? 1 : 0)
    .map(([server, toScene]) => ({ ...client, server, toScene })),
);

let gate: Gate;
let open: { readonly row: string; readonly client: McpClient } | null = null;
/** Of the call that waits: no two tests have the same one, nor one that is part of another. */
let number = 1_000;

beforeAll(async () => {
  gate = await startGate();
}, 120_000);
afterAll(async () => {
  await close();
  await gate.app.stopApp();
  await gate.app.remove();
});

async function close(): Promise<void> {
  await open?.client.close();
  open = null;
}

describe.each(rows)('$name over $way with $server', ({ name, way, connect, toScene }) => {
  /** The same client as the test before, unless it has gone. */
  async function start() {
    number += 1;
    return { ...gate, ...toScene(gate, number), client: await connected() };
  }

  async function connected(): Promise<McpClient> {
    const row = `${name} ${way}`;
    if (open?.row === row) return open.client;
    await close();
    open = { row, client: await connect(gate, way) };
    return open.client;
  }

  test('lists its tools, and that of ours', async () => {
    const { client, read, write } = await start();
    expect(await client.names()).toEqual(
      expect.arrayContaining([read.name, write.name, 'countersign__await']),
    );
  });

  test('reads at once', async () => {
    const { client, read, readSays, app } = await start();
    const before = app.driver.calls('chat.postMessage').length;
    const result = await client.call(read);
    expect(result.isError).toBeFalsy();
    expect(result.content[0]?.text).toContain(readSays);
    expect(app.driver.calls('chat.postMessage').length).toBe(before);
  });

  test('writes once that is approved', async () => {
    const { client, ana, card, write, words, done, changed } = await start();
    const writing = client.call(write);
    const waiting = await card(words, 'Requested by Builder for');
    expect(await changed?.()).toBeFalsy();
    await ana.click(waiting, 'Approve');
    const result = await writing;
    expect(result.isError).toBeFalsy();
    expect(result.content[0]?.text).toContain(done);
    if (changed) expect(await changed()).toBe('hello');
  });

  test('is told what was changed before it was approved, with the result of that', async () => {
    const { client, ana, card, write, words, edit, changed } = await start();
    const writing = client.call(write);
    await ana.click(await card(words), 'Edit');
    await ana.waitForModal();
    ana.fill(edit.fields);
    await ana.submit();
    const { content } = await writing;
    expect(content[0]?.text).toContain(edit.done);
    const ranWith = JSON.stringify(edit.ranWith);
    expect(content[1]?.text).toContain(`Ana changed the arguments before it ran; it ran with ${ranWith}`);
    if (changed) expect(await changed()).toBe('changed');
  });

  test('hears who rejected it, as an error', async () => {
    const { client, ana, card, write, words, changed } = await start();
    const writing = client.call(write);
    await ana.click(await card(words), 'Reject');
    const result = await writing;
    expect(result.isError).toBe(true);
    expect(result.content[0]?.text).toContain('Ana rejected this');
    expect(await changed?.()).toBeFalsy();
  });

  test('hears that nobody decided in time, and that it is no refusal', async () => {
    const { client, app, card, write, words, changed } = await start();
    const writing = client.call(write);
    await card(words);
    await app.pass(25 * 3_600_000);
    const result = await writing;
    expect(result.isError).toBe(true);
    expect(result.content[0]?.text).toContain('This is not a refusal; it may be asked for again.');
    expect(await changed?.()).toBeFalsy();
  });

  test('goes away and is back: what was approved meanwhile runs then, once', async () => {
    const { client, ana, card, cardsWith, write, words, done, changed } = await start();
    const left = expect(client.call(write)).rejects.toThrow();
    await card(words);
    await close();
    await left;
    await ana.click(await card(words, 'Builder has gone away'), 'Approve');
    await card(words, 'Approved by Ana');
    expect(await changed?.()).toBeFalsy();
    const result = await (await connected()).call(write);
    expect(result.content[0]?.text).toContain(done);
    if (changed) expect(await changed()).toBe('hello');
    expect(cardsWith(words)).toHaveLength(1);
  });

  test('hears over a restart of the gate that its call is pending, and finds what became of it, once', async () => {
    const { client, app, ana, card, cardsWith, write, words, done, changed } = await start();
    const writing = client.call(write);
    const waiting = await card(words);
    await app.restart();
    expect((await writing).structuredContent).toMatchObject({ status: 'pending' });
    await ana.click(waiting, 'Approve');
    // It runs, whether or not anybody asks.
    await card(words, done);
    if (changed) expect(await changed()).toBe('hello');
    // Over stdio, the gate may be found again a moment later.
    const content = await vi.waitFor(async () => {
      const result = await client.call(write);
      expect(result.isError).toBeFalsy();
      return result.content;
    }, 20_000);
    expect(content[0]?.text).toContain(done);
    expect(content[1]?.text).toMatch(/^Nothing ran now\./);
    expect(cardsWith(words)).toHaveLength(1);
  });
});

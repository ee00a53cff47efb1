import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  Client as ClientV1,
  type ClientOptions as ClientV1Options,
} from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { onTestFinished } from 'vitest';
import { startAppWithModel } from './app.ts';

/** The key of the program. */
export const KEY = 'a-key-of-a-program-that-asks-2718';
/** Where its cards go. */
export const CHANNEL = 'C0GENERAL1';
/** Who answers for it. */
export const PERSON = 'U0ANA00001';

/** The whole app with a folder of files behind it, and a program that may use them. */
export async function startMcpGate({
  tools = ['files.*'],
  holdFor = '1d',
  servers = {},
  settings = {},
}: {
  tools?: readonly string[];
  holdFor?: string;
  /** More of them; what they offer is allowed. */
  servers?: Readonly<Record<string, object>>;
  /** More of `countersign.yaml`. */
  settings?: Readonly<Record<string, unknown>>;
} = {}) {
  const { app, driver } = await startAppWithModel({
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      ...settings,
      programs: { env: { title: 'Builder', for: PERSON, channel: CHANNEL, tools, hold_for: holdFor } },
      policy: {
        rules: [
          { tools: 'files.read_*', action: 'allow' },
          { tools: 'files.list_*', action: 'allow' },
          { tools: ['growing', ...Object.keys(servers)].map((name) => `${name}.*`), action: 'allow' },
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
        ...servers,
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

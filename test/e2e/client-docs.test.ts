import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { fileSchema } from '../../src/config/file.ts';
import { scopeSchema } from '../../src/http/caller.ts';
import { jobStateSchema } from '../../src/http/threads/schemas/jobs.ts';
import { startAppWithModel } from '../helpers/app.ts';
import { countersign } from '../helpers/command.ts';
import { docBlocks } from '../helpers/doc-blocks.ts';
import { ROOT } from '../helpers/sources.ts';

const PAGES = { clients: docBlocks('docs/clients.md'), api: docBlocks('docs/api.md') };
const KEY = 'a-key-of-a-program-that-asks-2718';
const ADDRESS = 'http://127.0.0.1:3000';

/** What a page shows below a heading, in this language. */
function shown(page: keyof typeof PAGES, heading: string, language: string, nth = 0): string {
  const found = PAGES[page].filter((block) => block.heading === heading && block.language === language)[nth];
  if (!found) throw new Error(`docs/${page}.md shows no ${language} below “${heading}”`);
  return found.text;
}

/** What a shell makes of a command that is not on this machine. */
async function wordsOf(command: string): Promise<string[]> {
  const [name = ''] = command.split(' ');
  const { stdout } = await bash(`${name}() { printf '%s\\n' "$@"; }\n${command}`);
  return stdout.trim().split('\n');
}

const run = promisify(execFile);
const bash = (script: string, env: Readonly<Record<string, string>> = {}) =>
  run('bash', ['-euc', script], { env: { ...process.env, ...env } });

/** The app as docs/clients.md configures it, in the local workspace, and the key that it has made. */
async function startAsShown() {
  const entry = shown('clients', 'In five minutes', 'yaml')
    .replace('U012AB3CD', 'U0ANA00001')
    .replace('C012AB3CD', 'C0GENERAL1');
  const others = { env: { title: 'Others', for: 'U0ANA00001', channel: 'C0GENERAL1' } };
  const { programs } = z.object({ programs: z.record(z.string(), z.unknown()) }).parse(parse(entry));
  const { app, driver, model } = await startAppWithModel({
    env: { COUNTERSIGN_API_KEY: KEY },
    file: { programs: { ...programs, ...others }, mcpServers: { calendar: { in_process: 'calendar' } } },
  });
  return {
    app,
    driver,
    model,
    /** Runs `npx countersign …` as it is shown, and returns the key that it prints. */
    async makeKey(command: string): Promise<string> {
      const [name, ...args] = await wordsOf(command);
      expect(name).toBe('countersign');
      const { code, stdout } = await countersign(app.folder, args, { DATA_DIR: app.dataDir });
      expect(code).toBe(0);
      return /cs_\S+/.exec(stdout)?.[0] ?? '';
    },
    /** Connects with what a page shows, and lists the tools. */
    async listWith({ url, authorization }: { url: string; authorization: string }): Promise<string[]> {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
      const requestInit = { headers: { authorization } };
      const at = new URL(url.replace(ADDRESS, app.url));
      await client.connect(new StreamableHTTPClientTransport(at, { requestInit }));
      onTestFinished(() => client.close());
      return (await client.listTools()).tools.map(({ name }) => name);
    },
    /** Runs a request as it is shown. */
    ask: async (command: string): Promise<unknown> =>
      JSON.parse((await bash(command.replace(ADDRESS, app.url), { KEY })).stdout),
  };
}

const serverSchema = z.looseObject({
  url: z.string(),
  headers: z.object({ Authorization: z.string() }),
});
const cursorSchema = z.strictObject({ mcpServers: z.strictObject({ countersign: serverSchema.strict() }) });
/** @see https://code.visualstudio.com/docs/copilot/reference/mcp-configuration */
const vscodeSchema = z.strictObject({
  inputs: z.tuple([z.object({ type: z.literal('promptString'), id: z.string(), password: z.literal(true) })]),
  servers: z.strictObject({ countersign: serverSchema.extend({ type: z.literal('http') }) }),
});
const startedSchema = z.strictObject({
  mcpServers: z.strictObject({
    countersign: z.strictObject({
      command: z.literal('npx'),
      args: z.array(z.string()),
      env: z.record(z.string(), z.string()),
    }),
  }),
});

describe('docs/clients.md', () => {
  it('has only blocks that one of these tests opens', () => {
    const kinds = PAGES.clients.map(({ heading, language }) => `${heading}: ${language}`);
    expect(kinds).toEqual([
      'In five minutes: bash',
      'In five minutes: yaml',
      'Claude Code: bash',
      'Cursor: json',
      'VS Code: json',
      'LangGraph: ts',
      'Clients that only start processes: json',
      'As yourself: yaml',
      'As yourself: bash',
      ...['bash', 'json', 'bash', 'json'].map((it) => `Functions that a program runs itself: ${it}`),
    ]);
  });

  it('has a key, an entry and settings for each client with which the tools are listed', async () => {
    const { app, makeKey, listWith } = await startAsShown();
    const key = await makeKey(shown('clients', 'In five minutes', 'bash'));
    const withKey = (text: string) => text.replace('cs_…', key);
    const expected = expect.arrayContaining(['calendar__create_event', 'countersign__await']);

    const words = await wordsOf(withKey(shown('clients', 'Claude Code', 'bash')));
    const [, , , transport, name, url = '', , header = ''] = words;
    expect([words.slice(0, 3), transport, name]).toEqual([
      ['mcp', 'add', '--transport'],
      'http',
      'countersign',
    ]);
    expect(words[6]).toBe('--header');
    expect(await listWith({ url, authorization: header.replace('Authorization: ', '') })).toEqual(expected);

    const cursor = cursorSchema.parse(JSON.parse(withKey(shown('clients', 'Cursor', 'json'))));
    const { url: at, headers } = cursor.mcpServers.countersign;
    expect(await listWith({ url: at, authorization: headers.Authorization })).toEqual(expected);

    const { inputs, servers } = vscodeSchema.parse(JSON.parse(shown('clients', 'VS Code', 'json')));
    const asked = `\${input:${inputs[0].id}}`;
    const authorization = servers.countersign.headers.Authorization.replace(asked, key);
    expect(await listWith({ url: servers.countersign.url, authorization })).toEqual(expected);

    const text = withKey(shown('clients', 'Clients that only start processes', 'json'));
    const { args, env } = startedSchema.parse(JSON.parse(text.replace(ADDRESS, app.url))).mcpServers
      .countersign;
    const [program, ...rest] = args;
    expect(program).toBe('countersign');
    const client = new ClientV1({ name: 'test', version: '1' });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [join(ROOT, 'bin/countersign.js'), ...rest],
        env: { PATH: process.env.PATH ?? '', ...env },
      }),
    );
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(expected);
  });

  it('has lines for LangGraph that are in the example, which tests run', () => {
    const example = readFileSync(join(ROOT, 'examples/langgraph-app/app.ts'), 'utf8').split('\n');
    const lines = shown('clients', 'LangGraph', 'ts').trim().split('\n');
    expect(example.map((line) => line.trim())).toEqual(expect.arrayContaining(lines));
  });

  it('has settings and a command for people’s own programs', async () => {
    const settings = fileSchema.parse(parse(shown('clients', 'As yourself', 'yaml')));
    expect(settings.personal_programs).not.toBeNull();
    expect(await wordsOf(shown('clients', 'As yourself', 'bash'))).toEqual(
      expect.arrayContaining(['--transport', 'http', expect.stringMatching(/^https:.*\/mcp$/)]),
    );
  });

  it('has requests that ask before a function and report after it, and their answers', async () => {
    const { driver, ask } = await startAsShown();
    const block = (language: string, nth: number) =>
      shown('clients', 'Functions that a program runs itself', language, nth);
    const asking = ask(block('bash', 0));
    const isOpen = (text: string) => text.includes('version 7 to production') && text.includes('[Approve]');
    const card = await driver.waitForMessage((message) => isOpen(driver.text(message)));
    await driver.as('U0ANA00001').click(card, 'Approve');
    const answer = z.record(z.string(), z.unknown()).parse(await asking);
    const told = z.record(z.string(), z.unknown()).parse(JSON.parse(block('json', 0)));
    expect(Object.keys(answer)).toEqual(Object.keys(told));
    const { session_id, call_id, receipt } = answer;
    expect(answer).toEqual({ ...told, session_id, call_id, receipt });
    const report = block('bash', 1).replace('"s-1"', `"${session_id}"`).replace('"c-1"', `"${call_id}"`);
    expect(await ask(report)).toEqual(JSON.parse(block('json', 1)));
  });
});

describe('docs/api.md', () => {
  const page = readFileSync(join(ROOT, 'docs/api.md'), 'utf8');

  it('has commands that make a key, talk with the agent and read the records', async () => {
    const { app, makeKey, ask, model } = await startAsShown();
    expect(PAGES.api.map(({ heading, language }) => `${heading}: ${language}`)).toEqual([
      'Keys: bash',
      'Conversations: bash',
      'Conversations: json',
      'The team: bash',
      'Records: bash',
      // The notebook of a conversation that this one doesn't have.
      'Records: bash',
      'Documents: bash',
      'Limits: bash',
      'Limits: bash',
      'Limits: bash',
    ]);
    expect(jobStateSchema.parse(JSON.parse(shown('api', 'Conversations', 'json')))).toMatchObject({
      error: null,
    });
    expect(await makeKey(shown('api', 'Keys', 'bash'))).toMatch(/^cs_/);
    const asking = ask(shown('api', 'Conversations', 'bash'));
    await model.says('It is on Friday.');
    expect(await asking).toMatchObject({ status: 'success', response: 'It is on Friday.' });
    expect(await ask(shown('api', 'Records', 'bash'))).toMatchObject({ next_cursor: null });
    expect(await ask(shown('api', 'Limits', 'bash'))).toMatchObject({ limits: [] });
    // It's understood, and no key has a limit here.
    const error = { code: 'not_found' };
    expect(await ask(shown('api', 'Limits', 'bash', 1))).toMatchObject({ error });
    expect(await ask(shown('api', 'Limits', 'bash', 2))).toMatchObject({ error });
    // Nor are documents learned here.
    const documents = shown('api', 'Documents', 'bash').split(/\n(?=curl)/);
    for (const name of ['travel.pdf', 'notes.md']) writeFileSync(join(app.folder, name), 'text');
    for (const command of documents)
      expect(await ask(`cd '${app.folder}' && ${command}`)).toMatchObject({
        error: { code: 'no_documents' },
      });
    // Nor is there a team.
    expect(await ask(shown('api', 'The team', 'bash'))).toMatchObject({
      error: { code: expect.any(String) },
    });
  });

  it('lists the scopes, and the routes of records with filters that they have', async () => {
    const { app } = await startAsShown();
    for (const scope of scopeSchema.options) expect(page).toContain(`| \`${scope}\``);
    const headers = { authorization: `Bearer ${KEY}` };
    const description = await fetch(`${app.url}/openapi.json`, { headers });
    const { paths } = openApiSchema.parse(await description.json());
    const rows = [...page.matchAll(/^\| `GET (\/api\/\S+)` +\|(.*)\|$/gm)];
    expect(rows.length).toBeGreaterThan(4);
    for (const [, path = '', filters = ''] of rows) {
      const has = paths[path]?.get?.parameters?.map(({ name }) => name);
      const named = [...filters.replaceAll(/\(.*?\)/g, '').matchAll(/`(\w+)`/g)].map(([, name]) => name);
      expect(has, path).toEqual(expect.arrayContaining(named));
    }
  });
});

const openApiSchema = z.object({
  paths: z.record(
    z.string(),
    z.looseObject({
      get: z.looseObject({ parameters: z.array(z.looseObject({ name: z.string() })).default([]) }).optional(),
    }),
  ),
});

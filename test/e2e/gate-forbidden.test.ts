import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Message } from '@countersign/slack-emulator';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createApiKeys } from '../../src/http/api/keys.ts';
import { startAppWithModel } from '../helpers/app.ts';
import { countersign } from '../helpers/command.ts';

const PERSON = 'U0ANA00001';
const REVOKED = 'The key of Builder was revoked, so its calls do not run any more.';
const OTHER_KEY = 'a-key-of-a-program-that-asks-2718';
const BUILDER = { title: 'Builder', for: PERSON, channel: 'C0GENERAL1' };

/** The whole app with a folder of files behind it, and a program with a key of its own that may use them. */
async function startGate() {
  const { app, driver } = await startAppWithModel({
    env: { COUNTERSIGN_API_KEY: OTHER_KEY },
    file: {
      programs: { builder: BUILDER, env: { for: PERSON } },
      mcpServers: {
        files: {
          command: 'node',
          args: ['node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', '$FOLDER'],
          cwd: process.cwd(),
        },
      },
    },
  });
  const key = await app.inStore((store) =>
    createApiKeys({
      store,
      clock: Date.now,
      secrets: () => 'a-secret-of-a-test',
      environmentKey: null,
    }).create('builder', ['agent']),
  );
  const authorization = `Bearer ${key}`;
  async function connect() {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const requestInit = { headers: { authorization } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), { requestInit }));
    onTestFinished(() => client.close());
    return client;
  }
  /** A stream of changes as clients of the newest revision open it. */
  async function listen() {
    let isOver = false;
    const stream = await (await connect()).listen({ toolsListChanged: true });
    void stream.closed.then(() => {
      isOver = true;
    });
    return { isOver: () => isOver };
  }
  /** A stream of changes as clients of the 2025 revisions open it. */
  async function get(authorizedBy = authorization) {
    let isOver = false;
    const headers = { authorization: authorizedBy, accept: 'text/event-stream' };
    const reader = (await fetch(`${app.url}/mcp`, { headers })).body?.getReader();
    onTestFinished(() => void reader?.cancel());
    const read = async () => {
      for (let isDone: boolean | undefined = false; isDone === false; ) isDone = (await reader?.read())?.done;
      isOver = true;
    };
    void read();
    return { isOver: () => isOver };
  }
  async function begin(body: object): Promise<unknown> {
    const headers = { authorization, 'content-type': 'application/json' };
    const response = await fetch(`${app.url}/agent/begin`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return response.json();
  }
  const card = (words: string) => driver.waitForMessage((message) => driver.text(message).includes(words));
  const write = (name: string) => ({
    name: 'files__write_file',
    arguments: { path: join(app.folder, name), content: 'hello' },
  });
  return {
    app,
    driver,
    connect,
    listen,
    get,
    begin,
    card,
    write,
    async revoke() {
      const ended = await countersign(app.folder, ['keys', 'revoke', 'builder'], { DATA_DIR: app.dataDir });
      expect(ended.code).toBe(0);
    },
    /** Clicks on what the card had when it waited, and waits for the words that only who clicks sees. */
    async clickInVain(shown: Message, button: string) {
      const person = driver.as(PERSON);
      const before = person.ephemerals().length;
      await person.clickStale(shown, button);
      await vi.waitFor(() => expect(person.ephemerals().length).toBeGreaterThan(before), 10_000);
    },
    async expectClosed({ channel, ts }: Message, why: string) {
      await vi.waitFor(() => {
        const text = driver.text(driver.message(channel, ts));
        expect(text).toContain(why);
        expect(text).not.toMatch(/\[(Approve|Reject|Edit|Feedback)\]/);
      }, 10_000);
    },
    async expectNothingWritten(name: string) {
      await expect(readFile(join(app.folder, name), 'utf8')).rejects.toThrow('ENOENT');
    },
  };
}

test('a key that is revoked while its call waits: an approval runs nothing, the card closes, and the program is told', async () => {
  const gate = await startGate();
  const writing = (await gate.connect()).callTool(gate.write('a.txt'));
  const shown = await gate.card('a.txt');
  await gate.revoke();
  // At once, before anybody has looked which keys were revoked, or just after.
  await gate.clickInVain(shown, 'Approve');
  await gate.expectClosed(shown, REVOKED);
  await gate.clickInVain(shown, 'Approve');
  expect(await writing).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('its key was revoked') }],
  });
  await gate.expectNothingWritten('a.txt');
});

test.each(['connect', 'get'] as const)(
  'a stream of changes (%s) that a revoked key has open ends by itself, and that of another goes on',
  async (how) => {
    const gate = await startGate();
    const listen = how === 'connect' ? gate.listen : gate.get;
    const ended = await listen();
    const others = await gate.get(`Bearer ${OTHER_KEY}`);
    expect(ended.isOver()).toBe(false);
    await gate.revoke();
    await vi.waitFor(() => expect(ended.isOver()).toBe(true), 5_000);
    expect(others.isOver()).toBe(false);
  },
);

test('a function whose program loses its key while it waits may not run, and the program is told why', async () => {
  const gate = await startGate();
  const asked = gate.begin({ name: 'deploy', args_summary: 'v2', timeout_s: 60 });
  const shown = await gate.card('agent_deploy');
  await gate.revoke();
  expect(await asked).toMatchObject({ approved: false, error: REVOKED });
  await gate.expectClosed(shown, REVOKED);
  await gate.clickInVain(shown, 'Approve');
});

test.each([
  [
    'the policy denies it',
    { policy: { rules: [{ tools: 'files.write_*', action: 'deny', reason: 'No writing.' }] } },
    'No writing.',
  ],
  [
    'the entry of its program no longer names it',
    { programs: { builder: { ...BUILDER, tools: ['files.read_*'] } } },
    'no longer names this tool',
  ],
  ['its program has no entry any more', { programs: {} }, 'has no entry for Builder any more'],
] as const)(
  'a call that waits over a restart after which %s stays blocked, whatever anyone clicks',
  async (_, changes, why) => {
    const gate = await startGate();
    const writing = (await gate.connect()).callTool(gate.write('b.txt'));
    const shown = await gate.card('b.txt');
    await gate.app.restart(changes);
    await writing.catch(() => undefined);
    await gate.expectClosed(shown, why);
    for (const button of ['Approve', 'Reject', 'Approve']) await gate.clickInVain(shown, button);
    await gate.expectClosed(shown, why);
    await gate.expectNothingWritten('b.txt');
  },
);

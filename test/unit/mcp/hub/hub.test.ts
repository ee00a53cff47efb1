import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { McpServer, type RegisteredTool } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { callOptions, fixture, freePort, testHub } from '../../../fixtures/mcp/harness.ts';

function offering(...names: string[]) {
  const server = new McpServer({ name: 'offering', version: '1.0.0' });
  const tools = names.map((name) => register(server, name));
  return { server, tools };
}

function register(server: McpServer, name: string): RegisteredTool {
  return server.registerTool(name, { inputSchema: z.object({}) }, () => ({
    content: [{ type: 'text', text: name }],
  }));
}

test('one on demand is idle from the start, and is made when it is woken, once', async () => {
  let made = 0;
  const create = () => {
    made += 1;
    return offering('read').server;
  };
  const options = { inProcess: new Map([['late', create]]), onDemand: ['late'] };
  const { hub } = testHub({ it: { in_process: 'late' } }, options);
  await hub.start();
  await hub.reconnect();
  expect(made).toBe(0);
  expect(hub.status()).toMatchObject([{ name: 'it', state: 'idle', toolCount: 0 }]);
  expect(await hub.tools()).toEqual([]);
  await Promise.all([hub.wake(), hub.wake()]);
  await hub.wake();
  expect(made).toBe(1);
  expect(hub.status()).toMatchObject([{ name: 'it', state: 'up', toolCount: 1 }]);
});

test('servers that fail are down with a reason, and the others work', async () => {
  const port = await freePort();
  const inProcess = new Map([['good', () => offering('read').server]]);
  const { hub } = testHub(
    {
      good: { in_process: 'good' },
      missing: { command: '/does/not/exist' },
      unknown: { in_process: 'other' },
      refusing: { url: `http://127.0.0.1:${port}/mcp` },
      ends: { command: process.execPath, args: ['-e', ''] },
      speaks: {
        command: process.execPath,
        args: ['-e', 'console.error("ENOENT /nope " + process.env.TOKEN); process.exit(1)'],
        env: { TOKEN: 'very-secret' },
      },
      off: { command: '/does/not/exist', disabled: true },
    },
    { inProcess },
  );
  await hub.start();
  expect((await hub.tools()).map((tool) => tool.modelName)).toEqual(['good__read']);
  expect(hub.status().map((status) => [status.name, status.state, status.error])).toEqual([
    ['good', 'up', null],
    ['missing', 'down', 'The program /does/not/exist does not exist. Install it, or correct command.'],
    ['unknown', 'down', 'No server called other comes with this program. There are: good.'],
    [
      'refusing',
      'down',
      `Nothing answers at 127.0.0.1:${port} (connection refused). Start it, or check its url.`,
    ],
    ['ends', 'down', 'It exited while connecting (exit code 0). Run its command by hand to see why.'],
    [
      'speaks',
      'down',
      'It exited while connecting (exit code 1): ENOENT /nope $TOKEN. Correct its command, args or env.',
    ],
  ]);
});

test('a server that says nothing is given up after its time, and does not hold the others up', async () => {
  const silent = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] };
  const { hub } = testHub({ silent }, { connectTimeoutMs: 600 });
  await hub.start();
  expect(hub.status()).toMatchObject([
    {
      state: 'down',
      error:
        'It did not answer within 600 ms. If it needs longer to start, as when it has to be downloaded first, set its start_timeout.',
    },
  ]);
});

test('a server that is down at first is there once a later attempt succeeds', async () => {
  let isThere = false;
  const inProcess = new Map([
    [
      'late',
      () => {
        if (!isThere) throw new Error('not yet');
        return offering('read').server;
      },
    ],
  ]);
  const { hub, retries, logger } = testHub({ late: { in_process: 'late' } }, { inProcess });
  await hub.start();
  await hub.reconnect('late');
  expect(hub.status()).toMatchObject([{ state: 'down', error: 'It could not be connected: not yet.' }]);
  isThere = true;
  retries.at(-1)?.();
  await vi.waitUntil(async () => (await hub.tools()).length === 1);
  expect(hub.status()).toMatchObject([{ state: 'up', error: null }]);
  expect(logger.lines.map(({ message }) => message)).toEqual([
    'server is down',
    'server is still down',
    expect.stringMatching(/^server connected again after \d+ seconds?$/),
  ]);
});

test('attempts come at longer and longer intervals, up to a minute', async () => {
  const delays: number[] = [];
  const { hub } = testHub(
    { gone: { in_process: 'gone' } },
    {
      schedule: (_run, delayMs) => {
        delays.push(delayMs);
        return () => {};
      },
    },
  );
  for (let attempt = 0; attempt < 8; attempt += 1) await hub.reconnect('gone');
  expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
});

test.each(['grow', 'circle'])(
  'a server whose list of tools does not end is down and says so (%s)',
  async (mode) => {
    const { hub } = testHub({ endless: fixture('endless.ts', mode) });
    await hub.start();
    const error = 'Its list of tools does not end: it has more than 64 pages.';
    expect(hub.status()).toMatchObject([{ state: 'down', error, toolCount: 0 }]);
    expect(await hub.tools()).toEqual([]);
  },
);

test('a change of a server’s tools is seen, and told', async () => {
  const { server, tools } = offering('read');
  const { hub, retries } = testHub(
    { it: { in_process: 'it' } },
    { inProcess: new Map([['it', () => server]]) },
  );
  await hub.start();
  const changed = vi.fn();
  hub.onChange(changed);
  const names = async () => (await hub.tools()).map((tool) => tool.name);
  register(server, 'write');
  await vi.waitUntil(async () => (await names()).length === 2);
  tools[0]?.remove();
  await vi.waitUntil(() => retries.length === 1);
  retries[0]?.();
  await vi.waitUntil(async () => (await names()).length === 1);
  expect(await names()).toEqual(['write']);
  expect(changed).toHaveBeenCalledTimes(2);
});

test('tools whose plain names are the same get names of their own, and each call reaches its own server', async () => {
  const inProcess = new Map([
    ['one', () => offering('b__c').server],
    ['two', () => offering('c').server],
  ]);
  const { hub, send } = testHub({ a: { in_process: 'one' }, a__b: { in_process: 'two' } }, { inProcess });
  await hub.start();
  const tools = await hub.tools();
  expect(tools.map((tool) => tool.modelName)).toEqual([
    'a__b__c',
    expect.stringMatching(/^a__b__c_[0-9a-f]{8}$/),
  ]);
  const answers = await Promise.all(tools.map((tool) => send({ ...tool, arguments: {} }, callOptions())));
  expect(answers).toMatchObject([
    { outcome: { content: [{ text: 'b__c' }] } },
    { outcome: { content: [{ text: 'c' }] } },
  ]);
});

test('a child gets its own variables and none of ours, and what it says is logged', async () => {
  vi.stubEnv('OPENAI_API_KEY', 'secret');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { hub, send, logger } = testHub({ child: { ...fixture('environment.ts'), env: { ITS_OWN: 'x' } } });
  await hub.start();
  const result = await send({ server: 'child', name: 'names', arguments: {} }, callOptions());
  expect(JSON.stringify(result)).toContain('ITS_OWN');
  expect(JSON.stringify(result)).not.toContain('OPENAI_API_KEY');
  expect(logger.lines).toContainEqual({
    details: { server: 'child', line: 'the environment server is here' },
    message: 'server says',
  });
});

test('a child is gone once the hub has stopped', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-mcp-hub-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { hub, send } = testHub({ child: fixture('dying.ts', join(folder, 'notes')) });
  await hub.start();
  const result = await send({ server: 'child', name: 'live', arguments: {} }, callOptions());
  const [, pid] = /"text":"(\d+)"/.exec(JSON.stringify(result)) ?? [];
  expect(process.kill(Number(pid), 0)).toBe(true);
  await hub.stop();
  expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  expect(await send({ server: 'child', name: 'live', arguments: {} }, callOptions())).toMatchObject({
    outcome: { status: 'failed', message: expect.stringContaining('nothing was done') },
  });
});

test('a child that is still being connected is ended too when the hub stops', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-mcp-hub-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'pids');
  const program = `fs.appendFileSync(${JSON.stringify(file)}, process.pid + '\\n'); process.stdin.resume()`;
  const { hub } = testHub({ silent: { command: process.execPath, args: ['-e', program] } });
  const starting = hub.start();
  await vi.waitUntil(() => existsSync(file));
  await hub.stop();
  await starting;
  const pids = readFileSync(file, 'utf8').trim().split('\n');
  expect(pids).toHaveLength(1);
  for (const pid of pids) expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  expect(hub.status()).toMatchObject([{ state: 'down' }]);
});

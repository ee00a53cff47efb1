import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listen } from '../fixtures/mcp/harness.ts';
import {
  createHost,
  hasNamespaces,
  isRoot,
  sandboxed,
  steal,
  unreadableNode,
} from '../helpers/isolated-host.ts';

const lookSchema = z.object({
  processes: z.array(z.number()),
  session: z.number(),
  ipc: z.string(),
  devices: z.array(z.string()),
});
/** What a program may need, and nothing that leads to the machine. */
const HARMLESS_DEVICES = [
  ...['console', 'core', 'fd', 'full', 'null', 'ptmx', 'pts', 'random', 'shm'],
  ...['stderr', 'stdin', 'stdout', 'tty', 'urandom', 'zero'],
];

const signal = { name: 'signal', arguments: {} };
const read = (answers: readonly string[]) => answers.map((answer): unknown => JSON.parse(answer));

it('a server that nothing isolates reads our environment, memory and files', async () => {
  const host = createHost();
  const paths = [host.dataDir, host.keyFile, host.envFile];
  const { answers } = await host.run({ sandbox: null, calls: [steal(...paths)] });
  expect(read(answers)).toEqual([{ environment: true, memory: true, paths }]);
});

describe.runIf(hasNamespaces)('in namespaces of its own', () => {
  const users = isRoot ? (['root', 'somebody else'] as const) : (['the user of this test'] as const);
  it.each(users)('a server of %s gets nothing of ours', async (user) => {
    const host = createHost();
    const { status, answers } = await host.run({
      calls: [steal(host.dataDir, host.keyFile, host.envFile), signal],
      isStranger: user === 'somebody else',
    });
    expect(status).toMatchObject({ state: 'up', protection: 'namespace' });
    const [loot, sent] = read(answers);
    expect(loot).toEqual({ environment: false, memory: false, paths: [] });
    expect(sent).toMatchObject({ inspector: false });
  });

  it('a server has processes, a session, shared memory and devices of its own', async () => {
    const { answers } = await createHost().run({ calls: [{ name: 'look', arguments: {} }] });
    const { processes, session, ipc, devices } = lookSchema.parse(JSON.parse(answers[0] ?? ''));
    expect(processes).toContain(1);
    expect(processes).not.toContain(process.pid);
    expect(session).toBeGreaterThan(0);
    expect(ipc).not.toBe(readlinkSync('/proc/self/ns/ipc'));
    expect(devices.filter((name) => !HARMLESS_DEVICES.includes(name))).toEqual([]);
  });

  it('a server can write what our user can, but neither our code nor our configuration', async () => {
    const host = createHost();
    const note = join(host.folder, 'note');
    const ours = [join(import.meta.dirname, '../../src/index.ts'), ...host.configuration];
    const write = (path: string) => ({ name: 'write', arguments: { path, text: 'mine' } });
    const { answers } = await host.run({ calls: [note, ...ours].map(write) });
    expect(answers).toEqual(['written', ...ours.map(() => expect.stringContaining('EROFS'))]);
    expect(readFileSync(note, 'utf8')).toBe('mine');
  });

  it('a server with folders sees those, nothing of the home, and writes where it may', async () => {
    const host = createHost();
    const [open, shut] = ['open', 'shut'].map((name) => join(host.folder, name));
    for (const folder of [open, shut]) mkdirSync(folder ?? '');
    const other = join(host.folder, 'other');
    writeFileSync(other, 'not for it');
    writeFileSync(join(shut ?? '', 'book'), 'to be read');
    const folders = [{ path: open, write: true }, { path: shut }];
    const write = (folder = '') => ({ name: 'write', arguments: { path: join(folder, 'x'), text: 'x' } });
    const { answers } = await host.run({
      config: sandboxed({ folders: [...folders, { path: join(import.meta.dirname, '../..') }] }),
      calls: [steal(shut ?? '', other, host.dataDir), write(open), write(shut)],
    });
    expect(read(answers.slice(0, 1))).toMatchObject([{ paths: [shut] }]);
    expect(answers.slice(1)).toEqual(['written', expect.stringContaining('EROFS')]);
  });

  it('a server without the network reaches nothing on this machine', async () => {
    const host = createHost();
    const port = await listen(createServer());
    const reach = { name: 'reach', arguments: { port } };
    const [apart, usual] = await Promise.all([
      host.run({ config: sandboxed({ network: false }), calls: [reach] }),
      host.run({ calls: [reach] }),
    ]);
    expect([apart.answers, usual.answers]).toEqual([['false'], ['true']]);
  });
});

describe.runIf(isRoot)('as another user', () => {
  it('a server gets nothing of ours, and can’t signal us', async () => {
    const host = createHost();
    const config = sandboxed({ protection: 'user' });
    const { status, answers } = await host.run({
      config,
      calls: [steal(host.dataDir, host.keyFile, host.envFile), signal],
    });
    expect(status).toMatchObject({ state: 'up', protection: 'user' });
    expect(read(answers)).toEqual([
      { environment: false, memory: false, paths: [] },
      { sent: false, inspector: false },
    ]);
  });

  it('a server gets nothing of a folder that was that user’s before', async () => {
    const host = createHost();
    execFileSync('chown', ['-R', 'nobody', host.dataDir]);
    const { answers } = await host.run({
      config: sandboxed({ protection: 'user' }),
      calls: [steal(host.dataDir)],
    });
    expect(read(answers)).toMatchObject([{ paths: [] }]);
  });

  it('a server isn’t started where the user could read our keys', async () => {
    const host = createHost();
    chmodSync(host.envFile, 0o644);
    const { status } = await host.run({ config: sandboxed({ protection: 'user' }) });
    expect(status).toMatchObject({ state: 'down', error: expect.stringContaining(`get at ${host.envFile}`) });
  });
});

describe.runIf(isRoot)('started by a process that can’t be read', () => {
  it('a server of the same user gets neither environment nor memory, and opens no inspector', async () => {
    const host = createHost();
    const paths = [host.dataDir, host.keyFile, host.envFile];
    const { status, answers } = await host.run({
      isStranger: true,
      node: unreadableNode(host),
      config: sandboxed({ protection: 'parent' }),
      calls: [steal(...paths), signal],
    });
    expect(status).toMatchObject({ state: 'up', protection: 'parent' });
    // Files of the same user can't be kept from it.
    expect(read(answers)).toEqual([
      { environment: false, memory: false, paths },
      { sent: true, inspector: false },
    ]);
  });

  it('where what started it can be read and has our secrets, the server is not started', async () => {
    const host = createHost();
    const { status } = await host.run({
      isStranger: true,
      isBelowShell: true,
      node: unreadableNode(host),
      config: sandboxed({ protection: 'parent' }),
    });
    expect(status).toMatchObject({
      state: 'down',
      error: expect.stringContaining('OPENAI_API_KEY is in the environment of sh'),
    });
  });

  it('where it can be read, the server that asks for this is not started', async () => {
    const { status } = await createHost().run({
      isStranger: true,
      config: sandboxed({ protection: 'parent' }),
    });
    expect(status).toMatchObject({ state: 'down', error: expect.stringContaining('our environment') });
  });
});

it('under SANDBOX=strict a server without isolation is not started, and the reason is told', async () => {
  const { status } = await createHost().run({
    config: sandboxed({ protection: 'none' }),
    sandbox: { strict: true, user: 'nobody' },
  });
  expect(status).toMatchObject({
    state: 'down',
    error: expect.stringMatching(/^It was not started, because .*strict/),
  });
});

it.runIf(process.platform === 'linux')('a server that takes more memory than it may is ended', async () => {
  const { answers, logged } = await createHost().run({
    config: sandboxed({ memory: '400MB' }),
    calls: [
      { name: 'eat', arguments: { megabytes: 1 } },
      { name: 'eat', arguments: { megabytes: 600 } },
      { name: 'hang', arguments: {} },
    ],
  });
  expect(answers[0]).toBe('1');
  expect(logged).toContainEqual(
    expect.objectContaining({ server: 'it', message: expect.stringContaining('400MB of memory') }),
  );
});

it.each([
  { name: 'server-filesystem', args: [tmpdir()] },
  { name: 'server-everything', args: [] },
])('$name works as isolated as this machine allows', async ({ name, args }) => {
  const program = join(
    import.meta.dirname,
    '../../node_modules/@modelcontextprotocol',
    name,
    'dist/index.js',
  );
  const { status, logged } = await createHost().run({
    config: { command: 'node', args: [program, ...args] },
  });
  expect(status).toMatchObject({ state: 'up', error: null });
  expect(logged).toContainEqual(
    expect.objectContaining({ message: expect.stringMatching(/^server is (?:not )?isolated/) }),
  );
});

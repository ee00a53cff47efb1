import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readConfigFile } from '../../../../src/config/file.ts';
import { personalIdleMs, sharedIdleMs } from '../../../../src/mcp/config/idle-default.ts';
import { mcpServersSchema } from '../../../../src/mcp/config/schema.ts';
import { callOptions, fixture, testHub } from '../../../fixtures/mcp/harness.ts';
import { fakeSchedule, pausingServer } from '../../../fixtures/mcp/pausing.ts';
import { ANA, emptyStore, oauthInstance, said, tasksServer } from '../../../fixtures/oauth/instance.ts';
import { goFile } from '../../../fixtures/servers/effects.ts';

const MINUTE = 60_000;
const ADD = { server: 'it', name: 'add', arguments: {} };

/** A hub with a connection to a server over HTTP that all share. */
async function sharing(config: object = {}) {
  const server = await pausingServer();
  const time = fakeSchedule();
  const { hub, send, logger } = testHub({ it: { url: server.url, ...config } }, { schedule: time.schedule });
  await hub.start();
  const state = () => hub.status()[0]?.state;
  const add = (more: object = {}) => send({ ...ADD, ...more }, callOptions());
  return { server, time, hub, logger, state, add };
}

describe('how long a connection is held that nobody uses', () => {
  const of = (config: object) => {
    const { it: parsed } = mcpServersSchema.parse({ it: config });
    if (!parsed) throw new Error('it is not there');
    return { shared: sharedIdleMs(parsed), personal: 'url' in parsed ? personalIdleMs(parsed) : undefined };
  };
  const url = 'https://example.com/mcp';

  it.each([
    ['over HTTP', { url }, { shared: 30 * MINUTE, personal: 10 * MINUTE }],
    ['with a time of its own', { url, idle_timeout: '2h' }, { shared: 120 * MINUTE, personal: 120 * MINUTE }],
    ['that is kept', { url, idle_timeout: 'off' }, { shared: null, personal: null }],
    ['that is kept, in other words', { url, idle_timeout: null }, { shared: null, personal: null }],
    ['that is a process', { command: 'node' }, { shared: null }],
    ['that is a process to be ended', { command: 'node', idle_timeout: '90s' }, { shared: 90_000 }],
    ['that comes with this program', { in_process: 'calendar' }, { shared: null }],
  ])('a server %s', (_which, config, expected) => {
    expect(of(config)).toEqual(expected);
  });

  it('is as the file says, which is read twice', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countersign-idle-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'countersign.yaml');
    await writeFile(
      file,
      `mcpServers: { a: { url: ${url}, idle_timeout: 45m }, b: { command: b, idle_timeout: } }`,
    );
    const { servers } = await readConfigFile(file, {});
    expect(Object.values(servers).map(sharedIdleMs)).toEqual([45 * MINUTE, null]);
  });

  it.each(['0s', '10', 'never', '25d', 600])('is not %s', (idle) => {
    expect(mcpServersSchema.safeParse({ it: { url, idle_timeout: idle } }).success).toBe(false);
  });
});

describe('a connection that all share', () => {
  it('is let go of when nobody has used it, keeps its tools, and is made again by the next call alone', async () => {
    const { server, time, hub, state, add } = await sharing();
    expect(time.delays()).toEqual([30 * MINUTE]);
    const changed = vi.fn();
    hub.onChange(changed);
    time.pass();
    expect(hub.status()).toMatchObject([{ state: 'idle', error: null, toolCount: 1 }]);
    expect(changed).toHaveBeenCalledOnce();
    expect(time.delays()).toEqual([]);
    const before = server.requests();
    await hub.reconnect();
    expect((await hub.tools()).map(({ name }) => name)).toEqual(['add']);
    expect([state(), server.requests()]).toEqual(['idle', before]);
    expect(said(await add())).toBe('added');
    expect(state()).toBe('up');
    expect(time.delays()).toEqual([30 * MINUTE]);
  });

  it('has its time anew with every call', async () => {
    const { time, add } = await sharing({ idle_timeout: '5m' });
    const before = time.made();
    await add();
    await add();
    expect(time.made()).toBe(before + 2);
    expect(time.delays()).toEqual([5 * MINUTE]);
  });

  it('is made once for calls that come at once', async () => {
    const { time, logger, add } = await sharing();
    time.pass();
    expect((await Promise.all([add(), add(), add()])).map(said)).toEqual(['added', 'added', 'added']);
    expect(logger.lines.filter(({ message }) => message === 'server connected')).toHaveLength(2);
  });

  it('is held by a call in flight', async () => {
    const { server, time, state, add } = await sharing();
    const { promise, resolve } = Promise.withResolvers<void>();
    server.holdUntil(promise);
    const answer = add();
    await expect.poll(server.running).toBe(1);
    time.pass();
    expect(state()).toBe('up');
    resolve();
    expect(said(await answer)).toBe('added');
    time.pass();
    expect(state()).toBe('idle');
  });

  it('is held by a call that runs on one that was lost before', async () => {
    const { server, time, hub, state, add } = await sharing();
    const { promise, resolve } = Promise.withResolvers<void>();
    server.holdUntil(promise);
    const answer = add();
    await expect.poll(server.running).toBe(1);
    (await hub.connections.acquire('it')).lost('Another call was cut off.');
    time.pass();
    await expect.poll(state).toBe('up');
    time.pass();
    expect(state()).toBe('up');
    resolve();
    expect(said(await answer)).toBe('added');
    time.pass();
    expect(state()).toBe('idle');
  });

  describe('over which a page was asked for', () => {
    async function withPage() {
      const folder = await mkdtemp(join(tmpdir(), 'countersign-idle-'));
      onTestFinished(() => rm(folder, { recursive: true }));
      const time = fakeSchedule();
      const locker = fixture('../servers/locker.ts', folder);
      const done = vi.fn();
      const { hub, send } = testHub(
        { it: { ...locker, idle_timeout: '5m' } },
        { schedule: time.schedule, onPageDone: done },
      );
      await hub.start();
      const call = { server: 'it', name: 'open_locker', arguments: { number: '7' } };
      expect(await send(call, callOptions())).toMatchObject({ kind: 'blocked' });
      return { folder, time, done, state: () => hub.status()[0]?.state };
    }

    it('is held some times longer, and not for ever', async () => {
      const { time, state } = await withPage();
      for (let round = 0; round < 5; round += 1) {
        time.pass();
        expect(state()).toBe('up');
      }
      time.pass();
      expect(state()).toBe('idle');
    });

    it('is held no longer when its server has said that people are done with it', async () => {
      const { folder, time, done, state } = await withPage();
      time.pass();
      expect(state()).toBe('up');
      await writeFile(goFile(folder, 'locker'), '');
      await vi.waitUntil(() => done.mock.calls.length > 0);
      time.pass();
      expect(state()).toBe('idle');
    });
  });

  it('shows what its server has changed meanwhile before a call is sent', async () => {
    const { server, time, hub, add } = await sharing();
    const [before] = await hub.tools();
    time.pass();
    server.describe('Adds, and tells the tax office.');
    const held = Promise.withResolvers<void>();
    server.holdUntil(held.promise);
    expect(await add({ definitionHash: before?.definitionHash })).toMatchObject({
      kind: 'redefined',
      tool: { description: 'Adds, and tells the tax office.' },
    });
    expect(server.running()).toBe(0);
    const [after] = await hub.tools();
    expect(after?.definitionHash).not.toBe(before?.definitionHash);
  });

  it('that cannot be made again is down, and is tried again by itself from then on', async () => {
    const { server, time, hub, add } = await sharing();
    time.pass();
    await server.end();
    expect(said(await add())).toMatch(/^failed: it is down; nothing was done\./);
    expect(hub.status()).toMatchObject([{ state: 'down', toolCount: 0 }]);
    expect(time.delays()).toEqual([1_000]);
  });

  it('is not looked after any more when it is lost, or everything stops', async () => {
    const { time, hub, add } = await sharing();
    const { lost } = await hub.connections.acquire('it');
    lost('It is gone.');
    expect(time.delays()).toEqual([0]);
    await add();
    await hub.stop();
    expect(time.delays()).toEqual([]);
  });

  it('is kept where the file says so', async () => {
    const { time } = await sharing({ idle_timeout: 'off' });
    expect(time.delays()).toEqual([]);
  });
});

describe('a process', () => {
  const started = (lines: readonly { readonly message: string }[]) =>
    lines.filter(({ message }) => message === 'server says').length;

  it('is kept, for it may hold something in its memory', async () => {
    const time = fakeSchedule();
    const { hub } = testHub({ it: fixture('environment.ts') }, { schedule: time.schedule });
    await hub.start();
    expect(time.delays()).toEqual([]);
  });

  it('is ended where the file says when, and started anew by the next call', async () => {
    const time = fakeSchedule();
    const config = { ...fixture('environment.ts'), idle_timeout: '5m' };
    const { hub, send, logger } = testHub({ it: config }, { schedule: time.schedule });
    await hub.start();
    expect(time.delays()).toEqual([5 * MINUTE]);
    time.pass();
    expect(hub.status()).toMatchObject([{ state: 'idle', toolCount: 1 }]);
    await expect.poll(() => started(logger.lines)).toBe(1);
    const sent = await send({ server: 'it', name: 'names', arguments: {} }, callOptions());
    expect(sent).toMatchObject({ outcome: { status: 'succeeded' } });
    await expect.poll(() => started(logger.lines)).toBe(2);
  });
});

describe('a person’s own connection', () => {
  it.each([
    [{}, [10 * MINUTE]],
    [{ idle_timeout: '1m' }, [MINUTE]],
    [{ idle_timeout: 'off' }, []],
  ])('is held for its own time (%j)', async (config, delays) => {
    const server = await tasksServer();
    const time = fakeSchedule();
    const instance = oauthInstance(server, { store: await emptyStore(), schedule: time.schedule, config });
    await instance.hub.start();
    await instance.signIn(ANA, 'ana');
    expect(said(await instance.send('list_tasks', ANA))).toBe('the tasks of ana: none');
    expect(time.delays()).toEqual(delays);
  });

  it('is held by a call in flight', async () => {
    const server = await tasksServer();
    const time = fakeSchedule();
    const instance = oauthInstance(server, { store: await emptyStore(), schedule: time.schedule });
    await instance.hub.start();
    await instance.signIn(ANA, 'ana');
    const { promise, resolve } = Promise.withResolvers<void>();
    onTestFinished(() => resolve());
    server.holdUntil(promise);
    const answer = instance.send('add_task', ANA, { title: 'rest' });
    await expect.poll(() => server.seen).toEqual(['ana']);
    time.pass();
    expect(time.delays()).toEqual([10 * MINUTE]);
    resolve();
    expect(said(await answer)).toBe('ana has now to rest');
    expect(said(await instance.send('list_tasks', ANA))).toBe('the tasks of ana: rest');
    expect(server.sessions.size).toBe(1);
  });
});

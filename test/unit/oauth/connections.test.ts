import { describe, expect, it } from 'vitest';
import { auditEntries } from '../../../src/gate/audit/chain.ts';
import {
  ANA,
  BOB,
  emptyStore,
  newKey,
  oauthInstance,
  said,
  tasksServer,
} from '../../fixtures/oauth/instance.ts';

describe('a server that wants more rights for one of its tools', () => {
  it('is connected again with them, besides those that were given', async () => {
    const server = await tasksServer({ stepUp: true });
    const instance = oauthInstance(server, { store: await emptyStore() });
    await instance.hub.start();
    await instance.signIn(ANA, 'ana');
    expect(said(await instance.send('list_tasks', ANA))).toBe('the tasks of ana: none');
    const refused = await instance.send('add_task', ANA, { title: 'rest' });
    expect(said(refused)).toBe(
      'blocked: tasks wants more rights for this: tasks:write. Connect it again to give them.',
    );
    if (refused.kind !== 'blocked' || refused.need.kind !== 'oauth_url')
      throw new Error('it is not asked for');
    const { connect } = refused.need;
    expect(connect?.scope?.split(' ').toSorted()).toEqual(['tasks:read', 'tasks:write']);
    if (!connect) throw new Error('there is nothing to connect');
    await instance.signIn(
      ANA,
      'ana',
      await instance.oauth.personal.link({ ...connect, person: ANA, callKey: null }),
    );
    expect(said(await instance.send('add_task', ANA, { title: 'rest' }))).toBe('ana has now to rest');
  });
});

describe('a server that lets everybody look, and wants a sign-in for calls', () => {
  it('offers its tools at once, and asks whoever uses one', async () => {
    const server = await tasksServer({ openList: true });
    const instance = oauthInstance(server, { store: await emptyStore() });
    await instance.hub.start();
    expect((await instance.hub.tools(ANA)).map(({ name }) => name)).toEqual(['add_task', 'list_tasks']);
    expect(said(await instance.send('list_tasks', ANA))).toBe('blocked: Connect tasks as yourself to go on.');
    await instance.signIn(ANA, 'ana');
    const result = await instance.send('list_tasks', ANA);
    expect(said(result)).toBe('the tasks of ana: none');
    // It is hers alone, also in a thread with others.
    expect(result).toMatchObject({ outcome: { ownAccount: true } });
    expect(said(await instance.send('list_tasks', BOB))).toMatch(/^blocked/);
  });
});

describe('after a restart, a server that lets everybody look', () => {
  it.each([
    ['the process was started anew', true],
    ['another process has nothing but the store', false],
  ])('takes the sign-ins that there are: %s', async (_how, isStarted) => {
    const server = await tasksServer({ openList: true });
    const [store, keys] = [await emptyStore(), [newKey('k1')]];
    const instance = oauthInstance(server, { store, keys });
    await instance.hub.start();
    expect(said(await instance.send('list_tasks', ANA))).toMatch(/^blocked/);
    await instance.signIn(ANA, 'ana');
    const other = oauthInstance(server, { store, keys });
    if (isStarted) await other.hub.start();
    expect(await other.oauth.personal.list(BOB)).toMatchObject([
      { server: 'tasks', state: 'sign_in_required' },
    ]);
    expect(await other.oauth.personal.list(ANA)).toMatchObject([{ server: 'tasks', state: 'connected' }]);
    expect(said(await other.send('list_tasks', ANA))).toBe('the tasks of ana: none');
    expect(said(await other.send('list_tasks', BOB))).toMatch(/^blocked/);
    expect(server.authorization.counts.exchanges).toBe(1);
  });

  it('takes them also in a process that has begun to share a connection before', async () => {
    const server = await tasksServer({ openList: true });
    const [store, keys] = [await emptyStore(), [newKey('k1')]];
    const [web, worker] = [oauthInstance(server, { store, keys }), oauthInstance(server, { store, keys })];
    await Promise.all([web.hub.start(), worker.hub.start()]);
    await web.signIn(ANA, 'ana');
    expect(said(await worker.send('list_tasks', ANA))).toBe('the tasks of ana: none');
    expect(await web.oauth.personal.list(ANA)).toMatchObject([{ state: 'connected' }]);
  });

  it('asks for no sign-in that was made at another address', async () => {
    const server = await tasksServer({ openList: true });
    const [store, keys] = [await emptyStore(), [newKey('k1')]];
    const instance = oauthInstance(server, { store, keys });
    await instance.hub.start();
    await instance.send('list_tasks', ANA);
    await instance.signIn(ANA, 'ana');
    const moved = oauthInstance(await tasksServer({ openList: true }), { store, keys });
    await moved.hub.start();
    expect(moved.hub.status()).toMatchObject([{ state: 'up' }]);
    expect(await moved.oauth.personal.list(ANA)).toEqual([]);
  });
});

describe('a server that refuses whatever it is sent', () => {
  it('is given up after three sign-ins, and told of to a person', async () => {
    const server = await tasksServer();
    const instance = oauthInstance(server, { store: await emptyStore() });
    await instance.hub.start();
    server.refuseAll(true);
    for (let round = 0; round < 3; round += 1) {
      expect(said(await instance.send('list_tasks', ANA))).toMatch(/^blocked/);
      await instance.signIn(ANA, 'ana');
    }
    expect(said(await instance.send('list_tasks', ANA))).toBe(
      'failed: tasks asked for a sign-in again after 3 sign-ins, so another one would not help; nothing was done. Tell an admin.',
    );
    server.refuseAll(false);
    await instance.signIn(ANA, 'ana');
    expect(said(await instance.send('list_tasks', ANA))).toBe('the tasks of ana: none');
  });
});

describe('a person’s connection', () => {
  it('ends when it is not used, and is made again when it is', async () => {
    const server = await tasksServer();
    const ends: (() => void)[] = [];
    const instance = oauthInstance(server, {
      store: await emptyStore(),
      schedule: (run) => {
        ends.push(run);
        return () => void ends.splice(ends.indexOf(run), 1);
      },
    });
    await instance.hub.start();
    await instance.signIn(ANA, 'ana');
    await instance.send('list_tasks', ANA);
    expect([server.sessions.size, ends.length]).toEqual([1, 1]);
    ends[0]?.();
    expect(said(await instance.send('list_tasks', ANA))).toBe('the tasks of ana: none');
    expect(server.sessions.size).toBe(2);
  });

  it('is made anew when the server has forgotten its session; the call is sent there, once', async () => {
    const server = await tasksServer();
    const instance = oauthInstance(server, { store: await emptyStore() });
    await instance.hub.start();
    await instance.signIn(ANA, 'ana');
    await instance.send('list_tasks', ANA);
    server.forgetSessions();
    expect(said(await instance.send('add_task', ANA, { title: 'once' }))).toBe('ana has now to once');
    expect(server.tasks.get('ana')).toEqual(['once']);
    expect(server.authorization.counts.exchanges).toBe(1);
  });

  it('is another one after signing in as somebody else', async () => {
    const server = await tasksServer();
    const [store, keys] = [await emptyStore(), [newKey('k1')]];
    const instance = oauthInstance(server, { store, keys });
    const other = oauthInstance(server, { store, keys });
    await Promise.all([instance.hub.start(), other.hub.start()]);
    await instance.signIn(ANA, 'ana');
    expect(said(await other.send('list_tasks', ANA))).toBe('the tasks of ana: none');
    await instance.signIn(ANA, 'boss');
    expect(said(await other.send('list_tasks', ANA))).toBe('the tasks of boss: none');
    expect(server.sessions.size).toBe(2);
  });

  it('lets what is in flight on it end when the person signs in anew, or disconnects', async () => {
    const server = await tasksServer();
    const instance = oauthInstance(server, { store: await emptyStore() });
    await instance.hub.start();
    await instance.signIn(ANA, 'ana');
    const { promise, resolve } = Promise.withResolvers<void>();
    server.holdUntil(promise);
    const answer = instance.send('add_task', ANA, { title: 'slow' });
    await expect.poll(() => server.seen).toEqual(['ana']);
    await instance.signIn(ANA, 'boss');
    await instance.oauth.personal.disconnect('tasks', ANA);
    resolve();
    expect(said(await answer)).toBe('ana has now to slow');
  });

  it('is withdrawn at the authorization server when the person disconnects', async () => {
    const server = await tasksServer();
    const instance = oauthInstance(server, { store: await emptyStore() });
    await instance.hub.start();
    await instance.signIn(ANA, 'ana');
    await instance.signIn(BOB, 'bob');
    await instance.send('list_tasks', ANA);
    expect(server.authorization.live()).toBe(2);
    await instance.oauth.personal.disconnect('tasks', ANA);
    expect(server.authorization.live()).toBe(1);
    expect(said(await instance.send('list_tasks', ANA))).toMatch(/^blocked/);
    expect(said(await instance.send('list_tasks', BOB))).toBe('the tasks of bob: none');
  });

  it('is ended in the name of the admin who ends it, and the audit says whose it was', async () => {
    const server = await tasksServer();
    const store = await emptyStore();
    const instance = oauthInstance(server, { store });
    await instance.hub.start();
    await instance.signIn(ANA, 'ana');
    await instance.signIn(BOB, 'bob');
    await instance.oauth.personal.disconnect('tasks', ANA, BOB);
    await instance.oauth.personal.disconnect('tasks', BOB);
    const { items } = await store.query(auditEntries, 'byThread', {}, 100);
    const ended = items.map(({ value }) => value).filter(({ what }) => what === 'disconnected');
    expect(ended).toMatchObject([
      { actor: BOB, details: { server: 'tasks', person: ANA.id } },
      { actor: BOB, details: { server: 'tasks' } },
    ]);
    expect(ended[1]?.details).not.toHaveProperty('person');
  });

  it('is withdrawn where another sign-in takes its place', async () => {
    const server = await tasksServer();
    const instance = oauthInstance(server, { store: await emptyStore() });
    await instance.hub.start();
    await instance.signIn(ANA, 'ana');
    await instance.signIn(ANA, 'ana');
    expect(server.authorization.live()).toBe(1);
    expect(said(await instance.send('list_tasks', ANA))).toBe('the tasks of ana: none');
  });

  it('is gone from here also when the authorization server does not answer', async () => {
    const server = await tasksServer();
    const instance = oauthInstance(server, { store: await emptyStore() });
    await instance.hub.start();
    await instance.signIn(ANA, 'ana');
    await server.stop();
    await instance.oauth.personal.disconnect('tasks', ANA);
    expect(await instance.oauth.isConnected('tasks', ANA)).toBe(false);
    expect(instance.logger.lines.map(({ message }) => message)).toContain('failed to revoke tokens');
  });
});

describe('how we are known', () => {
  it('is what the operator registered, where they did', async () => {
    const server = await tasksServer();
    server.authorization.register('ours', 'http://127.0.0.1:4000/oauth/callback');
    const config = { auth: 'oauth', oauth: { client_id: 'ours', scopes: ['tasks:read'] } };
    const instance = oauthInstance(server, { store: await emptyStore(), config });
    await instance.hub.start();
    expect(instance.hub.status()).toMatchObject([{ state: 'sign_in_required' }]);
    await instance.signIn(ANA, 'ana');
    expect(said(await instance.send('list_tasks', ANA))).toBe('the tasks of ana: none');
    expect(server.authorization.counts.registrations).toBe(0);
  });

  it('is told to no other authorization server than the operator names', async () => {
    const server = await tasksServer();
    const oauth = { client_id: 'ours', client_secret: 'very-secret', issuer: 'https://login.example.com' };
    const instance = oauthInstance(server, { store: await emptyStore(), config: { oauth } });
    await instance.hub.start();
    await expect(instance.signIn(ANA, 'ana')).rejects.toThrow('not begun: failed');
    expect(server.authorization.counts.registrations).toBe(0);
    expect(instance.logger.lines).toContainEqual({
      message: 'failed to begin a sign-in',
      details: expect.objectContaining({ error: expect.stringContaining('other_issuer') }),
    });
  });

  it('is the document at our address, where the authorization server reads that', async () => {
    const server = await tasksServer({ clientDocuments: true });
    const publicUrl = 'https://countersign.example.com';
    const instance = oauthInstance(server, { store: await emptyStore(), publicUrl });
    await instance.hub.start();
    await instance.signIn(ANA, 'ana');
    expect(said(await instance.send('list_tasks', ANA))).toBe('the tasks of ana: none');
    expect(server.authorization.counts.registrations).toBe(0);
    expect(instance.oauth.pages.clientMetadata()).toMatchObject({
      client_id: `${publicUrl}/client-metadata.json`,
      redirect_uris: [`${publicUrl}/oauth/callback`],
    });
  });

  it('is registered once, and anew when our address is another one', async () => {
    const server = await tasksServer();
    const [store, keys] = [await emptyStore(), [newKey('k1')]];
    const instance = oauthInstance(server, { store, keys });
    await instance.hub.start();
    await instance.signIn(ANA, 'ana');
    await instance.signIn(BOB, 'bob');
    expect(server.authorization.counts.registrations).toBe(1);
    const moved = oauthInstance(server, { store, keys, publicUrl: 'http://127.0.0.1:4001' });
    await moved.hub.start();
    await moved.signIn(BOB, 'bob');
    expect(server.authorization.counts.registrations).toBe(2);
  });
});

describe('a server with a key of its own in the configuration', () => {
  it('is down when that is refused: the key was meant, and nobody’s sign-in', async () => {
    const server = await tasksServer();
    const config = { headers: { Authorization: 'Bearer wrong' } };
    const instance = oauthInstance(server, { store: await emptyStore(), config });
    await instance.hub.start();
    expect(instance.hub.status()).toMatchObject([
      { state: 'down', error: 'It asks for a sign-in (HTTP 401). Check the key in its headers.' },
    ]);
    expect(await instance.hub.tools(ANA)).toEqual([]);
  });
});

import { expect, onTestFinished, test, vi } from 'vitest';
import { connections } from '../../../src/oauth/collections.ts';
import { put } from '../../../src/storage/store.ts';
import {
  ANA,
  BOB,
  emptyStore,
  newKey,
  oauthInstance,
  said,
  tasksServer,
} from '../../fixtures/oauth/instance.ts';

test('three calls at once with a token that has ended make one refresh, and all three are answered', async () => {
  const server = await tasksServer({ refreshTakesMs: 50 });
  const instance = oauthInstance(server, { store: await emptyStore() });
  await instance.hub.start();
  await instance.signIn(ANA, 'ana');
  await instance.send('list_tasks', ANA);
  server.authorization.expireAccess();
  const answers = await Promise.all(
    [1, 2, 3].map((n) => instance.send('add_task', ANA, { title: `task ${n}` })),
  );
  expect(answers.map(said).toSorted()).toEqual([1, 2, 3].map((n) => `ana has now to task ${n}`));
  expect(server.authorization.counts).toMatchObject({ refreshes: 1, reuses: 0, exchanges: 1 });
  expect(server.tasks.get('ana')?.toSorted()).toEqual(['task 1', 'task 2', 'task 3']);
});

test('calls of several processes on one store make one refresh among them', async () => {
  const server = await tasksServer({ refreshTakesMs: 50 });
  const store = await emptyStore();
  const keys = [newKey('k1')];
  const instances = [1, 2, 3].map(() => oauthInstance(server, { store, keys }));
  const [first] = instances;
  for (const instance of instances) await instance.hub.start();
  await first?.signIn(ANA, 'ana');
  await Promise.all(instances.map((instance) => instance.send('list_tasks', ANA)));
  server.authorization.expireAccess();
  const answers = await Promise.all(
    instances.flatMap((instance) => [1, 2].map(() => instance.send('list_tasks', ANA))),
  );
  expect(new Set(answers.map(said))).toEqual(new Set(['the tasks of ana: none']));
  expect(server.authorization.counts).toMatchObject({ refreshes: 1, reuses: 0, exchanges: 1 });
});

test('a token that is about to end is refreshed before it is used', async () => {
  const server = await tasksServer({ expiresIn: 60 });
  let now = Date.now();
  const instance = oauthInstance(server, { store: await emptyStore(), clock: () => now });
  await instance.hub.start();
  await instance.signIn(ANA, 'ana');
  await instance.send('list_tasks', ANA);
  expect(server.authorization.counts.refreshes).toBe(0);
  now += 45_000;
  expect(said(await instance.send('list_tasks', ANA))).toBe('the tasks of ana: none');
  expect(server.authorization.counts.refreshes).toBe(1);
});

test('a process that stopped while it refreshed keeps the others waiting for its lease alone', async () => {
  const server = await tasksServer();
  const store = await emptyStore();
  let now = Date.now();
  const instance = oauthInstance(server, { store, clock: () => now });
  await instance.hub.start();
  await instance.signIn(ANA, 'ana');
  const [row] = (await store.query(connections, 'byPerson', {}, 1)).items;
  if (!row) throw new Error('nothing is kept');
  const refreshing = { by: 'one that is gone', until: now + 20_000 };
  await store.commit({ put: [put(connections, row.id, { ...row.value, refreshing })] });
  server.authorization.expireAccess();
  const before = server.refusals();
  const answer = instance.send('list_tasks', ANA);
  await expect.poll(() => server.refusals()).toBeGreaterThan(before);
  expect(server.authorization.counts.refreshes).toBe(0);
  now += 20_001;
  expect(said(await answer)).toBe('the tasks of ana: none');
  expect(server.authorization.counts.refreshes).toBe(1);
});

test('a sign-in that was withdrawn is asked for again, and nobody else’s is touched', async () => {
  const server = await tasksServer();
  const instance = oauthInstance(server, { store: await emptyStore() });
  await instance.hub.start();
  await instance.signIn(ANA, 'ana');
  await instance.send('list_tasks', ANA);
  server.authorization.forgetAll();
  await instance.signIn(BOB, 'bob');
  expect(said(await instance.send('list_tasks', ANA))).toBe('blocked: Connect tasks as yourself to go on.');
  expect(await instance.oauth.personal.list(ANA)).toMatchObject([
    { state: 'sign_in_required', isOver: true, since: null },
  ]);
  expect(said(await instance.send('list_tasks', BOB))).toBe('the tasks of bob: none');
  await instance.signIn(ANA, 'ana');
  expect(said(await instance.send('list_tasks', ANA))).toBe('the tasks of ana: none');
});

test('an authorization server that fails keeps the sign-in, nothing is sent, and no log repeats a token', async () => {
  const warned = vi.spyOn(console, 'warn');
  onTestFinished(() => warned.mockRestore());
  const server = await tasksServer();
  const instance = oauthInstance(server, { store: await emptyStore() });
  await instance.hub.start();
  await instance.signIn(ANA, 'ana');
  await instance.send('list_tasks', ANA);
  server.authorization.expireAccess();
  server.authorization.fail(true);
  const before = server.seen.length;
  expect(said(await instance.send('list_tasks', ANA))).toBe(
    'failed: The sign-in to tasks could not be renewed just now; nothing was done. Try again in a moment.',
  );
  expect(server.seen).toHaveLength(before);
  const told = JSON.stringify([instance.logger.lines, warned.mock.calls]);
  for (const secret of server.authorization.secrets) expect(told).not.toContain(secret);
  server.authorization.fail(false);
  expect(said(await instance.send('list_tasks', ANA))).toBe('the tasks of ana: none');
});

test('two processes that are refused in the same moment make one refresh', async () => {
  const server = await tasksServer({ refreshTakesMs: 50 });
  const store = await emptyStore();
  const keys = [newKey('k1')];
  const instances = [oauthInstance(server, { store, keys }), oauthInstance(server, { store, keys })];
  for (const instance of instances) await instance.hub.start();
  await instances[0]?.signIn(ANA, 'ana');
  const signedInAt = (await instances[0]?.oauth.signIn('tasks', ANA))?.connectedAt ?? null;
  const sessions = instances.map((instance) => instance.oauth.session('tasks', ANA, signedInAt).authProvider);
  const before = await Promise.all(sessions.map((session) => session.token()));
  server.authorization.expireAccess();
  const response = new Response(null, { status: 401 });
  const serverUrl = new URL(server.url);
  await Promise.all(
    sessions.map((session) => session.onUnauthorized?.({ response, serverUrl, fetchFn: fetch })),
  );
  const after = await Promise.all(sessions.map((session) => session.token()));
  expect(new Set(after).size).toBe(1);
  expect(before).not.toContain(after[0]);
  expect(server.authorization.counts).toMatchObject({ refreshes: 1, reuses: 0 });
});

test('tokens that a refresh brings after the person has disconnected are withdrawn too', async () => {
  const server = await tasksServer({ refreshTakesMs: 500 });
  const instance = oauthInstance(server, { store: await emptyStore() });
  await instance.hub.start();
  await instance.signIn(ANA, 'ana');
  await instance.send('list_tasks', ANA);
  server.authorization.expireAccess();
  const sending = instance.send('list_tasks', ANA);
  await expect.poll(() => server.authorization.refreshing()).toBe(1);
  await instance.oauth.personal.disconnect('tasks', ANA);
  expect(said(await sending)).toMatch(/^blocked/);
  expect(server.authorization.counts.refreshes).toBe(1);
  expect(server.authorization.live()).toBe(0);
});

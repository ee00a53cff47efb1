import { expect, test } from 'vitest';
import { ANA, BOB, emptyStore, oauthInstance, said, tasksServer } from '../../fixtures/oauth/instance.ts';

test('a server that wants a sign-in is not down, and whoever has not signed in is asked to', async () => {
  const server = await tasksServer();
  const instance = oauthInstance(server, { store: await emptyStore() });
  await instance.hub.start();
  expect(instance.hub.status()).toMatchObject([{ name: 'tasks', state: 'sign_in_required', error: null }]);
  expect((await instance.hub.tools(ANA)).map((tool) => tool.modelName)).toEqual([
    'countersign__connect_tasks',
  ]);
  expect(said(await instance.send('list_tasks', ANA))).toBe('blocked: Connect tasks as yourself to go on.');
  expect(server.seen).toEqual([]);
});

test('two people at once each speak with their own token', async () => {
  const server = await tasksServer();
  const instance = oauthInstance(server, { store: await emptyStore() });
  await instance.hub.start();
  await Promise.all([instance.signIn(ANA, 'ana'), instance.signIn(BOB, 'bob')]);
  const rounds = Array.from({ length: 5 }, () =>
    Promise.all([instance.send('list_tasks', ANA), instance.send('list_tasks', BOB)]),
  );
  for (const [forAna, forBob] of await Promise.all(rounds)) {
    expect(said(forAna)).toBe('the tasks of ana: none');
    expect(said(forBob)).toBe('the tasks of bob: none');
  }
  await instance.send('add_task', ANA, { title: 'rest' });
  expect(said(await instance.send('list_tasks', BOB))).toBe('the tasks of bob: none');
  expect(said(await instance.send('list_tasks', ANA))).toBe('the tasks of ana: rest');
  expect(server.authorization.counts).toMatchObject({ registrations: 2, exchanges: 2 });
});

test('status names what is left out of a person’s own list to that person only', async () => {
  const server = await tasksServer({ describe: (login) => 'x'.repeat(login === 'ana' ? 20_001 : 10) });
  const instance = oauthInstance(server, { store: await emptyStore() });
  await instance.hub.start();
  await Promise.all([instance.signIn(ANA, 'ana'), instance.signIn(BOB, 'bob')]);
  await Promise.all([ANA, BOB].map((person) => instance.send('add_task', person, { title: 'rest' })));
  const why = 'takes more than 20,000 characters to describe';
  const leftOut = (personId?: string) => instance.hub.status(personId).flatMap(({ omitted }) => omitted);
  expect(leftOut(ANA.id)).toEqual([{ name: 'list_tasks', why }]);
  expect(leftOut(BOB.id)).toEqual([]);
  expect(leftOut()).toEqual([]);
});

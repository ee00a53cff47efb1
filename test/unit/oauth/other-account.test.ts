import { expect, test } from 'vitest';
import { ANA, emptyStore, oauthInstance, said, tasksServer } from '../../fixtures/oauth/instance.ts';

async function connected() {
  const server = await tasksServer();
  const instance = oauthInstance(server, { store: await emptyStore() });
  await instance.hub.start();
  await instance.signIn(ANA, 'ana');
  const offered = async () => (await instance.hub.tools(ANA))[0]?.account;
  return { server, instance, offered };
}

test('where a server does not say whose account it is, a new sign-in after a disconnection is another one', async () => {
  const { server, instance, offered } = await connected();
  const account = await offered();
  if (!account) throw new Error('it is offered for no account');
  expect(account.name).toBeNull();
  const send = async () => said(await instance.send('list_tasks', ANA, {}, { account }));
  server.authorization.forgetAll();
  expect(await send()).toMatch(/^blocked/);
  await instance.signIn(ANA, 'ana');
  expect(await send()).toBe('the tasks of ana: none');
  await instance.oauth.personal.disconnect('tasks', ANA);
  await instance.signIn(ANA, 'bob');
  expect(await send()).toMatch(
    /^failed: This was proposed while tasks was connected with another account than now; nothing was done\./,
  );
  expect(await offered()).not.toEqual(account);
});

test('a connection made under one sign-in sends the tokens of no other one', async () => {
  const { instance } = await connected();
  const before = await instance.oauth.signIn('tasks', ANA);
  const { authProvider } = instance.oauth.session('tasks', ANA, before?.connectedAt ?? null);
  expect(await authProvider.token()).toBeDefined();
  await instance.oauth.personal.disconnect('tasks', ANA);
  await instance.signIn(ANA, 'bob');
  await expect(authProvider.token()).rejects.toThrow(/^sign_in_required/);
});

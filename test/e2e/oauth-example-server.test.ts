import { expect, onTestFinished, test } from 'vitest';
import { startExampleServer } from '../fixtures/oauth/example-server.ts';
import { ANA, BOB, emptyStore, oauthInstance, said } from '../fixtures/oauth/instance.ts';

test('two people sign in to the example server of the SDK’s first line, and call its tools at once', async () => {
  const server = await startExampleServer();
  onTestFinished(() => server.stop());
  const instance = oauthInstance(server, { store: await emptyStore() });
  await instance.hub.start();
  expect(instance.hub.status()).toMatchObject([{ state: 'sign_in_required' }]);
  expect(said(await instance.send('greet', ANA, { name: 'Ana' }))).toBe(
    'blocked: Connect tasks as yourself to go on.',
  );
  await instance.signIn(ANA, 'ana');
  await instance.signIn(BOB, 'bob');
  const [toAna, toBob] = await Promise.all([
    instance.send('greet', ANA, { name: 'Ana' }),
    instance.send('greet', BOB, { name: 'Bob' }),
  ]);
  expect([said(toAna), said(toBob)]).toEqual(['Hello, Ana!', 'Hello, Bob!']);
  expect(server.calls()).toHaveLength(2);
  expect(server.calls()).toEqual(
    expect.arrayContaining([
      { name: 'Ana', login: 'ana' },
      { name: 'Bob', login: 'bob' },
    ]),
  );
  await instance.oauth.personal.disconnect('tasks', ANA);
  expect(said(await instance.send('greet', ANA, { name: 'Ana' }))).toMatch(/^blocked/);
  expect(said(await instance.send('greet', BOB, { name: 'Bob' }))).toBe('Hello, Bob!');
});

import { expect, onTestFinished, test } from 'vitest';
import { startExampleServer } from '../fixtures/oauth/example-server.ts';
import { ANA, BOB, emptyStore, oauthHouse, said } from '../fixtures/oauth/house.ts';

test('two people sign in to the example server of the SDK’s first line, and call its tools at once', async () => {
  const server = await startExampleServer();
  onTestFinished(() => server.stop());
  const house = oauthHouse(server, { store: await emptyStore() });
  await house.hub.start();
  expect(house.hub.status()).toMatchObject([{ state: 'sign_in_required' }]);
  expect(said(await house.send('greet', ANA, { name: 'Ana' }))).toBe(
    'blocked: Connect tasks as yourself to go on.',
  );
  await house.signIn(ANA, 'ana');
  await house.signIn(BOB, 'bob');
  const [toAna, toBob] = await Promise.all([
    house.send('greet', ANA, { name: 'Ana' }),
    house.send('greet', BOB, { name: 'Bob' }),
  ]);
  expect([said(toAna), said(toBob)]).toEqual(['Hello, Ana!', 'Hello, Bob!']);
  expect(server.calls()).toHaveLength(2);
  expect(server.calls()).toEqual(
    expect.arrayContaining([
      { name: 'Ana', login: 'ana' },
      { name: 'Bob', login: 'bob' },
    ]),
  );
  await house.oauth.personal.disconnect('tasks', ANA);
  expect(said(await house.send('greet', ANA, { name: 'Ana' }))).toMatch(/^blocked/);
  expect(said(await house.send('greet', BOB, { name: 'Bob' }))).toBe('Hello, Bob!');
});

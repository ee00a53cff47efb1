import { expect, it } from 'vitest';
import { calls } from '../../src/gate/store/collections.ts';
import { threads } from '../../src/runs/collections.ts';
import { fences } from '../../src/storage/lease/collections.ts';
import { startAppWithModel } from '../helpers/app.ts';

const DAY = 86_400_000;

it('the removal of old records leaves a thread alone that this process works on', async () => {
  const { app, driver, model } = await startAppWithModel({ file: { records: { keep_for: '30d' } } });
  const ana = driver.as('ana');
  const [general] = driver.workspace.channels.values();
  const channel = general?.id ?? '';
  const answered = (words: string) =>
    driver.waitForMessage((message) => driver.text(message).includes(words));
  /** A worker whose thread somebody else takes can't go on, and its calls in flight are stopped. */
  const fence = () =>
    app.inStore(async (store) => {
      const [thread] = (await store.query(threads, 'byCreation', {}, 1)).items;
      return (await store.get(fences, thread?.id ?? ''))?.version;
    });

  const threadTs = ana.post(channel, '<@U0BOT00001> hello');
  await model.says('Hello, Ana.');
  await answered('Hello, Ana.');
  // Gives the lease back, which would be over with the time that passes.
  await app.restart();
  await app.pass(30 * DAY - 20_000);
  ana.post(channel, '<@U0BOT00001> are you still there?', { threadTs });
  expect(await model.heard()).toContain('still there');
  const before = await fence();
  // Shorter than a lease, and long enough for what was said first to be old.
  await app.pass(25_000);
  expect(await fence()).toBe(before);
  await model.says('I am.');
  await answered('I am.');
  expect(model.requests()).toHaveLength(2);
});

it('a function whose end its program never reported is removed when its time has come', async () => {
  const key = 'a-key-of-a-program-that-asks-2718';
  const { app } = await startAppWithModel({
    env: { COUNTERSIGN_API_KEY: key },
    file: {
      records: { keep_for: '30d' },
      policy: { default: 'allow', rules: [] },
      programs: { env: { for: 'U0ANA00001', channel: 'C0GENERAL1' } },
    },
  });
  const left = () => app.inStore(async (store) => (await store.query(calls, 'byTime', {}, 9)).items.length);
  const begun = await fetch(`${app.url}/agent/begin`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'read_news' }),
  });
  expect(await begun.json()).toMatchObject({ approved: true });
  await app.pass(29 * DAY);
  expect(await left()).toBe(1);
  await app.pass(2 * DAY);
  await expect.poll(left).toBe(0);
});

import { expect, it, onTestFinished, vi } from 'vitest';
import { startAppWithModel } from '../helpers/app.ts';

const MINUTE = 60_000;

/** The app, with what it has posted in #general that isn't an answer in a thread. */
async function open() {
  const started = await startAppWithModel({ file: {} });
  const { driver } = started;
  const general = [...driver.workspace.channels.values()].find(({ name }) => name === 'general')?.id ?? '';
  const posted = () =>
    driver
      .messages(general)
      .filter(
        ({ byApp, ts, threadTs, ephemeralFor }) => byApp && (threadTs ?? ts) === ts && ephemeralFor === null,
      )
      .map((message) => driver.text(message));
  return { ...started, general, posted };
}

it('a run begins once with its message, though the answer to its post was lost and the app started anew', async () => {
  const { app, driver, model, general, posted } = await open();
  await driver.as('ana').command('/countersign every day at 10:00 say hello', general);
  driver.fault({ method: 'chat.postMessage', times: 1, kind: 'drop_response' });
  await app.pass(61 * MINUTE);
  await expect.poll(posted).toHaveLength(1);
  await app.restart();
  // It sees what was begun, and goes on with that once it has been so for a minute, by the clock that nobody sets.
  await app.pass(1);
  const steady = performance.now.bind(performance);
  const passed = vi.spyOn(performance, 'now').mockImplementation(() => steady() + MINUTE);
  onTestFinished(() => passed.mockRestore());
  const begins = model.says('Hello.');
  await app.pass(MINUTE);
  await begins;
  const answer = await driver.waitForMessage((message) => driver.text(message).includes('Hello.'));
  const [root] = driver.messages(general).filter(({ byApp, ts }) => byApp && ts === answer.threadTs);
  expect(root && driver.text(root)).toContain('say hello');
  await app.pass(10 * MINUTE);
  expect(posted()).toHaveLength(1);
});

it('what somebody schedules is in their own zone, wherever the others are', async () => {
  const { app, driver, general, posted } = await open();
  driver.setUser('bob', { tz: 'America/New_York' });
  await driver.as('bob').command('/countersign remind me at 4:00 to sleep', general);
  const told = await driver.waitForMessage(({ ephemeralFor }) => ephemeralFor === driver.as('bob').id);
  expect(driver.text(told)).toContain('Mon 23 Nov 2026, 04:00 America/New_York');
  await app.pass(59 * MINUTE);
  expect(posted()).toEqual([]);
  await app.pass(2 * MINUTE);
  expect(posted()).toEqual([expect.stringContaining('sleep')]);
});

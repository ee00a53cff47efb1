import { expect, it, onTestFinished } from 'vitest';
import { SlackConnection } from '../../../src/slack/connection.ts';
import { quiet, startWorkspace } from '../../helpers/workspace.ts';

it('the start asks Slack once who the app is, and Bolt leaves out what the app itself said', async () => {
  const { apiUrl, appToken, botToken, driver } = await startWorkspace();
  const connection = new SlackConnection({
    botToken,
    mode: { kind: 'socket', appToken },
    apiUrl,
    store: null,
    postsPerSecond: 1,
    clock: Date.now,
    timeZone: 'UTC',
    log: quiet,
  });
  const heard: unknown[] = [];
  connection.bolt.app.event('message', async ({ event }) => {
    if ('text' in event) heard.push(event.text);
  });
  onTestFinished(async () => {
    await connection.bolt.app.stop();
    await connection.stop();
  });
  await connection.start();
  expect(driver.calls('auth.test')).toHaveLength(1);

  const channel = driver.as('ana').dmChannel;
  await connection.bolt.client.chat.postMessage({ channel, text: 'from the app' });
  driver.as('ana').dm('from Ana');
  await expect.poll(() => heard).toEqual(['from Ana']);
  expect(driver.calls().map(({ method }) => method)).toEqual([
    'auth.test',
    'apps.connections.open',
    'chat.postMessage',
  ]);
});

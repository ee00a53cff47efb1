import { App } from '@slack/bolt';
import { expect, it } from 'vitest';
import { startSlackEmulator } from '../src/index.ts';

it('deploys after a click', async () => {
  const slack = await startSlackEmulator({ botName: 'deployer' });
  const app = new App({
    token: slack.botToken,
    appToken: slack.appToken,
    socketMode: true,
    clientOptions: { slackApiUrl: slack.apiUrl },
  });
  app.event('app_mention', async ({ say }) => {
    const text = { type: 'plain_text' as const, text: 'Deploy' };
    await say({
      text: 'Deploy to production?',
      blocks: [{ type: 'actions', elements: [{ type: 'button', action_id: 'deploy', text }] }],
    });
  });
  app.action('deploy', async ({ ack, respond }) => {
    await ack();
    await respond({ text: 'Deployed.', replace_original: true });
  });
  await app.start();

  const { driver } = slack;
  await driver.waitForApp();
  const ana = driver.as('ana');
  ana.post('general', '@deployer ship it');
  const question = await driver.waitForMessage((message) => message.byApp);
  expect(driver.text(question)).toContain('[Deploy]');
  await ana.click(question, 'Deploy');
  await driver.waitForMessage((message) => message.text === 'Deployed.');

  await app.stop();
  await slack.stop();
});

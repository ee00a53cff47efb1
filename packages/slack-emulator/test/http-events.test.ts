import { once } from 'node:events';
import { App, HTTPReceiver, LogLevel } from '@slack/bolt';
import { expect, it, onTestFinished } from 'vitest';
import { type SlackEmulator, startSlackEmulator } from '../src/index.ts';
import { startWorkspace } from './helpers/workspace.ts';

/** The real Bolt app behind its own HTTP server, verifying signatures. */
async function boltOverHttp(
  workspace: SlackEmulator,
  register: (app: App) => void,
  signingSecret = workspace.signingSecret,
): Promise<string> {
  const receiver = new HTTPReceiver({ signingSecret, logLevel: LogLevel.ERROR });
  const app = new App({
    token: workspace.botToken,
    receiver,
    clientOptions: { slackApiUrl: workspace.apiUrl },
    logLevel: LogLevel.ERROR,
  });
  register(app);
  const server = await receiver.start(0);
  onTestFinished(async () => {
    server.close();
    await once(server, 'close');
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/slack/events`;
}

it('delivers signed events, interactions and commands to an app behind HTTP', async () => {
  const workspace = await startWorkspace({ commands: [{ command: '/sign', description: '', usage: '' }] });
  const seen: string[] = [];
  const url = await boltOverHttp(workspace, (app) => {
    app.event('app_mention', async ({ say }) => {
      await say({
        text: 'card',
        blocks: [
          {
            type: 'actions',
            elements: [{ type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } }],
          },
        ],
      });
    });
    app.action('go', async ({ ack }) => {
      seen.push('action');
      await ack();
    });
    app.command('/sign', async ({ ack }) => ack('signed'));
  });
  await workspace.driver.setEventsUrl(url);
  const ana = workspace.driver.as('ana');
  ana.post('general', '@app hi');
  await ana.click(await workspace.driver.waitForMessage((it) => it.byApp), 'Go');
  expect(seen).toEqual(['action']);
  expect(await ana.command('/sign')).toEqual(['signed']);
});

it('does not accept an address whose app has another signing secret', async () => {
  const workspace = await startWorkspace();
  const url = await boltOverHttp(workspace, () => {}, 'another-secret');
  await expect(workspace.driver.setEventsUrl(url)).rejects.toThrow('http_error');
});

it('does not start when the address that it is given does not answer', async () => {
  const workspace = await startWorkspace();
  await expect(startSlackEmulator({ eventsUrl: `${workspace.url}/nothing` })).rejects.toMatchObject({
    code: 'bad_config',
  });
});

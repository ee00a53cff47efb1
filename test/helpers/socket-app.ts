import { App } from '@slack/bolt';
import { onTestFinished } from 'vitest';
import { SocketReceiver } from '../../src/slack/client/socket-receiver.ts';
import { quiet, startWorkspace, webClient } from './workspace.ts';

const BUTTON = {
  type: 'button',
  action_id: 'go',
  text: { type: 'plain_text', text: 'Go' },
  value: '1',
} as const;

interface SocketAppOptions {
  /** Changes the address of the Web API that the connections are opened by. */
  readonly apiUrl?: (real: string) => Promise<string>;
  readonly mendMs?: number;
  readonly pingMs?: number;
}

/** A Bolt app on our receiver for Socket Mode, connected to a Slack emulator; ended with the test. */
export async function connectApp(register: (app: App) => void, options: SocketAppOptions = {}) {
  const workspace = await startWorkspace({
    commands: [{ command: '/countersign', description: 'Ask', usage: 'help' }],
  });
  const logged: string[] = [];
  const { apiUrl = async (real: string) => real, ...timing } = options;
  const unclaimed: unknown[] = [];
  const receiver = new SocketReceiver({
    appToken: workspace.appToken,
    apiUrl: await apiUrl(workspace.apiUrl),
    ...timing,
    unclaimed: async (body, ack) => {
      unclaimed.push(body.type);
      await ack({ response_action: 'clear' });
    },
    installation: () => workspace.driver.workspace.team.id,
    log: { ...quiet, error: (_details, message) => void logged.push(message) },
  });
  const app = new App({
    token: workspace.botToken,
    receiver,
    clientOptions: { slackApiUrl: workspace.apiUrl, retryConfig: { retries: 0 } },
    logger: quiet,
  });
  register(app);
  await app.start();
  onTestFinished(async () => {
    await app.stop();
  });
  await workspace.driver.waitForApp();
  const ana = workspace.driver.as('ana');
  /** A message of the app with one button. */
  const withButton = async () => {
    const ts = ana.post('general', 'here');
    const posted = await webClient(workspace).chat.postMessage({
      channel: 'C0GENERAL1',
      thread_ts: ts,
      text: 'Go?',
      blocks: [{ type: 'actions', block_id: 'b', elements: [BUTTON] }],
    });
    return workspace.driver.message('general', String(posted.ts));
  };
  return { workspace, driver: workspace.driver, ana, receiver, logged, unclaimed, withButton };
}

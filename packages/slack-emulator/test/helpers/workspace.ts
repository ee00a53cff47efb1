import { App, type AppOptions, LogLevel } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import { onTestFinished } from 'vitest';
import { type SlackEmulator, type SlackEmulatorOptions, startSlackEmulator } from '../../src/index.ts';

const quiet = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  setLevel: () => {},
  getLevel: () => LogLevel.ERROR,
  setName: () => {},
};

/** A local workspace for one test, ended with it. Rates are off unless the test asks for them. */
export async function startWorkspace(options: SlackEmulatorOptions = {}): Promise<SlackEmulator> {
  const workspace = await startSlackEmulator({ rates: 'off', ...options });
  onTestFinished(() => workspace.stop());
  return workspace;
}

/** A Web API client that fails at once instead of trying again. */
export function webClient(workspace: SlackEmulator, token = workspace.botToken): WebClient {
  return new WebClient(token, {
    slackApiUrl: workspace.apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: quiet,
  });
}

/** The real Bolt app, connected over Socket Mode, ended with the test; `register` adds its listeners. */
export async function connectBolt(
  workspace: SlackEmulator,
  register: (app: App) => void,
  options: Partial<AppOptions> = {},
): Promise<App> {
  const app = new App({
    token: workspace.botToken,
    appToken: workspace.appToken,
    socketMode: true,
    clientOptions: { slackApiUrl: workspace.apiUrl, retryConfig: { retries: 0 } },
    logger: quiet,
    ...options,
  });
  register(app);
  await app.start();
  onTestFinished(async () => {
    await app.stop();
  });
  await workspace.driver.waitForApp();
  return app;
}

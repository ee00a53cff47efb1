import {
  type SlackEmulator,
  type SlackEmulatorOptions,
  startSlackEmulator,
} from '@countersign/slack-emulator';
import { LogLevel } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import { onTestFinished } from 'vitest';

/** A logger for Slack's clients that says nothing. */
export const quiet = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  setLevel: () => {},
  getLevel: () => LogLevel.ERROR,
  setName: () => {},
};

/** A Slack emulator for one test, ended with it. Rates are off unless the test asks for them. */
export async function startWorkspace(options: SlackEmulatorOptions = {}): Promise<SlackEmulator> {
  const workspace = await startSlackEmulator({ rates: 'off', botName: 'Countersign', ...options });
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

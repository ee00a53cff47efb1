import {
  type SlackEmulator,
  type SlackEmulatorOptions,
  startSlackEmulator,
} from '@countersign/slack-emulator';
import { LogLevel } from '@slack/bolt';
import { onTestFinished } from 'vitest';
import { SlackClient } from '../../src/slack/client/slack-client.ts';

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

/** A client of ours for the workspace. */
export function webClient(workspace: SlackEmulator, token = workspace.botToken): SlackClient {
  return new SlackClient(token, { apiUrl: workspace.apiUrl, timeoutMs: 10_000, log: quiet });
}

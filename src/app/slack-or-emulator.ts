import { join } from 'node:path';
import type { SlackEmulator } from '@countersign/slack-emulator';
import type { Env, SlackSettings } from '../config/env.ts';
import { ConfigError, errorCode } from '../lib/errors.ts';
import { isPortTaken, whyNotListening } from './listen-errors.ts';
import { COMMAND_DESCRIPTION, WORKSPACE_NOT_INSTALLED } from './texts/start.ts';
import { WORKSPACE_PAGE } from './texts/workspace.ts';

type EmulatorPackage = typeof import('@countersign/slack-emulator');

/** The configured Slack or, without tokens, the local workspace in its place. */
export async function slackOrEmulator(
  env: Env,
): Promise<{ settings: SlackSettings; workspace: SlackEmulator | null }> {
  if (env.slack) return { settings: env.slack, workspace: null };
  const workspace = await startWorkspace(env);
  const settings: SlackSettings = {
    botToken: workspace.botToken,
    mode: { kind: 'socket', appToken: workspace.appToken },
    apiUrl: workspace.apiUrl,
    openId: { clientId: workspace.clientId, clientSecret: workspace.clientSecret },
  };
  return { settings, workspace };
}

/**
 * Starts the local workspace, on any free port if its own is in use; the printed address is the actual one.
 */
async function startWorkspace(env: Env): Promise<SlackEmulator> {
  const { startSlackEmulator, pageHandler, EmulatorConfigError } = await loadEmulator();
  const options = {
    host: env.server.host,
    dataFile: join(env.dataDir, 'workspace.json'),
    page: pageHandler(),
    tz: env.timeZone,
    botName: 'countersign',
    // Where the example configuration has the planner and the team answer.
    channels: ['lab', 'team'],
    pageTexts: WORKSPACE_PAGE,
    commands: [
      {
        command: '/countersign',
        description: COMMAND_DESCRIPTION,
        usage: 'help | status | grants | delegate | cancel',
      },
    ],
  };
  try {
    return await startSlackEmulator({ ...options, port: env.workspacePort }).catch((error: unknown) => {
      if (!isPortTaken(error)) throw error;
      return startSlackEmulator(options);
    });
  } catch (error) {
    if (error instanceof EmulatorConfigError) throw new ConfigError(error.userMessage, error);
    throw whyNotListening(error, { ...env.server, port: env.workspacePort, variable: 'WORKSPACE_PORT' });
  }
}

/** Loads the emulator only when needed: with a real Slack it needn't be installed. */
async function loadEmulator(): Promise<EmulatorPackage> {
  try {
    return await import('@countersign/slack-emulator');
  } catch (error) {
    if (errorCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ConfigError(WORKSPACE_NOT_INSTALLED, error);
  }
}

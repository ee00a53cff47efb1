import { join } from 'node:path';
import { createLocalWorkspace, type LocalWorkspace } from '../../packages/slack-emulator/src/index.ts';
import { pageHandler } from '../../packages/slack-emulator/src/server/page-bundle.ts';
import type { Env, SlackSettings } from '../config/env.ts';
import { failAt, isPortTaken } from './listen-errors.ts';

/** The Slack that is configured, or the local workspace in its place. */
export async function slackOrStandIn(
  env: Env,
): Promise<{ settings: SlackSettings; workspace: LocalWorkspace | null }> {
  if (env.slack) return { settings: env.slack, workspace: null };
  const options = {
    host: env.server.host,
    dataFile: join(env.dataDir, 'workspace.json'),
    page: pageHandler(),
    tz: env.timeZone,
    botName: 'countersign',
    commands: [
      {
        command: '/countersign',
        description: 'What waits, what runs, how to use it',
        usage: 'help | status | grants | delegate | cancel',
      },
    ],
  };
  const workspace = await createLocalWorkspace({ ...options, port: env.workspacePort }).catch(
    (error: unknown) => {
      // Somebody has the port: any other will do, since the printed address is the one that is true.
      if (isPortTaken(error)) return createLocalWorkspace(options);
      return failAt({ ...env.server, port: env.workspacePort, variable: 'WORKSPACE_PORT' })(error);
    },
  );
  const settings: SlackSettings = {
    botToken: workspace.botToken,
    mode: { kind: 'socket', appToken: workspace.appToken },
    apiUrl: workspace.apiUrl,
    openId: { clientId: workspace.clientId, clientSecret: workspace.clientSecret },
  };
  return { settings, workspace };
}

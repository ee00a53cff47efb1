import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { SlackEmulator } from '@countersign/slack-emulator';
import type { Env, SlackSettings } from '../config/env.ts';
import type { FileConfig } from '../config/file.ts';
import type { Clock } from '../lib/clock.ts';
import { ConfigError, errorCode } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { hasMail } from './demo-servers/bundled.ts';
import { createLocalMail } from './demo-servers/in-process.ts';
import type { LocalMail } from './demo-servers/mail/local-mail.ts';
import { isPortTaken, whyNotListening } from './listen-errors.ts';
import { COMMAND_DESCRIPTION, mailboxesLine, WORKSPACE_NOT_INSTALLED } from './texts/start.ts';
import { MAILBOX_EXAMPLE, MAILBOXES_LINK, WORKSPACE_PAGE } from './texts/workspace.ts';

type EmulatorPackage = typeof import('@countersign/slack-emulator');

interface SurroundingParts {
  readonly env: Env;
  readonly file: Pick<FileConfig, 'servers'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * The configured Slack or, without tokens, the local workspace in its place; and the mailboxes that come with this program, which the
 * workspace shows where they are configured.
 *
 * @param notes what the person who started it should know is added to these
 */
export async function slackOrEmulator(
  { env, file, clock, log }: SurroundingParts,
  notes: string[],
): Promise<{
  readonly settings: SlackSettings;
  readonly workspace: SlackEmulator | null;
  readonly mail: LocalMail;
}> {
  const mail = createLocalMail(env, clock, log);
  if (env.slack) return { settings: env.slack, workspace: null, mail };
  const isShown = hasMail(file.servers);
  const workspace = await startWorkspace(env, isShown ? mail : null);
  if (isShown) notes.push(mailboxesLine(workspace.url, await mail.listen(env.workspaceSmtpPort)));
  const settings: SlackSettings = {
    botToken: workspace.botToken,
    mode: { kind: 'socket', appToken: workspace.appToken },
    apiUrl: workspace.apiUrl,
    openId: { clientId: workspace.clientId, clientSecret: workspace.clientSecret },
  };
  return { settings, workspace, mail };
}

/**
 * Starts the local workspace, on any free port if its own is in use; the printed address is the actual one.
 */
async function startWorkspace(env: Env, mail: LocalMail | null): Promise<SlackEmulator> {
  const { startSlackEmulator, pageHandler, EmulatorConfigError } = await loadEmulator();
  const page = pageHandler();
  const options = {
    host: env.server.host,
    dataFile: join(env.dataDir, 'workspace.json'),
    page: (request: IncomingMessage, response: ServerResponse) =>
      mail?.page(request, response) === true || page(request, response),
    tz: env.timeZone,
    botName: 'countersign',
    // Where the example configuration has the planner and the team answer.
    channels: ['lab', 'team'],
    pageTexts: {
      ...WORKSPACE_PAGE,
      ...(mail !== null && {
        examples: [...WORKSPACE_PAGE.examples, MAILBOX_EXAMPLE],
        links: [MAILBOXES_LINK],
      }),
    },
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

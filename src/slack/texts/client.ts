/** The texts for failures of Slack itself. */

/** Why the app didn't start. */
export const START = {
  rejected: (error: string) =>
    `Slack rejected the tokens (${error}). Check SLACK_BOT_TOKEN, and SLACK_APP_TOKEN in Socket Mode.`,
  unreachable: "Slack couldn't be reached. Check the network, and SLACK_API_URL if it is set.",
} as const;

/** Why Slack refuses the app, and what to do; `error` is Slack's name for it, or the event that said so. */
export function accessProblem(error: string): string {
  switch (error) {
    case 'account_inactive':
    case 'app_uninstalled':
    case 'token_revoked':
    case 'tokens_revoked':
      return 'The app was removed from the workspace, or its bot token was revoked. Install it again; if the bot token is a new one, set SLACK_BOT_TOKEN and restart.';
    case 'invalid_auth':
    case 'not_authed':
    case 'token_expired':
      return 'Slack rejects SLACK_BOT_TOKEN. Set the bot token of the installed app and restart.';
    case 'missing_scope':
      return 'The app was installed without the scope chat:write. Add the scopes of manifest.yml and install it again.';
    default:
      return `Slack refuses the app for now (${error}). An admin of the workspace can say why.`;
  }
}

/** Why there is no connection in Socket Mode: for the log and for `/readyz`. */
export const SOCKET = {
  notStarted: 'Slack not connected yet',
  lost: 'Slack connection lost; connecting again',
  unreachable: (error: string) => `Slack connection failed (${error}); trying again`,
  rejected: (error: string) =>
    `Slack rejected SLACK_APP_TOKEN (${error}); trying again every minute. Check the app-level token under Basic Information of the app, and that it has connections:write; a new one takes a restart.`,
  turnedOff:
    'Socket Mode was turned off; trying again every minute. Turn it on under Socket Mode of the app, or unset SLACK_APP_TOKEN and use HTTP.',
} as const;

export const UPLOAD_FAILED = "Slack rejected a file from a tool's result, so it wasn't posted.";

export const HELD_BACK =
  'Slack limits how often it may be called, so this was not sent. Try again in a moment.';

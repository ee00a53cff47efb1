/** The texts for failures of Slack itself. */

/** Why the app didn't start. */
export const START = {
  unreachable: "Slack couldn't be reached. Check the network, and SLACK_API_URL if it is set.",
} as const;

/** The settings with Slack's tokens, and where each is found. */
const TOKENS = {
  SLACK_BOT_TOKEN:
    'the “Bot User OAuth Token” (xoxb-…) under OAuth & Permissions of the app (api.slack.com/apps)',
  SLACK_APP_TOKEN:
    'an “App-Level Token” (xapp-…) with connections:write under Basic Information of the app (api.slack.com/apps)',
} as const;

/**
 * Why Slack doesn't take a token, and what to do, each as a sentence. `error` is Slack's name for it.
 * @see https://docs.slack.dev/reference/methods/auth.test, https://docs.slack.dev/reference/methods/apps.connections.open
 */
export function tokenProblem(
  error: string,
  variable: keyof typeof TOKENS,
): { readonly what: string; readonly mend: string } {
  const mend = `Set ${variable} to ${TOKENS[variable]}.`;
  switch (error) {
    case 'invalid_auth':
      return {
        what: `Slack does not know the token in ${variable} (${error}): it is mistyped or cut off.`,
        mend,
      };
    case 'not_authed':
      return { what: `Slack was given no token (${error}).`, mend };
    case 'not_allowed_token_type':
      return { what: `${variable} holds a token of the wrong kind (${error}).`, mend };
    case 'token_expired':
      return { what: `The token in ${variable} has expired (${error}).`, mend };
    case 'account_inactive':
    case 'token_revoked':
      return {
        what: `The token in ${variable} was revoked, or the app was removed from the workspace (${error}).`,
        mend: `Install the app again. ${mend}`,
      };
    case 'missing_scope':
      if (variable === 'SLACK_APP_TOKEN')
        return { what: `The token in ${variable} lacks connections:write.`, mend };
      return {
        what: `The token in ${variable} lacks a scope (${error}).`,
        mend: 'Bring the app up to date with manifest.yml, and install it again.',
      };
    default:
      return {
        what: `Slack refuses ${variable} (${error}).`,
        mend: 'An admin of the workspace can say why.',
      };
  }
}

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

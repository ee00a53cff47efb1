/** The texts for failures of Slack itself. */

/** Why the app didn't start. */
export const START = {
  rejected: (error: string) =>
    `Slack rejected the tokens (${error}). Check SLACK_BOT_TOKEN, and SLACK_APP_TOKEN in Socket Mode.`,
  unreachable: "Slack couldn't be reached. Check the network, and SLACK_API_URL if it is set.",
} as const;

export const UPLOAD_FAILED = "Slack rejected a file from a tool's result, so it wasn't posted.";

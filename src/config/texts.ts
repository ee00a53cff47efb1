/** What is wrong with the environment or a file of settings as a whole; a setting's own rule is said in its schema. */

export function badEnvironment(problems: readonly string[]): string {
  return `These environment variables are wrong:\n  ${problems.join('\n  ')}`;
}

export const LANGSMITH_NEEDS_KEY = 'LANGSMITH_API_KEY: must be set where LANGSMITH_TRACING is true';

export function roleNeedsRedis(role: string): string {
  return `ROLE=${role} shares its work with other processes, and needs REDIS_URL for that. Set it, or unset ROLE.`;
}

export function checkpointerNeedsRedis(checkpointer: string): string {
  return `CHECKPOINTER=${checkpointer} needs REDIS_URL. Set it, or unset CHECKPOINTER.`;
}

export function roleNeedsSlack(role: string): string {
  return `ROLE=${role} needs Slack: the local workspace runs in one process. Set SLACK_BOT_TOKEN, or unset ROLE.`;
}

export const BOT_TOKEN_MISSING =
  'SLACK_BOT_TOKEN is not set, but another Slack variable is. Set it, or unset both.';

export const SLACK_MODE_MISSING =
  'SLACK_BOT_TOKEN is set, but neither SLACK_APP_TOKEN (Socket Mode) nor SLACK_SIGNING_SECRET (HTTP) is.';

/** A token of another kind than the setting wants; each completes "it …". */
export const WRONG_TOKEN = {
  bot: 'is a bot token, which goes into SLACK_BOT_TOKEN.',
  app: 'is an app-level token, which goes into SLACK_APP_TOKEN.',
  user: 'is a user token, which is not used here.',
  configuration: 'is a configuration token, which is not used here.',
  unknown: 'is no such token of Slack.',
  wanted: {
    bot: 'The bot token begins with xoxb-: “Bot User OAuth Token” under OAuth & Permissions of the app (api.slack.com/apps)',
    app: 'The app-level token begins with xapp-: “App-Level Tokens” under Basic Information of the app (api.slack.com/apps)',
  },
} as const;

/** Half of Slack's client credentials, such as `ID` without `SECRET`. */
export function halfOfClient({ set, unset }: { readonly set: string; readonly unset: string }): string {
  return `SLACK_CLIENT_${set} is set, but SLACK_CLIENT_${unset} is not. Set both, or neither.`;
}

export function noConfigFile(path: string): string {
  return `${path}: there is no such file. Run npx countersign init to write one, or set COUNTERSIGN_CONFIG.`;
}

export function serverTwice({
  path,
  server,
  other,
}: {
  readonly path: string;
  readonly server: string;
  readonly other: string;
}): string {
  return `${path}: the server "${server}" is also in ${other}. Name it once.`;
}

/** A route that names the team, where none is declared. */
export const NEEDS_TEAM = 'is for the team, of which no agent is declared under team.agents';
export const PASSWORD_IN_URL = 'has a password in it; put it into key';
/** Of a rule about what sessions have read. */
export const NEEDS_PERMISSIONS = 'needs risk.permissions: without it, nothing is known of sessions';

export function reservedForRisk(at: {
  readonly path: string;
  readonly line: number;
  readonly server: string;
}): string {
  return `${at.path}:${at.line}: mcpServers.${at.server}: in permissions files, ${at.server} is a section of its own; give this server another name`;
}

export function unknownRiskAgent(at: {
  readonly path: string;
  readonly line: number;
  readonly agent: string;
  readonly known: readonly string[];
}): string {
  return `${at.path}:${at.line}: risk.agents.${at.agent}: there is no such agent; there is ${at.known.join(', ')}`;
}

export function unreadableFile(path: string, why: string): string {
  return `${path}: could not be read: ${why}`;
}

export function emptyFile(path: string): string {
  return `${path}: there is nothing in this file.`;
}

/** `line`: from 1. */
export function notYaml(path: string, line: number, why: string): string {
  return `${path}:${line}: this is not YAML: ${why}`;
}

export function badAliases(path: string, why: string): string {
  return `${path}: its aliases cannot be followed: ${why}`;
}

/** The place of a problem that is no setting's. */
export const WHOLE_FILE = '(whole file)';

/** What keeps a file from being YAML, with what to do; the rest of a line that {@link notYaml} begins. */
export const YAML_PROBLEMS = {
  star: 'a value that begins with * must be in quotes: "*"',
  at: 'a value that begins with @ or ` must be in quotes: "@finance"',
  tab: 'there is a tab before this. Indent with blanks alone',
  duplicateKey: (key: string, firstLine: number) =>
    `the key “${key}” is here twice, first in line ${firstLine}. Leave one of them`,
  indent: 'this line is not indented like those it belongs to',
  colon: 'a text with “: ” in it must be in quotes',
  unfinishedKey: 'a key has no “: ” after it, or a quote is not closed',
  secondDocument: 'a second document begins here (---). Keep one',
  unclosedQuote: 'a quote before this is not closed',
  unclosed: (bracket: '{' | '[') => `a ${bracket} before this is not closed`,
} as const;

// Templates of cards

export const MUST_BE_TOOL = 'must be a tool as server.tool, such as calendar.get_event';
export const STRAY_BRACE = 'has a brace that belongs to no placeholder: write {argument} or {was.field}';

/** A card's other tools are of its own server, which is asked in the same name. */
export function notOnServer(server: string): string {
  return `must be a tool of ${server}, as the card's own is`;
}

/** Of `via`, which makes an agent of the team another program. */
export const TEAM_VIA = {
  one: 'needs exactly one of "tool", "url" and "a2a"',
  toolFormat: 'must be a tool of a server, as server.tool',
  notHttp: 'must be an http or https address',
  credentials: `has a user name or a password in it; put them into "headers", with \${NAME} from the environment`,
  headersOfTool: 'are for "url" and "a2a"; a server has its own, under mcpServers',
  notBeside: 'has no use beside "via": the other program has its own',
} as const;

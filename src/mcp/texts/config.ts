/** The errors of a server's configuration, for operators. They name variables, never a value. */

export const TIMEOUT_FORMAT = 'must be a number and s, m, h or d, such as 30m, or off';
export const TIMEOUT_TOO_LONG = 'must be at most 24d, or off';
export const START_TIMEOUT_FORMAT = 'must be a number and s, m, h or d, such as 2m';
export const START_TIMEOUT_TOO_LONG = 'must be at most 24d';
export const MEMORY_FORMAT = 'must be a number and KB, MB or GB, such as 512MB';
export const HEADER_NAME_FORMAT = 'must be the name of an HTTP header';
export const HEADER_VALUE_FORMAT = 'must be the value of an HTTP header: one line of text';
export const RESERVED_HEADER = 'belongs to signing in, the session or the protocol; an approval can’t set it';
export const META_KEY_RESERVED = 'belongs to the protocol; an approval can’t set it';
/** Describes `on_approved`, for editors. */
export const ON_APPROVED =
  'Sent with calls that people approved, also by a grant, and with no others: how a server that wants a confirmation learns of it.';
export const JOB_PATH_FORMAT = 'must be names with dots between them, such as job.id';
export const SLACK_USER_FORMAT = 'must be the id of a Slack user, such as U012AB3CD';
export const SLACK_CHANNEL_FORMAT = 'must be the id of a Slack channel, such as C012AB3CD';
export const MAILBOX_FORMAT = {
  address: 'must be an e-mail address',
  name: 'must be one line of text',
  imap: 'must be such as imaps://mail.example.com:993, with nothing else; user and password stand beside it',
  smtp: 'must be such as smtps://mail.example.com:465 or smtp+starttls://mail.example.com:587, with nothing else; user and password stand beside it',
};
export const PUSH_TOPIC_FORMAT = 'must be such as projects/my-project/topics/gmail';
export const ROOT_FORMAT = 'must be an absolute path, or begin with file:///';
export const NEEDS_ONE_KIND = 'needs exactly one of "command", "url", "in_process" or "connector"';
export const NAME_FORMAT = 'a server’s name has only letters, digits, "_" and "-", for rules to name it';

export function reservedName(name: string): string {
  return `"${name}" is the name of this program’s own tools`;
}

/** `place`: the file, and the line if known; `key`: within the server. */
export function serverKey(
  place: string,
  server: string,
  key: string,
  what: 'server' | 'agent' | 'setting' = 'server',
): string {
  return `${place}: ${what} "${server}": ${key}`;
}

/** `at`: as {@link serverKey} formats it, as in the next ones. */
export function notHttpAddress(at: string): string {
  return `${at}: is not an http or https address.`;
}

export function credentialsInAddress(at: string): string {
  return `${at}: has a user name or a password in it; put them into "headers", with \${NAME} from the environment.`;
}

export function promptedVariable(at: string): string {
  return `${at}: \${input:…} is not known here. Use an environment variable: \${NAME}.`;
}

export function unsetVariable(at: string, name: string): string {
  return `${at}: the environment variable ${name} is not set. Set it, or give a default: \${${name}:-default}.`;
}

/** `problems`: each may end with a question, such as "did you mean …?". */
export function invalidServer(place: string, server: string, problems: readonly string[]): string {
  const all = problems.join('; ');
  return `${serverKey(place, server, all)}${all.endsWith('?') ? '' : '.'}`;
}

export function serversNotMap(file: string): string {
  return `${file}: "mcpServers" is not a map of servers.`;
}

export function noServers(file: string): string {
  return `${file}: has neither "mcpServers" nor "servers", a map of servers.`;
}

export function fileMissing(file: string): string {
  return `${file}: there is no such file; mcp_json is relative to countersign.yaml.`;
}

/** `why`: without a full stop. */
export function fileUnreadable(file: string, why: string): string {
  return `${file}: could not be read: ${why}.`;
}

/** `line`: null if unknown. */
export function notJson(line: string | null): string {
  const where = line === null ? '' : ` (line ${line})`;
  return `it is not JSON${where}, which has no comments, and no comma after the last entry`;
}

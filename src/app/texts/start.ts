/** The texts of the program's start: its greeting, configuration errors, warnings, and the local workspace. */

import type { ServerStatus } from '../../mcp/ports.ts';
import { WORKSPACE_PAGE } from './workspace.ts';

// The greeting

export const CONNECTED_TO_SLACK = 'Countersign is connected to Slack.';
export const STANDS_IN_FOR_SLACK = 'It stands in for Slack. To connect the real one, see the README.';

export function runsInWorkspace(url: string): string {
  return `Countersign runs in a local workspace: open ${url}`;
}

export function anotherWorkspacePort(port: number): string {
  return `Port ${port} (WORKSPACE_PORT) is taken, so it took another one.`;
}

/** `model`: its name; null for the demo model. */
export function modelLine(model: string | null, { hasCalendar }: { readonly hasCalendar: boolean }): string {
  if (model !== null) return `The model is ${model}.`;
  const calendar = hasCalendar ? '; it can use the calendar' : '';
  return `Without OPENAI_API_KEY a scripted demo model answers${calendar}.`;
}

/** The agents whose work the page's first example for #team is. */
const IN_EXAMPLE = ['documents', 'calendar'];

/** `agents`: the names of those in the local workspace's #team. */
export function teamLine(agents: readonly string[]): string {
  const [example] = WORKSPACE_PAGE.examplesIn.team;
  const isKnown = IN_EXAMPLE.every((name) => agents.includes(name));
  const what = `In #team, agents work on one request together (${agents.join(', ')})`;
  return isKnown ? `${what}. Try: @countersign ${example}` : `${what}.`;
}

export const NO_SERVERS =
  'No server is configured, so the agent can read and change nothing. Add one under mcpServers in the configuration file.';

/** `url`: the local workspace's; `smtpPort`: where it takes mails. */
export function mailboxesLine(url: string, smtpPort: number): string {
  return `Mailboxes of the local workspace: ${url}/mail, and SMTP at 127.0.0.1:${smtpPort}`;
}

export function addressLine(url: string, { isWorker }: { readonly isWorker: boolean }): string {
  return `${isWorker ? 'Health' : 'HTTP API'}: ${url}`;
}

export function dashboardLine(url: string): string {
  return `Dashboard: ${url}/dashboard`;
}

/** A server that is up or has failed, in one line. */
export function serverLine(status: ServerStatus): string {
  const { name, state, toolCount } = status;
  if (state === 'up') return `Server ${name}: up, ${toolCount === 1 ? '1 tool' : `${toolCount} tools`}.`;
  return serverProblem(status) ?? `Server ${name}: people connect their own account when they first need it.`;
}

/** Why a server isn't up, and what to do; null if nothing is wrong. */
export function serverProblem({ name, state, error }: ServerStatus): string | null {
  if (state === 'setup_required') return `Server ${name} needs settings: ${error ?? ''}`.trim();
  if (state !== 'down') return null;
  return `Server ${name} is not up: ${error ?? 'it gives no reason.'} See mcpServers in countersign.yaml; it is tried again by itself.`;
}

// The local workspace

export const DEMO_NOTICE =
  'A scripted demo model answers here, as no OPENAI_API_KEY is set: it knows the examples that it offers and a few ordinary phrases.';

export const COMMAND_DESCRIPTION = 'What is waiting, what is running, how to use it';

export const STOPPED = 'Stopped.';

/** `calls`: how many run and are waited for, at most `withinMs`. */
export function stopping(calls: number, withinMs: number): string {
  if (calls === 0) return 'Stopping…';
  const running = calls === 1 ? 'one call that runs' : `${calls} calls that run`;
  return `Stopping… It waits up to ${withinMs / 1000} s for ${running}. Ctrl+C again ends it at once, and leaves unclear whether they happened.`;
}

// Why the program doesn't start

export function didNotStart(why: string): string {
  return `Countersign did not start.\n${why}\n`;
}

export const WORKSPACE_NOT_INSTALLED =
  'No Slack tokens are set, and the local workspace is not installed. ' +
  'Set SLACK_BOT_TOKEN with SLACK_APP_TOKEN or SLACK_SIGNING_SECRET, ' +
  'or install the local workspace with `npm install @countersign/slack-emulator`.';

const NEW_KEY = 'Make one with `npx countersign audit new-key`.';

export const AUDIT_KEY_MISSING = `Processes that share a Redis sign the audit with one key. Set AUDIT_SIGNING_KEY or AUDIT_SIGNING_KEY_FILE to the same for each. ${NEW_KEY}`;

/** `source`: the variable or the file; what it holds is never shown. */
export function badAuditKey(source: string): string {
  return `${source} holds no Ed25519 key (PKCS#8, as PEM or base64). ${NEW_KEY}`;
}

export function badFormerAuditKey(text: string): string {
  return `AUDIT_FORMER_KEYS: "${text.slice(0, 12)}…" is no public Ed25519 key. \`npx countersign audit keys\` prints one as x.`;
}

export function unusableAuditKey(path: string): string {
  return `The key that signs the audit can be neither read from nor made at ${path}. Set AUDIT_SIGNING_KEY_FILE to a file that this user can write, outside of DATA_DIR, or set AUDIT_SIGNING_KEY. ${NEW_KEY}`;
}

export function auditKeyInDataDir(path: string): string {
  return `AUDIT_SIGNING_KEY_FILE is ${path}, which is in DATA_DIR: whoever can write the data could sign approvals. Move it elsewhere.`;
}

export function auditKeyOpen(path: string): string {
  return `Others can read ${path}, which holds the key that signs the audit: chmod 600 it. If they may have read it, replace it (docs/operations.md#the-key-of-the-audit).`;
}

export function auditKeyMade(path: string): string {
  return `A key that signs the audit was made at ${path}, beside the data. It protects against changes to the data alone: whoever can also read this file can sign approvals. Back it up apart from the data; docs/security.md says more.`;
}

export function notOurAddress(host: string): string {
  return `HOST=${host} is not an address of this machine. Set HOST to one: 127.0.0.1 is reached from this machine only, 0.0.0.0 from others too.`;
}

/** `variable`: the setting of the port. */
export function portForbidden(port: number, variable: string): string {
  return `Port ${port} may not be used by this user. Set ${variable} to another one, such as one above 1023.`;
}

export function portTaken(port: number, variable: string): string {
  return `Port ${port} is taken. Stop what uses it, or set ${variable} to another one (0: any free one).`;
}

/** `path`: the file that holds the key. */
export function unusableTokenKey(path: string): string {
  return `${path}, the key of people's sign-ins, cannot be used. Fix that, or delete the file: people then sign in again.`;
}

/** `why`: the store's own text. */
export function unusableRedis(why: string): string {
  return `The Redis at REDIS_URL cannot be used. ${why}`;
}

/** `summary`: what a crash can lose, as a sentence. */
export function notStrict(summary: string): string {
  return `DURABILITY=strict, but ${summary} Set appendonly yes, appendfsync always and maxmemory-policy noeviction there, or DURABILITY=relaxed here.`;
}

// Warnings at the start

const CHECK_SPELLING = 'Check its spelling.';

/** `globs`: those of a rule that matches no tool; `name`: the rule's. */
export function idleRule(name: string | undefined, globs: readonly string[]): string {
  const rule = name === undefined ? 'A policy rule' : `The policy rule "${name}"`;
  return `${rule} matches no tool of any server that is up (tools: ${globs.join(', ')}). ${CHECK_SPELLING}`;
}

export function idleArguments(glob: string): string {
  return `policy.arguments: "${glob}" matches no tool of any server that is up, so it checks nothing. ${CHECK_SPELLING}`;
}

/** `name`: the tool itself, or one that its card names. */
export function idleCard(tool: string, name: string): string {
  return `cards: "${tool}" needs ${name}, which no server that is up has. ${CHECK_SPELLING}`;
}

export function idleLookUp(tool: string, lookUp: string): string {
  return `cards: "${tool}" looks up ${lookUp}, which the policy doesn't allow, so its card does without. Add a rule that allows it.`;
}

/** `tool`: a tool in a permissions file that no server has. */
export function idlePermission(tool: string): string {
  return `The permissions file names ${tool}, which no server that is up has, so the entry does nothing. ${CHECK_SPELLING}`;
}

/** How many tools are named at most. */
const MOST_NAMED = 10;

/** `tools`: those that no permissions file names. */
export function unnamedPermissions(tools: readonly string[]): string {
  const named = tools.slice(0, MOST_NAMED).join(', ');
  const more = tools.length > MOST_NAMED ? ` and ${tools.length - MOST_NAMED} more` : '';
  return `No permissions file names ${named}${more}: they count as private, untrusted, SECRET and writing.`;
}

/** `problem`: a sentence. */
export function uselessApprover(ref: string, problem: string): string {
  return `The policy names ${ref}, who cannot approve anything: ${problem}`;
}

/** `rule`: by {@link ruleName}. */
export function approversInVain(
  rule: string,
  refs: readonly string[],
  { isForNothing }: { readonly isForNothing: boolean },
): string {
  const named = `Rule ${rule} names ${refs.join(', ')} to approve`;
  return isForNothing
    ? `${named}, and with exclude_requester that approves nothing: neither whoever asked nor a key may. Name other people.`
    : `${named}: a key decides only what it asked for itself, so nobody is named there who can approve what others ask for. Name people, too.`;
}

/** `glob`: a tool of the program with this key that no server has. */
export function idleProgram(key: string, glob: string): string {
  return `programs: "${glob}", which ${key} may use, matches no tool of any server that is up. ${CHECK_SPELLING}`;
}

/** `glob`: a tool of this agent of the team that no server has. */
export function idleAgent(name: string, glob: string): string {
  return `team: "${glob}", a tool of ${name}, matches no tool of any server that is up. ${CHECK_SPELLING}`;
}

/** `problem`: a sentence. */
export function uselessProgram({
  key,
  person,
  problem,
}: {
  readonly key: string;
  readonly person: string;
  readonly problem: string;
}): string {
  return `programs: ${person}, who answers for ${key}, cannot approve anything: ${problem}`;
}

/** `index`: the rule's place, from 0. */
export function ruleName(name: string | undefined, index: number): string {
  return `"${name ?? `rule ${index + 1}`}"`;
}

/** `missing`: the settings that signing in needs. */
export function nobodyCanApprove(rules: readonly string[]): string {
  return `Nobody can approve calls under ${rules.join(', ')}: the policy wants that done on the web page (decide_on: web), and reaching that needs PUBLIC_URL.`;
}

export function approvedByLink(rules: readonly string[], missing: readonly string[]): string {
  return `Whoever reads somebody's messages in Slack can approve for them calls under ${rules.join(', ')} (decide_on: web): people sign in by a link from Slack, which is worth no more than a click there. To have them sign in with Slack, set ${missing.join(', ')}.`;
}

export function nobodyLetsProgramsIn(missing: readonly string[]): string {
  return `Nobody can connect programs to /mcp by signing in, although personal_programs is set: that needs ${missing.join(', ')}.`;
}

export function uncheckedConnectLinks(servers: readonly string[], missing: readonly string[]): string {
  return `Nobody checks who opens a link to connect ${servers.join(', ')}: somebody who opens another person's link and signs in gives that person access to their own account. To have the page check, set ${missing.join(', ')}.`;
}

/** Secrets that are a short word or number, by their variables. */
export function plainSecrets(names: readonly string[]): string {
  return `Too plain to be masked in what servers say, so use a longer value: ${names.join(', ')}.`;
}

// The command `forget`

/** In a file that a start made because a server could have. */
export const RESERVED_FILE =
  '# Made by Countersign, so that no MCP server can make this file for the next start. Yours to fill in.\n';

/** A limit is in dollars, and nothing says what the model costs. */
export function noPrice(model: string): string {
  return `cost_per_day is set, but no glob of model_prices fits the model ${model}, so that nobody knows what it costs. Add its price per million tokens, or leave cost_per_day out.`;
}

export const UNASKED_LIMITS =
  'limits are set per day, and admins names nobody: when one is used up, nobody gets a card about it. The workspace’s admins find it in their Home. Name Slack users under admins in countersign.yaml.';

/** `servers`: those whose services are to tell of what is new. */
export function unheardPushes(servers: readonly string[]): string {
  return `push of ${servers.join(', ')}: PUBLIC_URL is not set, so every push is refused (401), and mailboxes are looked at once a minute. Set it to the https address that the subscription pushes to.`;
}

/** Of the team, by their names. */
export function unusedModels(names: readonly string[]): string {
  return `team sets a model or temperature for ${names.join(', ')}, and no model is set up: the demo model answers for all. Set OPENAI_API_KEY, and MODEL.`;
}

export const NO_EMBEDDINGS =
  'no embedding model is configured (knowledge.embeddings): documents are found by words alone';

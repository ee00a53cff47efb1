/** The texts of the commands: their help, what they print, and what is wrong with a command line. */

import type { AuditProblem } from '../../gate/index.ts';
import type { HeldTool } from '../../mcp/ports.ts';

/** What each command and option does, for help and for completion in shells. */
export const HELP = {
  program:
    'An AI agent with your MCP tools in Slack, where nothing irreversible happens until the right person has signed.',
  version: 'print the version',
  start: 'start, with .env and countersign.yaml of this folder',
  init: 'write .env and countersign.yaml, from a few questions',
  initYes: 'ask nothing: take what the options say, and the default for the rest',
  initForce: 'overwrite files that are there',
  initTakeOver: 'take over the servers of an mcp.json or claude_desktop_config.json',
  initModel: 'the model’s name; without one, the demo model answers',
  initBaseUrl: 'base URL of an OpenAI-compatible API',
  initSlack: 'for Slack, whose tokens then go into .env; without it, the local workspace',
  initCalendar: 'leave out the example calendar',
  initCompose: 'write compose.yaml too',
  doctor: 'check the configuration, and say how to fix it',
  json: 'print JSON',
  policy: 'test, explain and try out the policy',
  policyTest: 'check the policy against countersign.policy-test.yaml',
  policyTests: 'the file of cases',
  policyExplain: 'say which rule applies to a call, and why',
  policyCall: 'SERVER.TOOL',
  policyArguments: 'its arguments, as one JSON object',
  policyHasRead: 'what its session has read: private, untrusted, private,untrusted or nothing',
  policyAgents: 'what it says about the tools of each agent of the team',
  policyReplay: 'try a policy on the recorded past: which calls it would have treated otherwise',
  policyFile: 'the configuration file with the policy to try',
  policyFrom: 'how far back, as 30d, or since when, as an ISO 8601 date',
  config: 'the configuration file',
  audit: 'verify and export the record of what was done',
  auditVerify: 'find what was changed, forged, removed or sent unapproved',
  auditHeads: 'the heads of seals noted outside of the store (AUDIT_HEADS_FILE)',
  auditKey: 'a public key, x of a JSON Web Key; default: the server’s own',
  auditExport: 'print entries, one JSON object a line',
  auditThread: 'of one thread only',
  auditFrom: 'from this date on, in ISO 8601',
  auditTo: 'before this date',
  auditKeys: 'print the public keys that entries may be signed with',
  auditNewKey: 'make a key for AUDIT_SIGNING_KEY and print it, this once',
  notebook: 'verify pages of the lab notebook',
  notebookVerify: 'compare a page with the audit, and name each line that differs',
  notebookFile: 'the page, as it was posted or downloaded; files beside it are compared too',
  keys: 'make, list and revoke keys of the HTTP API',
  keysName: 'the key’s name',
  keysCreate: 'make a key and print it, this once',
  keysScope: 'what it may do: run, agent, read, documents, admin; several with commas between',
  keysList: 'names, scopes and dates of all keys',
  keysRevoke: 'end a key at once',
  servers: 'review the tools of MCP servers',
  serversReview: 'show tools that nobody has reviewed, and ask about each',
  serversAccept: 'accept what is named (SERVER or SERVER.TOOL), or all of it',
  mcp: 'connect a stdio MCP client to a running Countersign',
  mcpAfter:
    '\nCountersign is at COUNTERSIGN_URL (http://127.0.0.1:3000 unless set); the key is in COUNTERSIGN_KEY.\n',
  forget: 'delete what is stored of a person',
  forgetPerson: 'actor.id in `countersign audit export`',
  forgetYes: 'delete it; otherwise it only says what it would delete',
  completion: 'print the completions for a shell',
  after: `
Without a command it starts. The exit code is 0 if all is well, 1 if not, and 2 if the command line is wrong.
Completion: source <(countersign completion bash), or zsh; countersign completion fish | source.`,
} as const;

/** `problem`: a sentence, or commander's "error: …" with what it suggests. */
export function describeBadUsage(problem: string): string {
  const text = problem.replace(/^error: /, '').trim();
  const [first = '', ...more] = `${text.charAt(0).toUpperCase()}${text.slice(1)}`.split('\n');
  const sentence = /[.!?]$/.test(first) ? first : `${first}.`;
  return [sentence, ...more, 'Nothing was done. Add --help to see what there is.'].join('\n');
}

/** `folder`: DATA_DIR; `database`: the file that would be in it. */
export function noData(folder: string, database: string): string {
  return `There is no data in ${folder}: there is no database ${database}. Nothing was made. Start Countersign first, or set DATA_DIR or REDIS_URL as the server has it.`;
}

// Audit

export const NO_KEY_TO_VERIFY_WITH =
  'No key was found or given (--key): who wrote the entries was not verified.';
export const NO_HEADS_GIVEN =
  'No heads were given (--heads): that the newest seals were cut off would not be seen.';
export const LINE_NAMES_NO_SEAL = 'This line names no seal.';
export const BAD_PUBLIC_KEY = 'A key is no public Ed25519 key: give x of a JSON Web Key, or SPKI in base64.';

export function describeAuditProblem({ threadId, seq, problem }: AuditProblem): string {
  return `${threadId ?? 'The store'}${seq === null ? '' : ` #${seq}`}: ${problem}`;
}

export function auditSummary(read: {
  readonly entries: number;
  readonly chains: number;
  readonly seals: number;
  readonly problems: number;
}): string {
  const all = `${read.entries} entries in ${read.chains} chains, ${read.seals} of them seals`;
  return read.problems === 0
    ? `${all}: all are as they were written.`
    : `${all}. Problems: ${read.problems}.`;
}

export function notDate(text: string): string {
  return `"${text}" is no date such as 2026-11-30 or 2026-11-30T09:00Z.`;
}

export function noFile(path: string): string {
  return `There is no file ${path}.`;
}

export function publicHalf(keys: string): string {
  return `The public half, for whoever verifies the audit: ${keys}`;
}

// Notebooks

export function noNotebook(path: string): string {
  return `${path} is no page of a notebook, or what it is verified by was changed.`;
}

/** `line`: null if it's about the whole page. */
export function notebookProblem(found: {
  readonly path: string;
  readonly line: number | null;
  readonly problem: string;
}): string {
  return `${found.path}${found.line === null ? '' : `:${found.line}`}: ${found.problem}`;
}

/** The most missing files that are named. */
const NAMED_FILES = 5;

export function notebookSummary(read: {
  readonly calls: number;
  readonly entries: number;
  readonly files: number;
  /** Their names. */
  readonly missingFiles: readonly string[];
  readonly problems: number;
}): string {
  const all = `${read.calls} calls, compared with the audit up to its entry #${read.entries}, and ${read.files} files beside the page`;
  const [first, ...others] = read.missingFiles;
  const named = [first, ...others.slice(0, NAMED_FILES - 1)].join(', ');
  const more = others.length < NAMED_FILES ? '' : ` and ${others.length - NAMED_FILES + 1} more`;
  const missing = first === undefined ? '' : ` Named on the page, but not beside it: ${named}${more}.`;
  return read.problems === 0
    ? `${all}: all is as it was recorded and exported.${missing}`
    : `${all}. Problems: ${read.problems}.${missing}`;
}

// Keys

export const NO_KEYS = 'There are no keys yet. countersign keys create NAME makes one.';
export const KEY_HEADINGS = ['NAME', 'SCOPES', 'MADE', 'STATE'];

export function badScope(scopes: readonly string[]): string {
  return `A scope is one of ${scopes.join(', ')}, several with commas between.`;
}

/** `revokedOn`: a day; null while the key is in use. */
export function keyState(revokedOn: string | null): string {
  return revokedOn === null ? 'active' : `revoked ${revokedOn}`;
}

export function keyRevoked(name: string): string {
  return `The key "${name}" is revoked.`;
}

// Policy

export const ARGUMENTS_IN_PIECES = 'The arguments are one JSON object; put it in quotes.';

export function argumentsNotObject(text: string): string {
  return `The arguments are not a JSON object: ${text}`;
}

export function notReadKinds(written: string): string {
  return `--session-has-read takes private, untrusted, private,untrusted or nothing, and this is ${written}`;
}

export function notToolName(text: string): string {
  return `"${text}" is not SERVER.TOOL.`;
}

/** `meant`: the name that was probably meant, or null. */
export function noServerCalled(file: string, server: string, meant: string | null): string {
  return `warning: ${file} names no server called "${server}".${didYouMean(meant)} ${ALL_THE_SAME}`;
}

export function noToolCalled(server: string, tool: string, meant: string | null): string {
  return `warning: ${server} is not known to offer a tool called "${tool}".${didYouMean(meant)} ${ALL_THE_SAME}`;
}

export function toolsNotKnown(server: string, tool: string): string {
  return `note: ${server} has not been up with this data yet, so it's not known whether it offers "${tool}".`;
}

const ALL_THE_SAME = 'What the policy says about it all the same:';

function didYouMean(name: string | null): string {
  return name === null ? '' : ` Did you mean ${name}?`;
}

export function noCases(path: string): string {
  return `${path}: there is no such file. Write one, or ask about one call with \`countersign policy explain\`.`;
}

export function casesSummary({
  passed,
  failed,
}: {
  readonly passed: number;
  readonly failed: number;
}): string {
  return `\n${passed} as expected, ${failed} not`;
}

/** `rule` and `before`: names in quotes. */
export function unreachableRule(rule: string, before: string): string {
  return `warning: the rule ${rule} never applies: ${before}, before it, decides those calls whatever their arguments.`;
}

export function uncheckedApprovers(approvers: readonly string[]): string {
  return `note: whether Slack knows ${approvers.join(', ')} is not checked here; the start warns of whom it does not.`;
}

// The review of servers' tools

export const NOTHING_TO_REVIEW = 'Nothing waits for a review.';

export function toolsWait(count: number): string {
  return `${count} wait for a review; --accept accepts them.`;
}

/** `state`: how many tools it offers, or how it is if it's not up. */
export function serverToReview(server: {
  readonly name: string;
  readonly state: number | string;
  readonly held: number;
}): string {
  const how = typeof server.state === 'number' ? `${server.state} tools` : server.state;
  return `${server.name}: ${how}${server.held === 0 ? '' : `; ${server.held} wait for a review`}`;
}

export function reviewedAndGone(tool: string): string {
  return `  ${tool}: reviewed, not offered any more`;
}

export function toolToReview({ name, isNew, isUsed, variant }: HeldTool): string {
  const what = isNew ? 'new' : 'changed since it was reviewed';
  const use = isUsed ? ', in use, but allowed by no wildcard' : '';
  return `  ${name}: ${what}${use}${describeVariant(variant)}`;
}

export function acceptQuestion(server: string, { name, variant }: HeldTool): string {
  return `Accept ${server}.${name}${describeVariant(variant)} as it is shown above? [y/N] `;
}

export function acceptedTools(server: string, tools: readonly string[]): string {
  return `Accepted at ${server}: ${tools.join(', ')}.`;
}

export function noReviewedServer(name: string): string {
  return `There is no server or tool ${name} that is reviewed.`;
}

export function waitingForServers(names: readonly string[]): string {
  return `Waiting for ${names.join(', ')}, up to 30 s …`;
}

function describeVariant(variant: HeldTool['variant']): string {
  return variant === undefined ? '' : ` (definition ${variant})`;
}

/** `names`: the variables that are wrong or missing. */
export function badGateSettings(names: readonly string[]): string {
  return `Set ${names.join(' and ')}: the address of the gate, and a key with the scope agent (countersign keys create <name> --scope agent).`;
}

export function gateRefuses(url: string, why: string): string {
  return `The gate at ${url} does not take this key: ${why} Does it have the scope agent, and an entry under programs in countersign.yaml?`;
}

export function gateAwayAtStart(url: string, why: string): string {
  return `The gate at ${url} cannot be reached yet (${why}). It is tried again, and its tools are listed once it is there.`;
}

// For the models behind clients of `countersign mcp`

export function gateAway(url: string, why: string): string {
  return `The gate at ${url} did not take this, and nothing was run: ${why} Try again in a moment, and do not do it in another way.`;
}

export const GATE_LOST =
  'The connection to the gate was lost before it answered, so this may wait for a person, or have run. Make the same call again in a moment: it finds this one, and nothing runs twice.';

/** The texts of connections that people see: why a server is down, or can't be used. */

import { suggestName } from '../../lib/config-errors/did-you-mean.ts';

const CHECK_URL = 'Check its url: the path often ends in /mcp.';

export const STOPPING = 'This program is stopping.';
export const CONNECTION_LOST = 'The connection to it was lost.';
export const ENDED = 'It ended, or the connection to it was lost.';
/** A call that was stopped may still run at the server, and its questions would reach the next caller. */
export const STOPPED_CALL_MAY_ASK = 'A stopped call may still run there and ask something.';

/** `why`: a sentence. */
export function serverDownBecause(server: string, why: string): string {
  return `${server} is down; nothing was done. ${why}`;
}

/** `variables`: the settings without which nobody can sign in, or the service can't be used. */
export function adminMustSet(variables: readonly string[]): string {
  return `An admin has to set ${variables.join(' and ')}.`;
}

/** Two entries of the configuration, of which the first one is `before`. */
export function notOneSignIn({
  account,
  server,
  before,
}: Readonly<Record<'account' | 'server' | 'before', string>>): string {
  return `oauth of "${server}" under mcpServers: people sign in to ${account} for it and for "${before}", and with different clients or at different addresses. Give both the same oauth and sign_in_url, or call the one that is no connector something else.`;
}

/** The authorization server refused this program's id or secret. */
export const ADMIN_MUST_CHECK_CLIENT =
  'An admin has to check its oauth.client_id and client_secret: the last sign-in was refused because of them.';

/** A key that a connector's entry in the configuration lacks, as a setting that is missing. */
export function connectorEntry(server: string, key: string): string {
  return `mcpServers.${server}.${key}`;
}

/** `known`: the names of the servers that there are. */
export function noInProcessServer(name: string, known: readonly string[]): string {
  return `No server called ${name} comes with this program. ${adviseName(name, known)}`;
}

export function noConnector(name: string, known: readonly string[]): string {
  return `No connector called ${name} comes with this program. ${adviseName(name, known)}`;
}

function adviseName(name: string, known: readonly string[]): string {
  const near = suggestName(name, known);
  return near === null ? `There are: ${known.join(', ') || 'none'}.` : `Did you mean ${near}?`;
}

// Why connecting failed. Addresses are named by host and port only, because paths and queries may hold keys.

/** `folder`: the one that the configuration names, which may be what is missing. */
export function programMissing(command: string, folder?: string): string {
  const advice = /\s/.test(command.trim())
    ? 'Arguments do not go into command, but under args.'
    : 'Install it, or correct command.';
  const orFolder = folder === undefined ? '' : ` or the folder ${folder} (its cwd)`;
  return `The program ${command}${orFolder} does not exist. ${advice}`;
}

export const ASKS_FOR_SIGN_IN = 'It asks for a sign-in (HTTP 401). Check the key in its headers.';
export const NOT_FOUND = 'It answered with HTTP 404: no MCP server is at this path. Check its url.';
export const PROCESS_NOT_MCP = 'What it answers is not MCP.';

export function webPageAt(host: string): string {
  return `A web page answers at ${host}, where an MCP server was expected. ${CHECK_URL}`;
}

export function noMcpAt(host: string): string {
  return `What answers at ${host} is no MCP server; it may be a web page. ${CHECK_URL}`;
}

export function answeredInstead(status: number): string {
  return `It answered with HTTP ${status} instead of connecting.`;
}

/** `lastOutput`: what its process wrote last; may be empty. As in the next ones. */
export function processSilent(timeoutMs: number, lastOutput: string): string {
  const within = timeoutMs < 1000 ? `${timeoutMs} ms` : `${Math.round(timeoutMs / 1000)} s`;
  const advice = 'If it needs longer to start, as when it has to be downloaded first, set its start_timeout.';
  return `It did not answer within ${within}. ${advice}${itSaid(lastOutput)}`;
}

/** `how`: one of the two below; null if unknown. */
export function endedWhileConnecting(how: string | null, lastOutput: string): string {
  const status = how === null ? '' : ` (${how})`;
  const because = lastOutput === '' ? '' : `: ${lastOutput.replace(/\.$/, '')}`;
  const advice =
    lastOutput === '' ? 'Run its command by hand to see why.' : 'Correct its command, args or env.';
  return `It exited while connecting${status}${because}. ${advice}`;
}

/** `limit`: as configured. */
export function tooMuchMemory(limit: string): string {
  return `it used more than ${limit} of memory (sandbox.memory) and was ended`;
}

/** `limit`: how many of our answers may be unread. */
export function tooManyUnread(limit: number): string {
  return `it left more than ${limit} answers to its own requests unread and was ended`;
}

export function exitCode(code: number): string {
  return `exit code ${code}`;
}

export function killedBy(signal: string): string {
  return `killed by ${signal}`;
}

// Why npx could not get a server's package; `code` is npm's

export function packageMissing(code: string, lastOutput: string): string {
  return `npm finds no such package, or no such version of it (${code}). Check its name under args.${itSaid(lastOutput)}`;
}

export function packageRefused(code: string, lastOutput: string): string {
  return `npm may not download the package (${code}): its registry wants other credentials.${itSaid(lastOutput)}`;
}

export function registryUnreachable(code: string, lastOutput: string): string {
  return `npm could not reach its registry to download the package (${code}).${itSaid(lastOutput)}`;
}

function itSaid(lastOutput: string): string {
  return lastOutput === '' ? '' : ` It said: ${lastOutput.replace(/\.$/, '')}.`;
}

/** `why`: without a full stop, as in the next one. */
export function refusedConnection(why: string): string {
  return `It refused the connection: ${why}.`;
}

export function notConnected(why: string): string {
  return `It could not be connected: ${why}.`;
}

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

/** `variables`: the settings without which nobody can sign in. */
export function adminMustSet(variables: readonly string[]): string {
  return `An admin has to set ${variables.join(' and ')}.`;
}

/** `known`: the names of the servers that there are. */
export function noInProcessServer(name: string, known: readonly string[]): string {
  const near = suggestName(name, known);
  const advice = near === null ? `There are: ${known.join(', ') || 'none'}.` : `Did you mean ${near}?`;
  return `No server called ${name} comes with this program. ${advice}`;
}

// Why connecting failed. Addresses are named by host and port only, because paths and queries may hold keys.

/** `folder`: the one that the configuration names, which may be what is missing. */
export function programMissing(command: string, folder?: string): string {
  const advice = /\s/.test(command.trim()) ? ' Arguments do not go into command, but under args.' : '';
  const orFolder = folder === undefined ? '' : ` or the folder ${folder} (its cwd)`;
  return `The program ${command}${orFolder} does not exist.${advice}`;
}

export const ASKS_FOR_SIGN_IN = 'It asks for a sign-in (HTTP 401).';
export const NOT_FOUND = 'It answered with HTTP 404: no MCP server is at this path. Check its url.';
export const NO_ANSWER = 'It did not answer in time.';
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

/** `lastOutput`: what its process wrote last; may be empty. */
export function endedWhileConnecting(lastOutput: string): string {
  const because = lastOutput === '' ? '' : `: ${lastOutput.replace(/\.$/, '')}`;
  return `It exited while connecting${because}.`;
}

/** `why`: without a full stop, as in the next one. */
export function refusedConnection(why: string): string {
  return `It refused the connection: ${why}.`;
}

export function notConnected(why: string): string {
  return `It could not be connected: ${why}.`;
}

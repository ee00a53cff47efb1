import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { ConfigError } from '../../../lib/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { parseServers, readMcpEntries } from '../../../mcp/index.ts';
import { noFileToTakeOver, notTakenOver, serverTakenTwice } from '../../texts/init.ts';
import type { CommandContext } from '../context.ts';

/** Servers for `countersign.yaml`, and what they refer to in `.env`. */
export interface TakenOver {
  readonly servers: JsonObject;
  readonly variables: ReadonlyMap<string, string>;
  /** A line for each server that can't be used, and why. */
  readonly leftOut: readonly string[];
}

/** Where other programs keep their servers: those of this folder, then Claude Desktop's on each system. */
export function foreignConfigurations(variables: CommandContext['variables']): string[] {
  const claude = 'claude_desktop_config.json';
  return [
    'mcp.json',
    '.mcp.json',
    join('.cursor', 'mcp.json'),
    join('.vscode', 'mcp.json'),
    join(homedir(), 'Library', 'Application Support', 'Claude', claude),
    join(variables.XDG_CONFIG_HOME || join(homedir(), '.config'), 'Claude', claude),
    join(variables.APPDATA || join(homedir(), 'AppData', 'Roaming'), 'Claude', claude),
  ].filter((path) => existsSync(path));
}

/**
 * The servers of other programs' files. What they hold in `env` and `headers`, where secrets are, goes into variables
 * of `.env`, each under a name of its own. A server that can't be used is left out, and so is a name that an earlier
 * file has. Throws ConfigError for a file that can't be read.
 */
export async function takeOver(
  paths: readonly string[],
  variables: CommandContext['variables'],
): Promise<TakenOver> {
  const servers: JsonObject = {};
  const leftOut: string[] = [];
  let moved: ReadonlyMap<string, string> = new Map();
  for (const path of paths) {
    for (const [name, entry] of Object.entries(await readEntries(path))) {
      const secrets = new Map(moved);
      try {
        if (Object.hasOwn(servers, name)) throw new ConfigError(serverTakenTwice(name, path));
        const taken = isJsonObject(entry) ? moveSecrets(name, entry, secrets) : entry;
        parseServers({ [name]: taken }, { ...variables, ...Object.fromEntries(secrets) }, basename(path));
        servers[name] = taken;
        moved = secrets;
      } catch (error) {
        leftOut.push(notTakenOver(readProblem(error)));
      }
    }
  }
  return { servers, variables: moved, leftOut };
}

/** The servers of another program's file. Throws ConfigError if it can't be read. */
export async function readEntries(path: string): Promise<JsonObject> {
  if (!existsSync(path)) throw new ConfigError(noFileToTakeOver(path));
  return (await readMcpEntries(path)).entries;
}

/** A sentence for each file that can't be read, which says why. */
export async function findUnreadable(paths: readonly string[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const path of paths) {
    await readEntries(path).catch((error: unknown) => problems.push(readProblem(error)));
  }
  return problems;
}

function readProblem(error: unknown): string {
  if (!(error instanceof ConfigError)) throw error;
  return error.userMessage;
}

function moveSecrets(server: string, entry: JsonObject, moved: Map<string, string>): JsonObject {
  const move = (key: string, value: Json): Json => {
    if (typeof value !== 'string' || value === '' || value.includes('${')) return value;
    const name = freeName(`MCP_${server}_${key}`.toUpperCase().replace(/[^A-Z0-9_]/g, '_'), moved);
    moved.set(name, value);
    return `\${${name}}`;
  };
  return Object.fromEntries(
    Object.entries(entry).map(([part, values]) =>
      (part === 'env' || part === 'headers') && isJsonObject(values)
        ? [part, Object.fromEntries(Object.entries(values).map(([key, value]) => [key, move(key, value)]))]
        : [part, values],
    ),
  );
}

/** The name, or the name with a number, where another server's is the same in capitals. */
function freeName(name: string, taken: ReadonlyMap<string, string>): string {
  for (let number = 2, free = name; ; number += 1, free = `${name}_${number}`) {
    if (!taken.has(free)) return free;
  }
}

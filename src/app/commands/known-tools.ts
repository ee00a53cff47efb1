/** The tools that are known without asking any server for them. */

import { pino } from 'pino';
import { type Env, readEnv } from '../../config/env.ts';
import type { PolicyFile } from '../../config/file.ts';
import { loadConnectors } from '../../connectors/index.ts';
import { FUNCTION_OF_PROGRAM } from '../../gate/types.ts';
import { suggestName } from '../../lib/config-errors/did-you-mean.ts';
import { ConfigError } from '../../lib/errors.ts';
import { isJsonObject } from '../../lib/json.ts';
import { createToolHub, parseServers, readRecordedTools } from '../../mcp/index.ts';
import { AGENTS_SERVER } from '../../tools/ports.ts';
import { BUNDLED } from '../demo-servers/bundled.ts';
import { createInProcessServers, NO_DOCUMENTS } from '../demo-servers/in-process.ts';
import { createIsolation } from '../isolation.ts';
import { listForeignAgents } from '../team/foreign-agents.ts';
import { noServerCalled, noToolCalled, toolsNotKnown } from '../texts/commands.ts';
import type { CommandContext } from './context.ts';
import { hasData, openStore } from './open-store.ts';

/** What the policy decides on besides tools: a server's requests to the model, and the use of its prompts. */
const BESIDES_TOOLS: readonly string[] = ['sampling', 'get_prompt'];

/**
 * Says that no such tool is known, with the name that was probably meant, or that a server's tools are not known yet;
 * null where the tool is known.
 */
export async function adviseOnTool(
  { variables }: CommandContext,
  { path, servers, team }: PolicyFile,
  { server, tool }: { readonly server: string; readonly tool: string },
): Promise<string | null> {
  if (server === FUNCTION_OF_PROGRAM.server) return null;
  if (server === AGENTS_SERVER && listForeignAgents(team).some(({ name }) => name === tool)) return null;
  const known = await findKnownTools(variables, servers);
  const names = [...known].flatMap(([name, tools]) => [...tools].map((it) => `${name}.${it}`));
  const meant = suggestName(`${server}.${tool}`, names);
  if (!Object.hasOwn(servers, server)) {
    return noServerCalled(path, server, meant ?? suggestName(server, Object.keys(servers)));
  }
  const own = known.get(server);
  if (own === undefined) return toolsNotKnown(server, tool);
  return own.has(tool) || BESIDES_TOOLS.includes(tool) ? null : noToolCalled(server, tool, meant);
}

/** The tools of each server that are known: those of servers that come with this program, and those noted by earlier runs. */
export async function findKnownTools(
  variables: CommandContext['variables'],
  servers: PolicyFile['servers'],
): Promise<Map<string, Set<string>>> {
  const known = new Map<string, Set<string>>();
  const add = (server: string, tool: string) => known.set(server, (known.get(server) ?? new Set()).add(tool));
  try {
    const env = readEnv(variables);
    for (const { server, name } of await listBundledTools(env, servers)) add(server, name);
    for (const { server, name } of await listRecordedTools(env, Object.keys(servers))) add(server, name);
  } catch (error) {
    // Policies are also tested where nothing else is set up.
    if (!(error instanceof ConfigError)) throw error;
  }
  return known;
}

const NO_MAILBOX = {
  address: 'nobody@localhost.localdomain',
  imap: 'imaps://localhost',
  smtp: 'smtps://localhost',
  password: 'none',
};

/** Those of the servers that come with this program. */
async function listBundledTools(env: Env, servers: PolicyFile['servers']) {
  const entries = Object.entries(servers).flatMap(([name, config]) => {
    if (!isJsonObject(config)) return [];
    const { in_process, connector } = config;
    const isServer = BUNDLED.in_process.some((it) => it === in_process);
    const isConnector = BUNDLED.connector.some((it) => it === connector);
    // Nobody signs in to list tools.
    const anyone = { connector, oauth: { client_id: 'none' }, key: 'none', mailbox: NO_MAILBOX, owner: 'U0' };
    return isServer || isConnector ? [[name, isServer ? { in_process } : anyone] as const] : [];
  });
  const bundled = parseServers(Object.fromEntries(entries), {}, '');
  const logger = pino({ level: 'silent' });
  const hub = createToolHub({
    servers: bundled,
    connectors: await loadConnectors(bundled),
    logger,
    inProcess: createInProcessServers(env, Date.now, { documents: NO_DOCUMENTS, log: logger }),
    isolation: createIsolation({ ...env, mcpFile: null }, logger),
  });
  try {
    await hub.start();
    return await hub.tools();
  } finally {
    await hub.stop();
  }
}

/** Those that earlier runs have noted. */
async function listRecordedTools(env: Env, servers: readonly string[]) {
  if (!hasData(env)) return [];
  const store = await openStore(env);
  try {
    return await readRecordedTools(store, servers);
  } finally {
    await store.close();
  }
}

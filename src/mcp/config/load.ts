import { readFile } from 'node:fs/promises';
import { suggestName } from '../../lib/config-errors/did-you-mean.ts';
import { type ConfigProblem, formatPath, parseConfig } from '../../lib/config-errors/parse.ts';
import { ConfigError, errorMessage } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { hasCredentials } from '../../lib/net/safe-url.ts';
import { isMeantForUs } from '../../oauth/index.ts';
import {
  credentialsInAddress,
  fileMissing,
  fileUnreadable,
  invalidServer,
  noServers,
  notHttpAddress,
  notJson,
  serverKey,
  serversNotMap,
} from '../texts/config.ts';
import { noConnector, noInProcessServer } from '../texts/connection.ts';
import { mayBeUnset } from './connector.ts';
import {
  connectorServerSchema,
  httpServerSchema,
  inProcessServerSchema,
  type McpServers,
  type ServerConfig,
  serverConfigSchema,
  serverNameSchema,
  stdioServerSchema,
} from './schema.ts';
import { describePlace, type LineOf, substituteVariables, type Where } from './variables.ts';

/** The transports that other programs' `mcp.json` names in `type`. */
const TRANSPORTS: Readonly<Record<string, 'http' | 'sse' | null>> = {
  stdio: null,
  http: 'http',
  'streamable-http': 'http',
  sse: 'sse',
};

const KNOWN_KEYS = new Set(
  [stdioServerSchema, httpServerSchema, inProcessServerSchema, connectorServerSchema].flatMap((schema) =>
    Object.keys(schema.shape),
  ),
);

/** The names of what comes with this program, by the key that names it. */
export interface BundledNames {
  readonly in_process: readonly string[];
  readonly connector: readonly string[];
}

/**
 * Parses servers from a configuration: substitutes variables, then validates. Of a connector's credentials, variables
 * may be unset; they're under `missing`.
 * @param file the file's name, for messages
 * @param lineOf the line of a key, as a path from the map of servers; without it, messages name no line
 * @param bundled the names that `in_process` and `connector` may have; without it, any
 * @throws ConfigError that names the file, the line, the server and the key
 */
export function parseServers(
  servers: unknown,
  env: Readonly<Record<string, string | undefined>>,
  file: string,
  lineOf?: LineOf,
  bundled?: BundledNames,
): McpServers {
  if (!isJsonObject(servers)) throw new ConfigError(serversNotMap(file));
  return Object.fromEntries(
    Object.entries(servers).map(([server, entry]) => {
      const where = { file, server, lineOf };
      const name = parseConfig(serverNameSchema, server);
      if (!name.ok) throw notUsable(where, name.problems);
      const filledIn = new Map<string, string>();
      const missing = new Set<string>();
      const isConnector = isJsonObject(entry) && 'connector' in entry;
      const filled = substituteVariables(
        entry,
        env,
        where,
        (variable, value) => filledIn.set(variable, value),
        (variable, path) => isConnector && mayBeUnset(path) && missing.add(variable) !== undefined,
      );
      const read = parseConfig(serverConfigSchema, filled);
      if (!read.ok) throw notUsable(where, read.problems);
      const config: ServerConfig = Object.defineProperties(read.value, {
        filledIn: { value: filledIn },
        missing: { value: [...missing] },
      });
      if ('url' in config && !isHttpUrl(config.url)) {
        throw new ConfigError(notHttpAddress(describeUrl(where)));
      }
      // Addresses appear in logs and messages, which would expose a secret in one.
      if ('url' in config && hasCredentials(config.url)) {
        throw new ConfigError(credentialsInAddress(describeUrl(where)));
      }
      if (bundled && !config.disabled) refuseUnknown(config, bundled, where);
      return [server, config];
    }),
  );
}

/** @throws ConfigError for the name of something that doesn't come with this program */
function refuseUnknown(config: ServerConfig, bundled: BundledNames, where: Where): void {
  const refuse = (key: keyof BundledNames, why: string) => {
    throw new ConfigError(`${serverKey(describePlace(where, [key]), where.server, key)}: ${why}`);
  };
  if ('in_process' in config && !bundled.in_process.includes(config.in_process)) {
    refuse('in_process', noInProcessServer(config.in_process, bundled.in_process));
  }
  if ('connector' in config && !bundled.connector.includes(config.connector)) {
    refuse('connector', noConnector(config.connector, bundled.connector));
  }
}

/**
 * Reads an `mcp.json` of Claude, Cursor or VS Code: `{"mcpServers": {…}}` or `{"servers": {…}}`, where `type`
 * may name the transport. Keys that only concern other programs are ignored. `linesIn` finds the lines of a
 * text's keys, for messages.
 * @throws ConfigError if the file can't be read or is invalid
 */
export async function loadMcpFile(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  linesIn?: (text: string) => LineOf,
  bundled?: BundledNames,
): Promise<McpServers> {
  const { text, under, entries } = await readMcpEntries(file);
  const lineOf = linesIn?.(text);
  const lineOfServer = lineOf && ((path: readonly PropertyKey[]) => lineOf([under, ...path]));
  return parseServers(entries, env, file, lineOfServer, bundled);
}

interface McpEntries {
  readonly text: string;
  /** The key that they are under. */
  readonly under: string;
  /** By the servers' names, in our own form and as yet unchecked. */
  readonly entries: JsonObject;
}

/**
 * The entries of another program's `mcp.json`, with variables as they are written.
 * @throws ConfigError if the file can't be read or has no servers
 */
export async function readMcpEntries(file: string): Promise<McpEntries> {
  const { text, content } = await readJson(file);
  const under = isJsonObject(content) && 'mcpServers' in content ? 'mcpServers' : 'servers';
  const servers = isJsonObject(content) ? content[under] : undefined;
  if (!isJsonObject(servers)) {
    throw new ConfigError(noServers(file));
  }
  const entries = Object.entries(servers).map(([name, entry]) => [name, fromOtherPrograms(entry)]);
  return { text, under, entries: Object.fromEntries(entries) };
}

async function readJson(file: string): Promise<{ text: string; content: unknown }> {
  try {
    const text = await readFile(file, 'utf8');
    return { text, content: JSON.parse(text) };
  } catch (error) {
    // The parser's message quotes the text, which may hold a secret.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new ConfigError(fileMissing(file), error);
    }
    const why = error instanceof SyntaxError ? whyNotJson(error) : errorMessage(error);
    throw new ConfigError(fileUnreadable(file, why), error);
  }
}

/** Why a text isn't JSON, without the parser's message, which quotes the text. */
function whyNotJson({ message }: SyntaxError): string {
  const [, line] = /\(line (\d+) column \d+\)$/.exec(message) ?? [];
  return notJson(line ?? null);
}

function fromOtherPrograms(entry: unknown): unknown {
  if (!isJsonObject(entry)) return entry;
  const { type, ...rest } = Object.fromEntries(
    Object.entries(entry).filter(([key, value]) =>
      KNOWN_KEYS.has(key) ? isMeantForUs(key, value) : isSlip(key),
    ),
  );
  if (type === undefined) return rest;
  if (typeof type !== 'string' || !Object.hasOwn(TRANSPORTS, type)) return { ...rest, type };
  const transport = TRANSPORTS[type];
  return transport && 'url' in rest ? { transport, ...rest } : rest;
}

/**
 * Whether a key is one letter away from one of ours. It's kept, so that validation rejects it with a
 * suggestion.
 */
function isSlip(key: string): boolean {
  return suggestName(key, KNOWN_KEYS, 1) !== null;
}

function notUsable(where: Where, found: readonly ConfigProblem[]): ConfigError {
  const problems = found.map(({ path, message }) => [formatPath(path), message].filter(Boolean).join(': '));
  const place = describePlace(where, found[0]?.path ?? []);
  return new ConfigError(invalidServer(place, where.server, problems));
}

/** Where a server's address is, for an error. */
function describeUrl(where: Where): string {
  return serverKey(describePlace(where, ['url']), where.server, 'url');
}

function isHttpUrl(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}

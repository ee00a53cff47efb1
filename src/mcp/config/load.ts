import { readFile } from 'node:fs/promises';
import { suggestName } from '../../lib/config-errors/did-you-mean.ts';
import { type ConfigProblem, formatPath, parseConfig } from '../../lib/config-errors/parse.ts';
import { ConfigError, errorMessage } from '../../lib/errors.ts';
import { isJsonObject } from '../../lib/json.ts';
import { isMeantForUs } from '../../oauth/index.ts';
import {
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
  [stdioServerSchema, httpServerSchema, inProcessServerSchema].flatMap((schema) => Object.keys(schema.shape)),
);

/**
 * Parses servers from a configuration: substitutes variables, then validates.
 * @param file the file's name, for messages
 * @param lineOf the line of a key, as a path from the map of servers; without it, messages name no line
 * @throws ConfigError that names the file, the line, the server and the key
 */
export function parseServers(
  servers: unknown,
  env: Readonly<Record<string, string | undefined>>,
  file: string,
  lineOf?: LineOf,
): McpServers {
  if (!isJsonObject(servers)) throw new ConfigError(`${file}: "mcpServers" is not a map of servers.`);
  return Object.fromEntries(
    Object.entries(servers).map(([server, entry]) => {
      const where = { file, server, lineOf };
      const name = parseConfig(serverNameSchema, server);
      if (!name.ok) throw notUsable(where, name.problems);
      const filledIn = new Map<string, string>();
      const filled = substituteVariables(entry, env, where, (variable, value) =>
        filledIn.set(variable, value),
      );
      const read = parseConfig(serverConfigSchema, filled);
      if (!read.ok) throw notUsable(where, read.problems);
      const config: ServerConfig = Object.defineProperty(read.value, 'filledIn', { value: filledIn });
      if ('url' in config && !isHttpUrl(config.url)) {
        throw new ConfigError(
          `${describePlace(where, ['url'])}: server "${server}": url: is not an http or https address.`,
        );
      }
      // Addresses appear in logs and messages, which would expose a secret in one.
      if ('url' in config && hasCredentials(config.url)) {
        throw new ConfigError(
          `${describePlace(where, ['url'])}: server "${server}": url: has a user name or a password in it; put them into "headers", with \${NAME} from the environment.`,
        );
      }
      return [server, config];
    }),
  );
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
): Promise<McpServers> {
  const { text, content } = await readJson(file);
  const under = isJsonObject(content) && 'mcpServers' in content ? 'mcpServers' : 'servers';
  const servers = isJsonObject(content) ? content[under] : undefined;
  if (!isJsonObject(servers)) {
    throw new ConfigError(`${file}: has neither "mcpServers" nor "servers", a map of servers.`);
  }
  const lineOf = linesIn?.(text);
  const entries = Object.entries(servers).map(([name, entry]) => [name, fromOtherPrograms(entry)]);
  return parseServers(Object.fromEntries(entries), env, file, lineOf && ((path) => lineOf([under, ...path])));
}

async function readJson(file: string): Promise<{ text: string; content: unknown }> {
  try {
    const text = await readFile(file, 'utf8');
    return { text, content: JSON.parse(text) };
  } catch (error) {
    // The parser's message quotes the text, which may hold a secret.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new ConfigError(
        `${file}: there is no such file; mcp_json is relative to countersign.yaml.`,
        error,
      );
    }
    const why = error instanceof SyntaxError ? whyNotJson(error) : errorMessage(error);
    throw new ConfigError(`${file}: could not be read: ${why}.`, error);
  }
}

/** Why a text isn't JSON, without the parser's message, which quotes the text. */
function whyNotJson({ message }: SyntaxError): string {
  const [, line] = /\(line (\d+) column \d+\)$/.exec(message) ?? [];
  const where = line === undefined ? '' : ` (line ${line})`;
  return `it is not JSON${where}, which has no comments, and no comma after the last entry`;
}

function hasCredentials(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
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

function notUsable(where: Where, misfits: readonly ConfigProblem[]): ConfigError {
  const what = misfits.map(({ path, message: words }) =>
    [formatPath(path), words].filter(Boolean).join(': '),
  );
  const place = describePlace(where, misfits[0]?.path ?? []);
  const words = what.join('; ');
  return new ConfigError(`${place}: server "${where.server}": ${words}${words.endsWith('?') ? '' : '.'}`);
}

function isHttpUrl(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}

import { readFile } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { ConfigError, messageOf } from '../errors.ts';
import { isJsonObject } from '../json.ts';
import { nearName } from '../written/near-name.ts';
import { type Misfit, pathInWords, readWritten } from '../written/read.ts';
import { idleTimeoutSchema } from './idle.ts';
import { authSchema, isMeantForUs, oauthSchema } from './oauth/config.ts';
import { OWN_SERVER } from './types.ts';
import { type LineOf, placeOf, substituteVariables, type Where } from './variables.ts';

export { substituteVariables } from './variables.ts';

/**
 * What becomes of tools that nobody has reviewed: `first_use` takes those that a server begins with, and holds
 * what changes and what comes later; `required` holds all; `off` holds nothing.
 */
export const toolReviewSchema = z.enum(['first_use', 'required', 'off']);
export type ToolReviewMode = z.infer<typeof toolReviewSchema>;

/** A root goes to the server as a `file:` address, which is all that the protocol knows. */
const rootSchema = z
  .string()
  .refine(
    (root) => isAbsolute(root) || /^file:\/\/\/.+/.test(root),
    'must be an absolute path, or begin with file:///',
  )
  .transform((root) => (isAbsolute(root) ? pathToFileURL(root).href : root));

const common = {
  type: z
    .string()
    .min(1)
    .optional()
    .describe('The kind of tools it offers, by which the router chooses; default: the server’s name.'),
  timeout_ms: z
    .int()
    .positive()
    .max(2 ** 31 - 1)
    .default(60_000)
    .describe('How long a call may go on without an answer or a sign of progress, in milliseconds.'),
  disabled: z.boolean().default(false).describe('Leave this server out.'),
  roots: z
    .array(rootSchema)
    .optional()
    .describe(
      'Folders on this machine that the server is told it may work in, when it asks; unless set, it may not ask.',
    ),
  sampling: z
    .boolean()
    .default(false)
    .describe(
      'The server may ask the model something while a call runs. Each time the policy decides, as of a call of `server.sampling`; where it asks, the person whose call it is sees all that the model would be told.',
    ),
  log_level: z
    .enum(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency', 'off'])
    .default('info')
    .describe('From which level on the server is asked to log; what it logs is in the log of this program.'),
  trusted: z
    .boolean()
    .default(false)
    .describe(
      'What it says of its tools counts: which only read, and which destroy nothing. Else each is taken for one that may destroy.',
    ),
  tool_review: toolReviewSchema.optional().describe('As tool_review of the whole file, for this server.'),
};

const stdioServerSchema = z.strictObject({
  command: z.string().min(1).describe('The program to run; it speaks MCP on its standard input and output.'),
  args: z.array(z.string()).default([]),
  env: z
    .record(z.string(), z.string())
    .default({})
    .describe('Its environment, besides a safe few (HOME, LOGNAME, PATH, SHELL, TERM, USER).'),
  cwd: z.string().optional().describe('The folder it runs in; default: that of this process.'),
  idle_timeout: idleTimeoutSchema.describe(
    'End it when nobody has used it for this long, such as 30m; the next call starts it anew. Default: off, for it may keep something in its memory.',
  ),
  ...common,
});

const httpServerSchema = z.strictObject({
  url: z.string().min(1).describe('Where it answers, http or https.'),
  auth: authSchema
    .optional()
    .describe('Whether everybody signs in to it for themselves; default: as it says when it is connected.'),
  oauth: oauthSchema.optional().describe('How to sign in, where the server cannot tell.'),
  headers: z.record(z.string(), z.string()).default({}).describe('Sent along with every request.'),
  transport: z
    .enum(['http', 'sse'])
    .optional()
    .describe('Default: streamable HTTP, and the older SSE where that is refused.'),
  idle_timeout: idleTimeoutSchema.describe(
    'How long a connection is held that nobody uses, such as 30m, or off; the next call makes it anew. Default: 30m, and 10m for one person’s own.',
  ),
  allow_private_network: z
    .boolean()
    .default(false)
    .describe('It may be at a private address, and by plain HTTP there. What is on this machine may anyway.'),
  ...common,
});

const inProcessServerSchema = z.strictObject({
  in_process: z.string().min(1).describe('The name of a server that comes with this program.'),
  ...common,
});

/** One entry of `mcpServers`. */
export const serverConfigSchema = z.union([stdioServerSchema, httpServerSchema, inProcessServerSchema], {
  // Of the one kind that was meant, what is wrong in it is said.
  error: ({ input }) => (kindsOf(input) === 1 ? undefined : NEEDS_ONE),
});

/** Rules name a tool `server.tool`: a dot or a blank in the server's name would make that ambiguous. */
const serverNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]+$/, 'a server’s name has only letters, digits, "_" and "-", for rules to name it')
  .refine((name) => name !== OWN_SERVER, `"${OWN_SERVER}" is what this program’s own tools are named by`);

/** The `mcpServers` map: server name → how to reach it. */
export const mcpServersSchema = z.record(serverNameSchema, serverConfigSchema);

/** What a configuration was filled in with; not enumerable, so that it is nowhere written out. */
interface FilledIn {
  /** The values of the environment's variables that stand in it, by the variables' names. */
  readonly filledIn?: ReadonlyMap<string, string>;
}

export type StdioServerConfig = z.infer<typeof stdioServerSchema> & FilledIn;
export type HttpServerConfig = z.infer<typeof httpServerSchema> & FilledIn;
export type InProcessServerConfig = z.infer<typeof inProcessServerSchema> & FilledIn;
export type ServerConfig = z.infer<typeof serverConfigSchema> & FilledIn;
export type McpServers = Readonly<Record<string, ServerConfig>>;

const NEEDS_ONE = 'needs exactly one of "command", "url" or "in_process"';

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
 * Reads servers as written in a configuration: fills in variables, then checks.
 *
 * @param file the file's name, for messages.
 * @param lineOf the line of a key, as a path from the map of servers; without it no line is named.
 * @throws ConfigError that names the file, the line, the server and the key.
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
      const name = readWritten(serverNameSchema, server);
      if (!name.ok) throw notUsable(where, name.misfits);
      const filledIn = new Map<string, string>();
      const filled = substituteVariables(entry, env, where, (variable, value) =>
        filledIn.set(variable, value),
      );
      const read = readWritten(serverConfigSchema, filled);
      if (!read.ok) throw notUsable(where, read.misfits);
      const config: ServerConfig = Object.defineProperty(read.value, 'filledIn', { value: filledIn });
      if ('url' in config && !isHttpUrl(config.url)) {
        throw new ConfigError(
          `${placeOf(where, ['url'])}: server "${server}": url: is not an http or https address.`,
        );
      }
      // An address is said in logs and to people, where a secret in it would be read.
      if ('url' in config && hasCredentials(config.url)) {
        throw new ConfigError(
          `${placeOf(where, ['url'])}: server "${server}": url: has a user name or a password in it; put them into "headers", with \${NAME} from the environment.`,
        );
      }
      return [server, config];
    }),
  );
}

/**
 * Reads an `mcp.json` as Claude, Cursor or VS Code have it: `{"mcpServers": {…}}` or `{"servers": {…}}`,
 * where `type` may name the transport. `linesIn` tells the lines of a text's keys, for messages. Keys that only mean
 * something to other programs are left out.
 *
 * @throws ConfigError when the file cannot be read or is not right.
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
    const why = error instanceof SyntaxError ? whyNotJson(error) : messageOf(error);
    throw new ConfigError(`${file}: could not be read: ${why}.`, error);
  }
}

/** Without the parser's words, which quote the text. */
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

/** One letter away from a key of ours: left in, so that it is refused with what was meant. */
function isSlip(key: string): boolean {
  return nearName(key, KNOWN_KEYS, 1) !== null;
}

/** How many kinds of server the entry could be: they differ in what says where it is. */
function kindsOf(entry: unknown): number {
  if (!isJsonObject(entry)) return 0;
  return ['command', 'url', 'in_process'].filter((key) => key in entry).length;
}

function notUsable(where: Where, misfits: readonly Misfit[]): ConfigError {
  const what = misfits.map(({ path, words }) => [pathInWords(path), words].filter(Boolean).join(': '));
  const place = placeOf(where, misfits[0]?.path ?? []);
  const words = what.join('; ');
  return new ConfigError(`${place}: server "${where.server}": ${words}${words.endsWith('?') ? '' : '.'}`);
}

function isHttpUrl(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}

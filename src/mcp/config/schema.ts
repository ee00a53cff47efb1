import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { isJsonObject } from '../../lib/json.ts';
import type { Secret } from '../../lib/secret-mask.ts';
import { authSchema, oauthSchema } from '../../oauth/index.ts';
import { OWN_SERVER } from '../../tools/ports.ts';
import { NAME_FORMAT, NEEDS_ONE_KIND, ROOT_FORMAT, reservedName } from '../texts/config.ts';
import { connectorFields } from './connector.ts';
import { jobsSchema } from './jobs.ts';
import { onApprovedOverHttpSchema, onApprovedSchema } from './on-approved.ts';
import { sandboxSchema } from './sandbox.ts';
import { idleTimeoutSchema, startTimeoutSchema } from './timeouts.ts';

/**
 * Review mode for tools that nobody has reviewed. `first_use` accepts a server's initial tools and holds
 * changes and later ones; `required` holds all; `off` holds none.
 */
export const toolReviewSchema = z.enum(['first_use', 'required', 'off']);
export type ToolReviewMode = z.infer<typeof toolReviewSchema>;

/** A root is sent to the server as a `file:` URL, the only kind that the protocol allows. */
const rootSchema = z
  .string()
  .refine((root) => isAbsolute(root) || /^file:\/\/\/.+/.test(root), ROOT_FORMAT)
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
  start_timeout: startTimeoutSchema.describe(
    'How long it may take until it is connected, such as 2m; a package may have to be downloaded first. Default: 30s.',
  ),
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
      'What it says of its tools counts: which only read, and which destroy nothing, and titles of arguments stand in place of their names. Else each is taken for one that may destroy.',
    ),
  tool_review: toolReviewSchema.optional().describe('As tool_review of the whole file, for this server.'),
  jobs: jobsSchema
    .optional()
    .describe(
      'Its tools that only start a job and answer with its id, by name: such a call goes on until the job has ended, with its progress, over restarts too.',
    ),
};

export const stdioServerSchema = z.strictObject({
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
  sandbox: sandboxSchema.prefault({}).describe('What its process may reach.'),
  on_approved: onApprovedSchema,
  ...common,
});

export const httpServerSchema = z.strictObject({
  url: z.string().min(1).describe('Where it answers, http or https.'),
  auth: authSchema
    .optional()
    .describe('Whether everybody signs in to it for themselves; default: as it says when it is connected.'),
  oauth: oauthSchema.optional().describe('How to sign in, where the server cannot tell.'),
  headers: z.record(z.string(), z.string()).default({}).describe('Sent along with every request.'),
  on_approved: onApprovedOverHttpSchema,
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

export const inProcessServerSchema = z.strictObject({
  in_process: z.string().min(1).describe('The name of a server that comes with this program.'),
  on_approved: onApprovedSchema,
  ...common,
});

export const connectorServerSchema = z.strictObject({
  ...connectorFields,
  ...common,
});

/** One entry of `mcpServers`. */
export const serverConfigSchema = z.union(
  [stdioServerSchema, httpServerSchema, inProcessServerSchema, connectorServerSchema],
  {
    // If it's clear which kind was meant, that kind's own errors are reported.
    error: ({ input }) => (countKinds(input) === 1 ? undefined : NEEDS_ONE_KIND),
  },
);

/** Server names. Rules name a tool `server.tool`, so a dot or a space would be ambiguous. */
export const serverNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]+$/, NAME_FORMAT)
  .refine((name) => name !== OWN_SERVER, reservedName(OWN_SERVER));

/** The `mcpServers` map: server name → how to reach it. */
export const mcpServersSchema = z.record(serverNameSchema, serverConfigSchema);

/** The variables that a configuration was filled in with. Not enumerable, so that they're never printed. */
interface FilledIn {
  /** The substituted environment values, by variable name. */
  readonly filledIn?: ReadonlyMap<string, string>;
  /** Secrets of this program that the server wasn't given. Not enumerable either. */
  readonly secrets?: readonly Secret[];
  /** The variables that a connector needs and that aren't set. Not enumerable either. */
  readonly missing?: readonly string[];
}

export type StdioServerConfig = z.infer<typeof stdioServerSchema> & FilledIn;
export type HttpServerConfig = z.infer<typeof httpServerSchema> & FilledIn;
export type ConnectorConfig = z.infer<typeof connectorServerSchema> & FilledIn;
export type ServerConfig = z.infer<typeof serverConfigSchema> & FilledIn;
export type McpServers = Readonly<Record<string, ServerConfig>>;

/** Whether the server comes with this program: nobody reviews its tools, and what it says of them is believed. */
export function isBundled(config: ServerConfig): boolean {
  return 'in_process' in config || 'connector' in config;
}

/** How many kinds of server the entry could be, judged by the keys that say where it is. */
function countKinds(entry: unknown): number {
  if (!isJsonObject(entry)) return 0;
  return ['command', 'url', 'in_process', 'connector'].filter((key) => key in entry).length;
}

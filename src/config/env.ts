import { IANAZone } from 'luxon';
import { z } from 'zod';
import { formatPath, parseConfig } from '../lib/config-errors/parse.ts';
import { ConfigError } from '../lib/errors.ts';
import { type Network, networksSchema } from '../lib/net/client-address.ts';
import { isSecretName, isTooPlain, listSecrets, type Secret } from '../lib/secret-mask.ts';
import { apiKeySchema } from './api-key.ts';
import { LANGSMITH_VARIABLES, type LangSmithSettings, readLangSmith, withTodaysNames } from './langsmith.ts';
import { slackToken } from './slack-tokens.ts';
import { readTelemetry, TELEMETRY_VARIABLES, type TelemetrySettings, url } from './telemetry.ts';
import {
  BOT_TOKEN_MISSING,
  badEnvironment,
  checkpointerNeedsRedis,
  halfOfClient,
  roleNeedsRedis,
  roleNeedsSlack,
  SLACK_MODE_MISSING,
} from './texts.ts';
import { type TokenKey, tokenKeysSchema } from './token-keys.ts';

const PORT_RULE = 'must be a port, 0 to 65535; 0 takes a free one';
const port = z
  .string()
  .regex(/^\d{1,5}$/, PORT_RULE)
  .transform(Number)
  .refine((number) => number <= 65_535, PORT_RULE);
const redisUrl = z.url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// address' });
const text = z.string();

const envSchema = z.object({
  PORT: port.default(3000),
  HOST: text.default('127.0.0.1'),
  PUBLIC_URL: url.optional(),
  DATA_DIR: text.default('data'),
  COUNTERSIGN_CONFIG: text.optional(),
  COUNTERSIGN_API_KEY: apiKeySchema.optional(),
  TRUSTED_PROXIES: networksSchema.default([]),
  REDIS_URL: redisUrl.optional(),
  ROLE: z.enum(['web', 'worker', 'all'], 'must be web, worker or all').default('all'),
  CHECKPOINTER: z.enum(['own', 'langgraph-redis'], 'must be own or langgraph-redis').default('own'),
  DURABILITY: z.enum(['relaxed', 'strict'], 'must be relaxed or strict').default('relaxed'),
  SLACK_BOT_TOKEN: slackToken('bot').optional(),
  SLACK_APP_TOKEN: slackToken('app').optional(),
  SLACK_SIGNING_SECRET: text.optional(),
  SLACK_CLIENT_ID: text.optional(),
  SLACK_CLIENT_SECRET: text.optional(),
  SLACK_API_URL: url.optional(),
  SLACK_POSTS_PER_SECOND: z
    .string()
    .regex(/^[1-9]\d{0,3}$/, 'must be a number from 1 to 9999')
    .transform(Number)
    .default(1),
  OPENAI_API_KEY: text.optional(),
  OPENAI_BASE_URL: url.optional(),
  MODEL: z
    .string()
    .regex(/^openai:.+$/, 'must be openai:<name>')
    .default('openai:gpt-5-mini'),
  ROUTER_MODEL: z
    .string()
    .regex(/^openai:.+$/, 'must be openai:<name>')
    .optional(),
  MODEL_TIMEOUT_MS: z
    .string()
    .regex(/^\d{4,9}$/, 'must be milliseconds, at least 1000')
    .transform(Number)
    .default(60_000),
  TOKEN_ENCRYPTION_KEY: tokenKeysSchema.optional(),
  AUDIT_HEADS_FILE: text.optional(),
  AUDIT_SIGNING_KEY: text.optional(),
  AUDIT_SIGNING_KEY_FILE: text.optional(),
  AUDIT_FORMER_KEYS: text.optional(),
  DOCUMENTS_DIR: text.optional(),
  SANDBOX: z.enum(['relaxed', 'strict'], 'must be relaxed or strict').default('relaxed'),
  SANDBOX_USER: z
    .string()
    .regex(/^[a-z_][a-z0-9_-]*\$?$/i, 'must be the name of a user of this machine')
    .default('nobody'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).optional(),
  LOG_FORMAT: z.enum(['json', 'text'], 'must be json or text').optional(),
  TZ_DEFAULT: z
    .string()
    .refine((zone) => isTimeZone(zone), 'must be an IANA time zone such as Europe/Berlin')
    .optional(),
  WORKSPACE_PORT: port.default(3001),
  WORKSPACE_SMTP_PORT: port.default(3025),
  ...TELEMETRY_VARIABLES,
  ...LANGSMITH_VARIABLES,
});

/** The credentials of our Slack app for “Sign in with Slack”. */
export interface OpenIdClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface SlackSettings {
  readonly botToken: string;
  /** `socket` listens over Socket Mode with the app token, `http` to signed requests. */
  readonly mode:
    | { readonly kind: 'socket'; readonly appToken: string }
    | { readonly kind: 'http'; readonly signingSecret: string };
  /** Another Slack API root than Slack's own, ending in a slash. */
  readonly apiUrl: string | null;
  /** Null: people cannot sign in on the web. */
  readonly openId: OpenIdClient | null;
}

interface ModelSettings {
  readonly apiKey: string;
  readonly baseUrl: string | null;
  readonly model: string;
  /** Null uses the main model. */
  readonly routerModel: string | null;
  /** The timeout of one answer, in milliseconds. */
  readonly timeoutMs: number;
}

export interface RedisSettings {
  readonly url: string;
  /** `langgraph-redis` keeps checkpoints with LangChain's own package, which needs JSON and Search. */
  readonly checkpointer: 'own' | 'langgraph-redis';
  /** Refuse a server that can lose what it has acknowledged. */
  readonly strict: boolean;
}

/** The settings from the environment, read once, in typed blocks. */
export interface Env {
  readonly server: { readonly port: number; readonly host: string };
  /** The address at which browsers reach this program, without a slash at the end; null: where it listens. */
  readonly publicUrl: string | null;
  readonly dataDir: string;
  /** Null: `countersign.yaml` in this folder. */
  readonly configFile: string | null;
  readonly apiKey: string | null;
  /** The proxies whose `X-Forwarded-For` says where a request comes from. */
  readonly trustedProxies: readonly Network[];
  /** What the process does: `web` listens, `worker` runs threads and calls tools, `all` does both. */
  readonly role: 'web' | 'worker' | 'all';
  /** Null keeps everything in SQLite, for one process. */
  readonly redis: RedisSettings | null;
  /** Null starts the local workspace instead. */
  readonly slack: SlackSettings | null;
  /** Posts per second to one channel, after a short burst. */
  readonly slackPostsPerSecond: number;
  /** Null uses the demo model. */
  readonly model: ModelSettings | null;
  /** The keys that encrypt people's tokens for servers, the current one first; empty: no tokens are stored. */
  readonly tokenKeys: readonly TokenKey[];
  /** The file outside the store that lists the audit's seals; null: they are only logged. */
  readonly auditHeadsFile: string | null;
  /** The key that signs the audit. */
  readonly auditKey: {
    /** The key itself; null: in a file. */
    readonly value: string | null;
    /** Null: beside the data folder, where that holds the store. */
    readonly file: string | null;
    /** Public keys that signed earlier, and whose entries still count. */
    readonly former: readonly string[];
  };
  /** How MCP servers that are processes are kept away from this one. */
  readonly sandbox: {
    /** Starts none that could get at our environment, memory or files. */
    readonly strict: boolean;
    /** The user of the system that they run as where this process runs as root. */
    readonly user: string;
  };
  /** Null: `text` at a terminal, otherwise `json`. */
  readonly logFormat: 'json' | 'text' | null;
  /** Unless set: `warn` in the local workspace, where a person reads the output, otherwise `info`. */
  readonly logLevel: NonNullable<z.infer<typeof envSchema>['LOG_LEVEL']>;
  /** The folder of the bundled server of documents; null: the examples that come with this program. */
  readonly documentsDir: string | null;
  readonly timeZone: string;
  readonly workspacePort: number;
  /** Where the local workspace takes mails. */
  readonly workspaceSmtpPort: number;
  /** Null: nothing is told to OpenTelemetry. */
  readonly telemetry: TelemetrySettings | null;
  /** Null: nothing is told to LangSmith. */
  readonly langSmith: LangSmithSettings | null;
  /**
   * All secrets in the environment: those of ours, and others, such as a cloud's, that this process holds as well. Found
   * by their names, so that a new setting is among them.
   */
  readonly secrets: readonly Secret[];
  /** The variables whose secrets are too plain to be masked. */
  readonly plainSecrets: readonly string[];
}

/**
 * Reads the environment. An empty variable counts as unset.
 * @throws ConfigError that names every bad variable, never its value.
 */
export function readEnv(variables: Readonly<Record<string, string | undefined>>): Env {
  const given = Object.entries(variables).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value] as const],
  );
  const set = withTodaysNames(Object.fromEntries(given));
  const read = parseConfig(envSchema, set);
  if (!read.ok) {
    const problems = read.problems.map(({ path, message }) => `${formatPath(path)}: ${message}`);
    throw new ConfigError(badEnvironment(problems));
  }
  const env = read.value;
  checkRole(env);
  const slack = slackSettings(env);
  const { telemetry, headerSecrets } = readTelemetry(env);
  return {
    server: { port: env.PORT, host: env.HOST },
    publicUrl: env.PUBLIC_URL?.replace(/\/+$/, '') ?? null,
    dataDir: env.DATA_DIR,
    configFile: env.COUNTERSIGN_CONFIG ?? null,
    apiKey: env.COUNTERSIGN_API_KEY ?? null,
    trustedProxies: env.TRUSTED_PROXIES,
    role: env.ROLE,
    redis:
      env.REDIS_URL === undefined
        ? null
        : { url: env.REDIS_URL, checkpointer: env.CHECKPOINTER, strict: env.DURABILITY === 'strict' },
    slack,
    slackPostsPerSecond: env.SLACK_POSTS_PER_SECOND,
    model:
      env.OPENAI_API_KEY === undefined
        ? null
        : {
            apiKey: env.OPENAI_API_KEY,
            baseUrl: env.OPENAI_BASE_URL ?? null,
            model: env.MODEL.slice('openai:'.length),
            routerModel: env.ROUTER_MODEL?.slice('openai:'.length) ?? null,
            timeoutMs: env.MODEL_TIMEOUT_MS,
          },
    tokenKeys: env.TOKEN_ENCRYPTION_KEY ?? [],
    auditHeadsFile: env.AUDIT_HEADS_FILE ?? null,
    auditKey: {
      value: env.AUDIT_SIGNING_KEY ?? null,
      file: env.AUDIT_SIGNING_KEY_FILE ?? null,
      former: (env.AUDIT_FORMER_KEYS ?? '').split(/[\s,]+/).filter((key) => key !== ''),
    },
    sandbox: { strict: env.SANDBOX === 'strict', user: env.SANDBOX_USER },
    documentsDir: env.DOCUMENTS_DIR ?? null,
    logFormat: env.LOG_FORMAT ?? null,
    logLevel: env.LOG_LEVEL ?? (slack === null ? 'warn' : 'info'),
    timeZone: env.TZ_DEFAULT ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    workspacePort: env.WORKSPACE_PORT,
    workspaceSmtpPort: env.WORKSPACE_SMTP_PORT,
    telemetry,
    langSmith: readLangSmith(env),
    secrets: [...listSecrets(given), ...headerSecrets],
    plainSecrets: given.flatMap(([name, value]) => (isSecretName(name) && isTooPlain(value) ? [name] : [])),
  };
}

/** Throws ConfigError for settings that need others. */
function checkRole({ ROLE, REDIS_URL, CHECKPOINTER, SLACK_BOT_TOKEN }: z.infer<typeof envSchema>): void {
  if (REDIS_URL === undefined && ROLE !== 'all') {
    throw new ConfigError(roleNeedsRedis(ROLE));
  }
  if (REDIS_URL === undefined && CHECKPOINTER !== 'own') {
    throw new ConfigError(checkpointerNeedsRedis(CHECKPOINTER));
  }
  if (SLACK_BOT_TOKEN === undefined && ROLE !== 'all') {
    throw new ConfigError(roleNeedsSlack(ROLE));
  }
}

function slackSettings(env: z.infer<typeof envSchema>): SlackSettings | null {
  const { SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken, SLACK_SIGNING_SECRET: signingSecret } = env;
  if (botToken === undefined) {
    const others = [appToken, signingSecret, env.SLACK_CLIENT_ID, env.SLACK_CLIENT_SECRET];
    if (others.every((value) => value === undefined)) return null;
    throw new ConfigError(BOT_TOKEN_MISSING);
  }
  const apiUrl = env.SLACK_API_URL ? `${env.SLACK_API_URL.replace(/\/+$/, '')}/` : null;
  const openId = openIdClient(env);
  if (appToken !== undefined) return { botToken, mode: { kind: 'socket', appToken }, apiUrl, openId };
  if (signingSecret !== undefined) return { botToken, mode: { kind: 'http', signingSecret }, apiUrl, openId };
  throw new ConfigError(SLACK_MODE_MISSING);
}

function openIdClient({
  SLACK_CLIENT_ID: clientId,
  SLACK_CLIENT_SECRET: clientSecret,
}: z.infer<typeof envSchema>): OpenIdClient | null {
  if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret };
  if (clientId === undefined && clientSecret === undefined) return null;
  const half = clientId === undefined ? { set: 'SECRET', unset: 'ID' } : { set: 'ID', unset: 'SECRET' };
  throw new ConfigError(halfOfClient(half));
}

function isTimeZone(zone: string): boolean {
  // Offsets such as +01:00 are no time zones: they have no summer time.
  return /^[A-Z]/i.test(zone) && IANAZone.isValidZone(zone);
}

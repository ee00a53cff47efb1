import { z } from 'zod';
import { ConfigError } from '../errors.ts';

const PORT_WORDS = 'must be a port, 0 to 65535; 0 takes a free one';
const port = z
  .string()
  .regex(/^\d{1,5}$/, PORT_WORDS)
  .transform(Number)
  .refine((number) => number <= 65_535, PORT_WORDS);
const url = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });
const text = z.string();

const envSchema = z.object({
  PORT: port.default(3000),
  HOST: text.default('127.0.0.1'),
  PUBLIC_URL: url.optional(),
  DATA_DIR: text.default('data'),
  COUNTERSIGN_CONFIG: text.optional(),
  COUNTERSIGN_API_KEY: z.string().min(16, 'must have at least 16 characters').optional(),
  SLACK_BOT_TOKEN: z.string().startsWith('xoxb-', 'must begin with xoxb-').optional(),
  SLACK_APP_TOKEN: z.string().startsWith('xapp-', 'must begin with xapp-').optional(),
  SLACK_SIGNING_SECRET: text.optional(),
  SLACK_API_URL: url.optional(),
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
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  TZ_DEFAULT: z
    .string()
    .refine((zone) => isTimeZone(zone), 'must be an IANA time zone such as Europe/Berlin')
    .optional(),
  WORKSPACE_PORT: port.default(3001),
});

export interface SlackSettings {
  readonly botToken: string;
  /** `socket` listens over Socket Mode with the app token, `http` to signed requests. */
  readonly mode:
    | { readonly kind: 'socket'; readonly appToken: string }
    | { readonly kind: 'http'; readonly signingSecret: string };
  /** Another Slack API root than Slack's own, ending in a slash. */
  readonly apiUrl: string | null;
}

export interface ModelSettings {
  readonly apiKey: string;
  readonly baseUrl: string | null;
  readonly model: string;
  /** Null uses the main model. */
  readonly routerModel: string | null;
  /** For one answer, in milliseconds. */
  readonly timeoutMs: number;
}

/** Everything that comes from the environment, read once, in typed blocks. */
export interface Env {
  readonly server: { readonly port: number; readonly host: string; readonly publicUrl: string | null };
  readonly dataDir: string;
  /** Null: `countersign.yaml` in this folder. */
  readonly configFile: string | null;
  readonly apiKey: string | null;
  /** Null starts the local workspace instead. */
  readonly slack: SlackSettings | null;
  /** Null uses the demo model. */
  readonly model: ModelSettings | null;
  readonly logLevel: z.infer<typeof envSchema>['LOG_LEVEL'];
  readonly timeZone: string;
  readonly workspacePort: number;
}

/**
 * Reads the environment. An empty variable counts as unset.
 * @throws ConfigError that names every bad variable, never its value.
 */
export function readEnv(variables: Readonly<Record<string, string | undefined>>): Env {
  const set = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const parsed = envSchema.safeParse(set);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new ConfigError(`The environment is not usable:\n  ${problems.join('\n  ')}`);
  }
  const env = parsed.data;
  return {
    server: { port: env.PORT, host: env.HOST, publicUrl: env.PUBLIC_URL ?? null },
    dataDir: env.DATA_DIR,
    configFile: env.COUNTERSIGN_CONFIG ?? null,
    apiKey: env.COUNTERSIGN_API_KEY ?? null,
    slack: slackSettings(env),
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
    logLevel: env.LOG_LEVEL,
    timeZone: env.TZ_DEFAULT ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    workspacePort: env.WORKSPACE_PORT,
  };
}

function slackSettings(env: z.infer<typeof envSchema>): SlackSettings | null {
  const { SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken, SLACK_SIGNING_SECRET: signingSecret } = env;
  if (botToken === undefined) {
    if (appToken === undefined && signingSecret === undefined) return null;
    throw new ConfigError(
      'SLACK_BOT_TOKEN is not set, but another Slack variable is. Set it, or unset both.',
    );
  }
  const apiUrl = env.SLACK_API_URL ? `${env.SLACK_API_URL.replace(/\/+$/, '')}/` : null;
  if (appToken !== undefined) return { botToken, mode: { kind: 'socket', appToken }, apiUrl };
  if (signingSecret !== undefined) return { botToken, mode: { kind: 'http', signingSecret }, apiUrl };
  throw new ConfigError(
    'SLACK_BOT_TOKEN is set, but neither SLACK_APP_TOKEN (Socket Mode) nor SLACK_SIGNING_SECRET (HTTP) is.',
  );
}

function isTimeZone(zone: string): boolean {
  // Offsets such as +01:00 are no zones: they know no summer time.
  if (!/^[A-Z]/i.test(zone)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

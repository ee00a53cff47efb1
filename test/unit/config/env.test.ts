import { describe, expect, it } from 'vitest';
import { type Env, readEnv } from '../../../src/config/env.ts';
import { ConfigError } from '../../../src/lib/errors.ts';

type Variables = Readonly<Record<string, string>>;

const KEY = Buffer.alloc(32, 7).toString('base64');
const MODEL = { OPENAI_API_KEY: 'key' };
const SLACK = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1' };

it('without any variable everything has its default', () => {
  expect(readEnv({})).toEqual({
    server: { port: 3000, host: '127.0.0.1' },
    publicUrl: null,
    dataDir: 'data',
    documentsDir: null,
    configFile: null,
    apiKey: null,
    trustedProxies: [],
    role: 'all',
    redis: null,
    slack: null,
    slackPostsPerSecond: 1,
    model: null,
    tokenKeys: [],
    auditHeadsFile: null,
    auditKey: { value: null, file: null, former: [] },
    sandbox: { strict: false, user: 'nobody' },
    logFormat: null,
    logLevel: 'warn',
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    workspacePort: 3001,
    workspaceSmtpPort: 3025,
    telemetry: null,
    langSmith: null,
    secrets: [],
    plainSecrets: [],
  });
});

it('an empty variable counts as unset', () => {
  expect(readEnv({ PORT: '', SLACK_BOT_TOKEN: '', OPENAI_API_KEY: '', TZ_DEFAULT: '' })).toEqual(readEnv({}));
});

it.each<[Variables, (env: Env) => unknown, unknown]>([
  [{ PORT: '0' }, (env) => env.server.port, 0],
  [{ PORT: '65535' }, (env) => env.server.port, 65_535],
  [{ HOST: '0.0.0.0' }, (env) => env.server.host, '0.0.0.0'],
  [{ DATA_DIR: '/var/lib/x' }, (env) => env.dataDir, '/var/lib/x'],
  [{ COUNTERSIGN_CONFIG: 'other.yaml' }, (env) => env.configFile, 'other.yaml'],
  [
    { COUNTERSIGN_API_KEY: '8f2b11c07d3ae6954b0cd7f1a92e6d38' },
    (env) => env.apiKey,
    '8f2b11c07d3ae6954b0cd7f1a92e6d38',
  ],
  [{ TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' }, (env) => env.trustedProxies.length, 2],
  [
    { REDIS_URL: 'redis://a.test:6379' },
    (env) => env.redis,
    { url: 'redis://a.test:6379', checkpointer: 'own', strict: false },
  ],
  [{ REDIS_URL: 'rediss://a.test/0' }, (env) => env.redis?.url, 'rediss://a.test/0'],
  [
    { REDIS_URL: 'redis://a.test', CHECKPOINTER: 'langgraph-redis', DURABILITY: 'strict' },
    (env) => env.redis,
    { url: 'redis://a.test', checkpointer: 'langgraph-redis', strict: true },
  ],
  [{ ...SLACK, REDIS_URL: 'redis://a.test', ROLE: 'worker' }, (env) => env.role, 'worker'],
  [SLACK, (env) => env.slack?.mode, { kind: 'socket', appToken: 'xapp-1' }],
  [
    { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 's' },
    (env) => env.slack,
    { botToken: 'xoxb-1', mode: { kind: 'http', signingSecret: 's' }, apiUrl: null, openId: null },
  ],
  [
    { ...SLACK, SLACK_CLIENT_ID: '1.2', SLACK_CLIENT_SECRET: 's' },
    (env) => env.slack?.openId,
    { clientId: '1.2', clientSecret: 's' },
  ],
  [{ ...SLACK, SLACK_SIGNING_SECRET: 's' }, (env) => env.slack?.mode.kind, 'socket'],
  [{ ...SLACK, SLACK_API_URL: 'http://a.test/api' }, (env) => env.slack?.apiUrl, 'http://a.test/api/'],
  [{ ...SLACK, SLACK_API_URL: 'http://a.test/api//' }, (env) => env.slack?.apiUrl, 'http://a.test/api/'],
  [
    MODEL,
    (env) => env.model,
    { apiKey: 'key', baseUrl: null, model: 'gpt-5-mini', routerModel: null, timeoutMs: 60_000 },
  ],
  [{ ...MODEL, OPENAI_BASE_URL: 'http://a.test/v1' }, (env) => env.model?.baseUrl, 'http://a.test/v1'],
  [{ ...MODEL, MODEL: 'openai:org/name:tag' }, (env) => env.model?.model, 'org/name:tag'],
  [{ ...MODEL, ROUTER_MODEL: 'openai:small' }, (env) => env.model?.routerModel, 'small'],
  [{ ...MODEL, MODEL_TIMEOUT_MS: '1000' }, (env) => env.model?.timeoutMs, 1_000],
  [{ LOG_LEVEL: 'silent' }, (env) => env.logLevel, 'silent'],
  [{ LOG_FORMAT: 'text' }, (env) => env.logFormat, 'text'],
  [SLACK, (env) => env.logLevel, 'info'],
  [{ ...SLACK, LOG_LEVEL: 'warn' }, (env) => env.logLevel, 'warn'],
  [{ TZ_DEFAULT: 'Europe/Berlin' }, (env) => env.timeZone, 'Europe/Berlin'],
  [{ TZ_DEFAULT: 'Asia/Kolkata' }, (env) => env.timeZone, 'Asia/Kolkata'],
  [{ TZ_DEFAULT: 'UTC' }, (env) => env.timeZone, 'UTC'],
  [{ SLACK_POSTS_PER_SECOND: '20' }, (env) => env.slackPostsPerSecond, 20],
  [
    { TOKEN_ENCRYPTION_KEY: `new:${KEY}, old:${'B'.repeat(43)}=` },
    (env) => env.tokenKeys.map(({ id, key }) => [id, key.toString('base64')]),
    [
      ['new', KEY],
      ['old', Buffer.from(`${'B'.repeat(43)}=`, 'base64').toString('base64')],
    ],
  ],
  [{ AUDIT_HEADS_FILE: '/mnt/heads' }, (env) => env.auditHeadsFile, '/mnt/heads'],
  [{ SANDBOX: 'strict', SANDBOX_USER: 'mcp' }, (env) => env.sandbox, { strict: true, user: 'mcp' }],
  [{ WORKSPACE_PORT: '0' }, (env) => env.workspacePort, 0],
  [{ WORKSPACE_SMTP_PORT: '2525' }, (env) => env.workspaceSmtpPort, 2525],
])('%o is read', (variables, read, expected) => {
  expect(read(readEnv(variables))).toEqual(expected);
});

describe('a variable that cannot be used is named, with what it must be', () => {
  it.each([
    ['PORT', 'many', 'must be a port, 0 to 65535; 0 takes a free one'],
    ['PORT', '65536', 'must be a port, 0 to 65535; 0 takes a free one'],
    ['PORT', '-1', 'must be a port, 0 to 65535; 0 takes a free one'],
    ['PORT', '3000.5', 'must be a port, 0 to 65535; 0 takes a free one'],
    ['PORT', ' ', 'must be a port, 0 to 65535; 0 takes a free one'],
    ['WORKSPACE_PORT', '0x10', 'must be a port, 0 to 65535; 0 takes a free one'],
    ['COUNTERSIGN_API_KEY', 'password12345678', 'at least 128 bits'],
    ['TRUSTED_PROXIES', 'nginx', 'must be addresses or networks'],
    ['REDIS_URL', 'http://a.test', 'must be a redis:// or rediss:// address'],
    ['ROLE', 'leader', 'must be web, worker or all'],
    ['CHECKPOINTER', 'memory', 'must be own or langgraph-redis'],
    ['DURABILITY', 'lax', 'must be relaxed or strict'],
    [
      'SLACK_BOT_TOKEN',
      'xoxp-secret',
      'is a user token, which is not used here. The bot token begins with xoxb-',
    ],
    [
      'SLACK_BOT_TOKEN',
      'xapp-secret',
      'is an app-level token, which goes into SLACK_APP_TOKEN. The bot token',
    ],
    ['SLACK_BOT_TOKEN', 'secret', 'is no such token of Slack. The bot token begins with xoxb-'],
    [
      'SLACK_APP_TOKEN',
      'xoxb-secret',
      'is a bot token, which goes into SLACK_BOT_TOKEN. The app-level token',
    ],
    ['SLACK_API_URL', 'slack', 'must be an http or https address'],
    ['OPENAI_BASE_URL', 'localhost', 'must be an http or https address'],
    ['MODEL', 'gpt-5', 'must be openai:<name>'],
    ['MODEL', 'openai:', 'must be openai:<name>'],
    ['ROUTER_MODEL', 'other:x', 'must be openai:<name>'],
    ['SLACK_POSTS_PER_SECOND', '0', 'must be a number from 1 to 9999'],
    ['SLACK_POSTS_PER_SECOND', '0.5', 'must be a number from 1 to 9999'],
    ['MODEL_TIMEOUT_MS', '999', 'must be milliseconds, at least 1000'],
    ['MODEL_TIMEOUT_MS', '1m', 'must be milliseconds, at least 1000'],
    ['TOKEN_ENCRYPTION_KEY', KEY, 'must be id:key'],
    ['TOKEN_ENCRYPTION_KEY', 'a:c2hvcnQ=', 'must be id:key'],
    ['TOKEN_ENCRYPTION_KEY', `a:${KEY},a:${KEY}`, 'each id another'],
    ['LOG_LEVEL', 'loud', 'must be trace, debug, info, warn, error, fatal or silent'],
    ['TZ_DEFAULT', 'Berlin', 'must be an IANA time zone such as Europe/Berlin'],
    ['TZ_DEFAULT', '+01:00', 'must be an IANA time zone such as Europe/Berlin'],
  ])('%s=%s', (name, value, words) => {
    const read = () => readEnv({ [name]: value });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(`${name}: `);
    expect(read).toThrow(words);
  });

  it.each(['COUNTERSIGN_API_KEY', 'SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'TOKEN_ENCRYPTION_KEY'])(
    '%s without showing it',
    (name) => {
      expect(() => readEnv({ [name]: 'secret' })).not.toThrow('secret');
    },
  );

  it('together with all others', () => {
    expect(() => readEnv({ PORT: 'x', LOG_LEVEL: 'y' })).toThrow(/PORT[\s\S]*LOG_LEVEL/);
  });
});

it.each<[string, Variables, RegExp]>([
  ['an app token alone', { SLACK_APP_TOKEN: 'xapp-1' }, /SLACK_BOT_TOKEN is not set/],
  ['a signing secret alone', { SLACK_SIGNING_SECRET: 's' }, /SLACK_BOT_TOKEN is not set/],
  ['a bot token alone', { SLACK_BOT_TOKEN: 'xoxb-1' }, /neither SLACK_APP_TOKEN .* nor SLACK_SIGNING_SECRET/],
])('%s is not enough for Slack, and says what is missing', (_what, variables, message) => {
  expect(() => readEnv(variables)).toThrow(message);
});

it.each<[Variables, RegExp]>([
  [{ ...SLACK, ROLE: 'web' }, /ROLE=web .* needs REDIS_URL/],
  [{ ...SLACK, ROLE: 'worker' }, /ROLE=worker .* needs REDIS_URL/],
  [{ CHECKPOINTER: 'langgraph-redis' }, /CHECKPOINTER=langgraph-redis needs REDIS_URL/],
  [{ REDIS_URL: 'redis://a.test', ROLE: 'web' }, /ROLE=web needs Slack/],
])('%o lacks what it needs, and says what that is', (variables, message) => {
  expect(() => readEnv(variables)).toThrow(ConfigError);
  expect(() => readEnv(variables)).toThrow(message);
});

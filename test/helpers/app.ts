import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Installation,
  type SlackEmulator,
  type SlackEmulatorOptions,
  startSlackEmulator,
  type WorkspaceClock,
} from '@countersign/slack-emulator';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { type CountersignApp, startApp } from '../../src/app/start.ts';
import { readEnv } from '../../src/config/env.ts';
import { type FileConfig, fileSchema } from '../../src/config/file.ts';
import { readKnowledge } from '../../src/config/knowledge.ts';
import type { CallRecord } from '../../src/gate/call/record.ts';
import { permissionsSchema } from '../../src/gate/risk/permissions.ts';
import { calls } from '../../src/gate/store/collections.ts';
import { parseServers } from '../../src/mcp/config/load.ts';
import { openRedisStore } from '../../src/storage/redis/store.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import type { Store } from '../../src/storage/store.ts';
import { type AppProcesses, appProcesses } from './app-processes.ts';
import { AUDIT_SIGNING_KEY } from './audit-keys.ts';
import { OPENED_AFTER_MS, restoreEarlierData } from './earlier-data.ts';
import { startModel } from './model.ts';
import { emptyRedisUrl, ON_REDIS, SCALED } from './storage.ts';

/** Monday, 09:00 in Berlin: when every dialogue begins. */
export const BEGIN = Date.UTC(2026, 10, 23, 8, 0, 0);
const TIME_ZONE = 'Europe/Berlin';
/**
 * How long a step may take, in milliseconds: where processes have to find out that another one is gone, and
 * elsewhere, where a busy machine is all that takes time.
 */
const PATIENCE_MS = SCALED ? 60_000 : 40_000;

interface TestAppOptions {
  /** `countersign.yaml` as an object; servers under `mcpServers`. `$FOLDER` in them is the app's folder. */
  readonly file: Readonly<Record<string, unknown>>;
  /** For OPENAI_BASE_URL; null for the demo model, which is in the app. */
  readonly modelUrl: string | null;
  readonly env?: Readonly<Record<string, string>>;
  /** People can sign in on the web: it has an address that the stand-in for Slack sends them back to. */
  readonly web?: boolean;
  /** Opens the data that version 03457cf left, in its store and in Slack. */
  readonly earlierData?: boolean;
  /** How the app is installed in Slack. @default in a workspace of its own */
  readonly installation?: Installation;
  /** How the app is installed in Slack, where that is not as the manifest says, and the workspace's page. */
  readonly slack?: Pick<
    SlackEmulatorOptions,
    'scopes' | 'groupMentions' | 'rates' | 'missingMethods' | 'page'
  >;
}

const lineSchema = z.looseObject({ level: z.number(), msg: z.string() });
type LogLine = z.infer<typeof lineSchema>;

/**
 * The whole app against the stand-in for Slack, over loopback, in a folder of its own. Its clock goes on
 * from {@link BEGIN} as time goes on, and by what `pass` adds.
 */
export async function startTestApp(options: TestAppOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-dialogue-'));
  // Apart from what servers keep in the folder: they don't see the data.
  const dataDir = join(folder, 'data');
  const startedAt = Date.now();
  let passed = options.earlierData ? OPENED_AFTER_MS : 0;
  const now = () => BEGIN + passed + Date.now() - startedAt;
  const clock: WorkspaceClock = {
    now,
    after(ms, task) {
      const timer = setTimeout(task, ms);
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
  const redisUrl = ON_REDIS ? await emptyRedisUrl() : null;
  if (options.earlierData) await restoreEarlierData({ folder, dataDir, redisUrl });
  const workspace = await startSlackEmulator({
    ...(options.earlierData ? { dataFile: join(folder, 'workspace.json') } : {}),
    clock,
    rates: 'off',
    ...options.slack,
    timeouts: { waitMs: PATIENCE_MS },
    tz: TIME_ZONE,
    botName: 'countersign',
    commands: [
      { command: '/countersign', description: 'Ask it', usage: 'help | status | grants | delegate | cancel' },
    ],
  });
  workspace.driver.setInstallation(options.installation ?? {});
  const variables: Record<string, string> = {
    PORT: '0',
    DATA_DIR: dataDir,
    ...(redisUrl === null ? {} : { REDIS_URL: redisUrl }),
    SLACK_BOT_TOKEN: workspace.botToken,
    SLACK_APP_TOKEN: workspace.appToken,
    SLACK_API_URL: workspace.apiUrl,
    ...(options.modelUrl === null
      ? {}
      : { OPENAI_API_KEY: 'key-of-the-scripted-model', OPENAI_BASE_URL: options.modelUrl }),
    TZ_DEFAULT: TIME_ZONE,
    AUDIT_SIGNING_KEY,
    TOKEN_ENCRYPTION_KEY: `test:${Buffer.alloc(32, 1).toString('base64')}`,
    ...(options.web ? await webSettings(workspace) : {}),
    ...options.env,
  };
  const servers = JSON.parse(JSON.stringify(options.file.mcpServers ?? {}).replaceAll('$FOLDER', folder));
  const hasDocuments = options.file.knowledge !== undefined || 'documents' in servers;
  let file: Readonly<Record<string, unknown>> = {
    ...options.file,
    // What the scripted model is asked is what its test expects. Where documents are configured, their server comes with them.
    ...(hasDocuments && {
      knowledge: { descriptions: false, ...z.looseObject({}).optional().parse(options.file.knowledge) },
    }),
    // Likewise: what people write isn't read for what is remembered of them, unless that is what the test is about.
    ...(options.modelUrl !== null && { memory: options.file.memory ?? { enabled: false } }),
    mcpServers: servers,
  };
  const deployment: Deployment = SCALED
    ? manyProcesses(
        appProcesses({
          folder,
          dataDir,
          file,
          env: variables,
          offsetMs: BEGIN + passed - startedAt,
        }),
        () => now() - Date.now(),
      )
    : oneProcess(variables, file, now);
  const start = async (): Promise<void> => {
    await deployment.start();
    await workspace.driver.waitForApp();
  };
  await start();

  /** Reads what the app keeps, by a connection of its own. */
  async function inStore<T>(read: (store: Store) => Promise<T>): Promise<T> {
    const store =
      redisUrl === null
        ? openSqliteStore({ path: join(dataDir, 'countersign.db') })
        : await openRedisStore({ url: redisUrl });
    try {
      return await read(store);
    } finally {
      await store.close();
    }
  }

  return {
    folder,
    dataDir,
    workspace,
    /** What the clocks of the app and of the workspace say, in milliseconds since the epoch. */
    now,
    driver: workspace.driver,
    /** Where the HTTP API answers. */
    get url(): string {
      return deployment.url();
    },
    get logged(): readonly LogLine[] {
      return deployment.logged();
    },
    /** Lets milliseconds pass on every clock, and what has become due happen. */
    async pass(ms: number): Promise<void> {
      passed += ms;
      await deployment.lookAfterWhatIsDue();
    },
    /**
     * `changes`: another `countersign.yaml` in place of the entries that are given, and `env`: other variables, as after an
     * operator has edited them.
     */
    async restart(
      changes: Readonly<Record<string, unknown>> = {},
      env: Readonly<Record<string, string>> = {},
    ): Promise<void> {
      await deployment.stop();
      file = { ...file, ...changes };
      Object.assign(variables, env);
      deployment.configure(file);
      await start();
    },
    /** Where browsers reach it; empty without `web`. */
    publicUrl: variables.PUBLIC_URL ?? '',
    stopApp: (): Promise<void> => deployment.stop(),
    /** Where the app is several processes: one of the two workers goes as a machine fails. */
    killWorker: (which: 0 | 1): Promise<void> => deployment.killWorker(which),
    inStore,
    /** The calls that have no end; to be read when the app has stopped. */
    async notEnded(): Promise<readonly CallRecord[]> {
      const page = await inStore((store) => store.query(calls, 'notEnded', {}, 100));
      return page.items.map((item) => item.value);
    },
    async remove(): Promise<void> {
      await deployment.dispose();
      await workspace.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A free port, kept over restarts, as the address that people's browsers reach. */
export async function webSettings(workspace: SlackEmulator): Promise<Record<string, string>> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  const port = String(typeof address === 'object' ? address?.port : '');
  probe.close();
  const url = `http://127.0.0.1:${port}`;
  workspace.setRedirectUrls([`${url}/sign-in/slack/callback`]);
  return {
    PORT: port,
    PUBLIC_URL: url,
    SLACK_CLIENT_ID: workspace.clientId,
    SLACK_CLIENT_SECRET: workspace.clientSecret,
  };
}

/** What runs behind the workspace. */
interface Deployment {
  start(): Promise<void>;
  /** Another `countersign.yaml`, as an object, from the next start on. */
  configure(file: Readonly<Record<string, unknown>>): void;
  stop(): Promise<void>;
  /** What has become due by the clock happens. */
  lookAfterWhatIsDue(): Promise<void>;
  killWorker(which: 0 | 1): Promise<void>;
  url(): string;
  logged(): readonly LogLine[];
  /** Ends whatever still runs. */
  dispose(): Promise<void>;
}

function oneProcess(
  variables: Readonly<Record<string, string>>,
  given: Readonly<Record<string, unknown>>,
  clock: () => number,
): Deployment {
  let file = readFile(given);
  const logged: LogLine[] = [];
  const write = (line: string): void => void logged.push(lineSchema.parse(JSON.parse(line)));
  const log = pino({ level: 'debug' }, { write });
  let app: CountersignApp | null = null;
  return {
    async start() {
      app = await startApp({ env: readEnv(variables), file, log, clock });
      await app.serversTried;
    },
    configure(changed) {
      file = readFile(changed);
    },
    async stop() {
      const running = app;
      app = null;
      await running?.stop();
    },
    async lookAfterWhatIsDue() {
      await app?.sweep();
    },
    killWorker: () => Promise.reject(new Error('There is one process, and nobody could go on.')),
    url: () => app?.url ?? '',
    logged: () => logged,
    dispose: () => Promise.resolve(),
  };
}

function readPermissions(file: string) {
  return permissionsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
}

function readFile({ mcpServers, ...others }: Readonly<Record<string, unknown>>): FileConfig {
  const { mcpServers: _unread, mcp_json: _none, risk, ...rest } = fileSchema.parse(others);
  const shared = risk && readPermissions(risk.permissions);
  const agents = Object.entries(risk?.agents ?? {}).map(([agent, file]) => [agent, readPermissions(file)]);
  const permissions = shared ? { shared, agents: Object.fromEntries(agents) } : null;
  const servers = parseServers(mcpServers, {}, 'dialogue');
  const knowledge = readKnowledge(rest.knowledge, {}, { file: 'dialogue', lineOf: () => 1 });
  return { ...rest, knowledge, servers, permissions, mcpFile: null, findPlace: () => 'dialogue' };
}

function manyProcesses(processes: AppProcesses, offsetMs: () => number): Deployment {
  return {
    start: processes.start,
    configure: processes.configure,
    stop: processes.stop,
    lookAfterWhatIsDue: () => processes.shift(offsetMs()),
    killWorker: processes.killWorker,
    url: processes.url,
    logged: () =>
      processes
        .output()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => lineSchema.parse(JSON.parse(line))),
    dispose: processes.dispose,
  };
}
export type TestApp = Awaited<ReturnType<typeof startTestApp>>;

/** The whole app and the model it asks, for one test; both end with it. */
export async function startAppWithModel(options: Omit<TestAppOptions, 'modelUrl'>) {
  const model = await startModel();
  const app = await startTestApp({ ...options, modelUrl: model.url });
  onTestFinished(async () => {
    // The app stops when its runs have come to rest, which they do not while the model thinks.
    model.giveUp();
    await app.stopApp();
    await model.stop();
    await app.remove();
  });
  return { model, app, driver: app.driver };
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { z } from 'zod';
import { type CountersignApp, startApp } from '../../src/app.ts';
import { readEnv } from '../../src/config/env.ts';
import { type FileConfig, fileSchema } from '../../src/config/file.ts';
import { calls } from '../../src/gate/records.ts';
import type { CallRecord } from '../../src/gate/types.ts';
import { createLocalWorkspace, type WorkspaceClock } from '../../src/local-workspace/index.ts';
import { parseServers } from '../../src/mcp/config.ts';
import { openRedisStore } from '../../src/storage/redis.ts';
import { openSqliteStore } from '../../src/storage/sqlite.ts';
import type { Store } from '../../src/storage/store.ts';
import { emptyRedisUrl, ON_REDIS } from './storage.ts';

/** Monday, 09:00 in Berlin: when every dialogue begins. */
const BEGIN = Date.UTC(2026, 10, 23, 8, 0, 0);
export const TIME_ZONE = 'Europe/Berlin';

export interface TestAppOptions {
  /** `countersign.yaml` as an object; servers under `mcpServers`. `$FOLDER` in them is the app's folder. */
  readonly file: Readonly<Record<string, unknown>>;
  /** For OPENAI_BASE_URL. */
  readonly modelUrl: string;
  readonly env?: Readonly<Record<string, string>>;
}

const lineSchema = z.looseObject({ level: z.number(), msg: z.string() });
export type LogLine = z.infer<typeof lineSchema>;

/**
 * The whole house against the stand-in for Slack, over loopback, in a folder of its own. Its clock goes on
 * from {@link BEGIN} as time goes on, and by what `pass` adds.
 */
export async function startTestApp(options: TestAppOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-dialogue-'));
  const startedAt = Date.now();
  let passed = 0;
  const now = () => BEGIN + passed + Date.now() - startedAt;
  const clock: WorkspaceClock = {
    now,
    after(ms, task) {
      const timer = setTimeout(task, ms);
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
  const workspace = await createLocalWorkspace({
    clock,
    rates: 'off',
    tz: TIME_ZONE,
    botName: 'countersign',
    commands: [
      { command: '/countersign', description: 'Ask it', usage: 'help | status | grants | delegate | cancel' },
    ],
  });
  const redisUrl = ON_REDIS ? await emptyRedisUrl() : null;
  const env = readEnv({
    PORT: '0',
    DATA_DIR: folder,
    ...(redisUrl === null ? {} : { REDIS_URL: redisUrl }),
    SLACK_BOT_TOKEN: workspace.botToken,
    SLACK_APP_TOKEN: workspace.appToken,
    SLACK_API_URL: workspace.apiUrl,
    OPENAI_API_KEY: 'key-of-the-scripted-model',
    OPENAI_BASE_URL: options.modelUrl,
    TZ_DEFAULT: TIME_ZONE,
    ...options.env,
  });
  const {
    mcpServers,
    mcp_json: _none,
    ...rest
  } = fileSchema.parse({ ...options.file, mcpServers: undefined });
  const servers = JSON.parse(JSON.stringify(options.file.mcpServers ?? {}).replaceAll('$FOLDER', folder));
  const file: FileConfig = { ...rest, servers: parseServers(servers, {}, 'dialogue') };
  const logged: LogLine[] = [];
  const log = pino(
    { level: 'debug' },
    { write: (line: string) => void logged.push(lineSchema.parse(JSON.parse(line))) },
  );

  const start = async (): Promise<CountersignApp> => {
    const started = await startApp({ env, file, log, clock: now });
    await workspace.driver.waitForApp();
    return started;
  };
  let app = await start();

  /** Reads what the app keeps, by a connection of its own. */
  async function inStore<T>(read: (store: Store) => Promise<T>): Promise<T> {
    const store =
      redisUrl === null
        ? openSqliteStore({ path: join(folder, 'countersign.db') })
        : await openRedisStore({ url: redisUrl });
    try {
      return await read(store);
    } finally {
      await store.close();
    }
  }

  return {
    folder,
    workspace,
    driver: workspace.driver,
    logged,
    /** Lets milliseconds pass on every clock, and what has become due happen. */
    async pass(ms: number): Promise<void> {
      passed += ms;
      await app.sweep();
    },
    async restart(): Promise<void> {
      await app.stop();
      app = await start();
    },
    stopApp: (): Promise<void> => app.stop(),
    inStore,
    /** The calls that have no end; to be read when the app has stopped. */
    async notEnded(): Promise<readonly CallRecord[]> {
      const page = await inStore((store) => store.query(calls, 'notEnded', {}, 100));
      return page.items.map((item) => item.value);
    },
    async remove(): Promise<void> {
      await workspace.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
export type TestApp = Awaited<ReturnType<typeof startTestApp>>;

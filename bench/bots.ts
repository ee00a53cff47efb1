import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SlackEmulator, startSlackEmulator } from '@countersign/slack-emulator';
import { spawnProcess } from '../test/helpers/process.ts';
import { type RedisServer, startRedis } from '../test/helpers/redis.ts';
import { startBotModel } from './bot-model.ts';

/** One bot in processes of its own, in a workspace of its own, with a Redis of its own. */
export interface Bot {
  readonly name: string;
  readonly workspace: SlackEmulator;
  /** From the start of its process to its connection with Slack, in milliseconds. */
  readonly coldStartMs: number;
  /** Processor time of its processes so far, in milliseconds. */
  cpuMs(): number;
  /** Memory that its processes have now, in bytes. */
  residentBytes(): number;
  /** Where its HTTP API listens; Countersign only. */
  apiUrl(): Promise<string>;
  /** The folder with its data. */
  readonly dataDir: string;
  close(): Promise<void>;
}

type Storage = 'redis' | 'sqlite';

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

interface Surroundings {
  readonly folder: string;
  readonly workspace: SlackEmulator;
  readonly redis: RedisServer;
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

interface SurroundingsOptions {
  /** Slack's own rates, kept by the stand-in and the bot; else neither has any. */
  readonly isRated?: boolean;
}

interface OurOptions extends SurroundingsOptions {
  readonly workers?: number;
  /** What the configuration has besides the calendar. @default every call waits for a person */
  readonly config?: object;
}

/** The key to Countersign's HTTP API. */
export const API_KEY = randomBytes(32).toString('base64url');

async function openSurroundings({ isRated = false }: SurroundingsOptions = {}): Promise<Surroundings> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-bot-'));
  const [workspace, model, redis] = await Promise.all([
    startSlackEmulator({ rates: isRated ? 'strict' : 'off', botName: 'countersign' }),
    startBotModel(),
    startRedis(),
  ]);
  return {
    folder,
    workspace,
    redis,
    env: {
      SLACK_BOT_TOKEN: workspace.botToken,
      SLACK_APP_TOKEN: workspace.appToken,
      SLACK_API_URL: workspace.apiUrl,
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: model.url,
      LOG_LEVEL: 'warn',
      // What is measured is the bot, not what Slack allows in a channel.
      SLACK_POSTS_PER_SECOND: isRated ? '1' : '9999',
    },
    async close() {
      await Promise.all([workspace.stop(), model.stop(), redis.dispose()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One process, or with `workers` one that listens and so many that work. */
export async function startOurs(
  name: string,
  storage: Storage,
  { workers = 0, config: more = {}, ...options }: OurOptions = {},
): Promise<Bot> {
  const around = await openSurroundings(options);
  const config = join(around.folder, 'countersign.yaml');
  const file = {
    policy: { default: 'ask', rules: [] },
    mcpServers: { calendar: { in_process: 'calendar' } },
    ...more,
  };
  writeFileSync(config, JSON.stringify(file));
  const env = {
    ...around.env,
    COUNTERSIGN_CONFIG: config,
    COUNTERSIGN_API_KEY: API_KEY,
    ...(storage === 'redis' ? { REDIS_URL: around.redis.url } : {}),
  };
  return startBot(name, around, {
    env: { ...env, ROLE: workers === 0 ? 'all' : 'web' },
    workers: Array.from({ length: workers }, () => ({ ...env, ROLE: 'worker' })),
  });
}

export async function startStock(name: string): Promise<Bot> {
  const around = await openSurroundings();
  return startBot(name, around, {
    env: { ...around.env, REDIS_URL: around.redis.url },
    command: [process.execPath, 'bench/stock-bot.ts'],
  });
}

interface Processes {
  readonly env: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  /** The environment of each process that works and does not listen. */
  readonly workers?: readonly Readonly<Record<string, string>>[];
}

async function startBot(
  name: string,
  { folder, workspace, close }: Surroundings,
  { workers = [], ...how }: Processes,
): Promise<Bot> {
  const helpers = workers.map((env, index) =>
    spawnProcess({ dataDir: join(folder, `worker-${index}`), env }),
  );
  const started = performance.now();
  const dataDir = join(folder, 'data');
  const child = spawnProcess({ dataDir, ...how });
  const all = [child, ...helpers];
  const end = async (): Promise<void> => {
    await Promise.all(all.map((process) => process.end('SIGKILL')));
    await close();
  };
  try {
    await Promise.race([
      workspace.driver.waitForApp(60_000),
      child.exited.then(() => Promise.reject(new Error(`${name} ended:\n${child.output()}`))),
    ]);
    await Promise.all(helpers.map((helper) => helper.ready()));
  } catch (error) {
    await end();
    throw error;
  }
  return {
    name,
    workspace,
    coldStartMs: performance.now() - started,
    cpuMs: () => sum(all.map(({ pid }) => cpuMsOf(pid))),
    residentBytes: () => sum(all.map(({ pid }) => residentBytesOf(pid))),
    apiUrl: async () => (await child.ready()).apiUrl,
    dataDir,
    close: end,
  };
}

function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function residentBytesOf(pid: number): number {
  return Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SlackEmulator, startSlackEmulator } from '@countersign/slack-emulator';
import { ROOT, spawnProcess } from '../../test/helpers/process.ts';
import { startRedis } from '../../test/helpers/redis.ts';
import { type CountingWay, openCountingWay } from '../counting-way.ts';
import { startBotModel } from './model.ts';
import { connectProbe, type Probe } from './probe-client.ts';

/** One bot in a process of its own, in a workspace of its own, with a Redis of its own. */
export interface Bot {
  readonly workspace: SlackEmulator;
  /** From the start of its process to its connection with Slack, in milliseconds. */
  readonly coldStartMs: number;
  /** Processor time of its process so far, in milliseconds. */
  cpuMs(): number;
  /** What counts; null unless that was asked for, as it costs time. */
  readonly counters: Counters | null;
  /** Memory that its process has now, in bytes. */
  residentBytes(): number;
  /** Where its HTTP API listens; Countersign only. */
  apiUrl(): Promise<string>;
  /** The folder with its data. */
  readonly dataDir: string;
  close(): Promise<void>;
}

interface Counters {
  readonly probe: Probe;
  readonly way: CountingWay;
  /** Requests to the model so far. */
  readonly modelCalls: () => number;
}

interface Surroundings {
  readonly folder: string;
  readonly workspace: SlackEmulator;
  readonly redisUrl: string;
  /** Null unless something is counted; the probe's socket appears with the process. */
  readonly counters: Counters | null;
  /** Words for Node, before the program. */
  readonly nodeOptions: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

interface SurroundingsOptions {
  /** Whether SQLite, disk, Redis and model are counted: for counts, not for times. @default false */
  readonly isCounted?: boolean;
  /** Slack's own rates, kept by the stand-in and the bot; else neither has any. */
  readonly isRated?: boolean;
  /** Where its model is. @default one that answers at once */
  readonly modelUrl?: string;
}

interface OurOptions extends SurroundingsOptions {
  /** What the configuration has besides the calendar. @default every call waits for a person */
  readonly config?: object;
  /** Writes what its folder of data has before it starts. */
  readonly fill?: (dataDir: string) => Promise<void>;
  /** Further variables. */
  readonly env?: (workspace: SlackEmulator) => Readonly<Record<string, string>>;
}

/** The key to Countersign's HTTP API. */
export const API_KEY = randomBytes(32).toString('base64url');

async function openSurroundings({
  isRated = false,
  isCounted = false,
  modelUrl,
}: SurroundingsOptions): Promise<Surroundings> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-bot-'));
  const [workspace, model, redis] = await Promise.all([
    startSlackEmulator({ rates: isRated ? 'strict' : 'off', botName: 'countersign' }),
    startBotModel(),
    startRedis(),
  ]);
  const probePath = join(folder, 'probe');
  const way = isCounted ? await openCountingWay(redis.port) : null;
  return {
    folder,
    workspace,
    redisUrl: way?.url ?? redis.url,
    counters: way && { way, probe: connectProbe(probePath), modelCalls: model.calls },
    nodeOptions: isCounted ? ['--import', './bench/bots/probe.ts'] : [],
    env: {
      ...settingsFor(workspace, modelUrl ?? model.url),
      BENCH_PROBE: probePath,
      ...(isRated ? { SLACK_POSTS_PER_SECOND: '1' } : {}),
    },
    async close() {
      way?.close();
      await Promise.all([workspace.stop(), model.stop(), redis.dispose()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Settings of a bot in this workspace, with the model at this address. */
export function settingsFor(workspace: SlackEmulator, modelUrl: string): Readonly<Record<string, string>> {
  return {
    SLACK_BOT_TOKEN: workspace.botToken,
    SLACK_APP_TOKEN: workspace.appToken,
    SLACK_API_URL: workspace.apiUrl,
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: modelUrl,
    LOG_LEVEL: 'warn',
    // What is measured is the bot, not what Slack allows in a channel.
    SLACK_POSTS_PER_SECOND: '9999',
  };
}

/**
 * Makes what Countersign starts with: its configuration, whose path is the answer, and the bundle of the sources as they
 * are now, which the first start would make. Every call waits for a person unless `more` says otherwise.
 */
export function prepareOurs(folder: string, more: object = {}): string {
  const path = join(folder, 'countersign.yaml');
  const file = {
    policy: { default: 'ask', rules: [] },
    mcpServers: { calendar: { in_process: 'calendar' } },
    // What it takes is measured by itself, and would be among what the turns ask for.
    memory: { enabled: false },
    ...more,
  };
  writeFileSync(path, JSON.stringify(file));
  execFileSync(process.execPath, ['bin/bundle.js'], { cwd: ROOT });
  return path;
}

/** Countersign as `npm start` starts it; from its sources where something is counted, so that a profile names them. */
export async function startOurs(
  storage: 'redis' | 'sqlite',
  { config = {}, fill, env, ...options }: OurOptions = {},
): Promise<Bot> {
  const around = await openSurroundings(options);
  await fill?.(dataIn(around.folder));
  return startBot(
    around,
    options.isCounted ? ['--conditions=countersign-source', 'src/index.ts'] : ['bin/countersign.js'],
    {
      COUNTERSIGN_CONFIG: prepareOurs(around.folder, config),
      COUNTERSIGN_API_KEY: API_KEY,
      REDIS_URL: storage === 'redis' ? around.redisUrl : '',
      ...env?.(around.workspace),
    },
  );
}

function dataIn(folder: string): string {
  return join(folder, 'data');
}

/** The usual bot, with the official saver or with what keeps nothing over its end. */
export async function startStock(
  saver: 'official' | 'memory',
  options: Pick<SurroundingsOptions, 'isCounted'> = {},
): Promise<Bot> {
  const around = await openSurroundings(options);
  return startBot(around, ['bench/bots/stock-bot.ts'], {
    REDIS_URL: saver === 'official' ? around.redisUrl : '',
  });
}

async function startBot(
  { folder, workspace, counters, nodeOptions, close, ...around }: Surroundings,
  program: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Bot> {
  const started = performance.now();
  const dataDir = dataIn(folder);
  const child = spawnProcess({
    dataDir,
    env: { ...around.env, ...env },
    command: [process.execPath, ...nodeOptions, ...program],
  });
  let isOver = false;
  void child.exited.then(() => {
    if (!isOver) process.stderr.write(`a bot ended:\n${child.output()}\n`);
  });
  const end = async (): Promise<void> => {
    isOver = true;
    await child.end('SIGKILL');
    await close();
  };
  try {
    await Promise.race([
      workspace.driver.waitForApp(60_000),
      child.exited.then(() => Promise.reject(new Error('a bot ended while it started'))),
    ]);
  } catch (error) {
    await end();
    throw error;
  }
  const pid = programOf(child.pid);
  return {
    workspace,
    counters,
    coldStartMs: performance.now() - started,
    cpuMs: () => cpuMsOf(pid),
    residentBytes: () => residentBytesOf(pid),
    apiUrl: async () => (await child.ready()).apiUrl,
    dataDir,
    close: end,
  };
}

/** The program itself: what `npm start` starts, and then only waits for. */
export function programOf(pid: number): number {
  const [child = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  return child === '' ? pid : Number(child);
}

/** Of its threads, in nanoseconds each: https://docs.kernel.org/scheduler/sched-stats.html */
export function cpuMsOf(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  return sum(
    tasks.map(
      (task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
    ),
  );
}

export function residentBytesOf(pid: number): number {
  return Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

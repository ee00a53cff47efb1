import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { startSlackEmulator } from '@countersign/slack-emulator';
import { closeRedis, connectRedis } from '../src/storage/redis/client.ts';
import { type CountersignProcess, ROOT, spawnProcess } from '../test/helpers/process.ts';
import { startRedis } from '../test/helpers/redis.ts';
import { startBotModel } from './bots/model.ts';
import { cpuMsOf, programOf, residentBytesOf } from './bots/start.ts';
import { crowd, turnsAtOnce } from './bots/turns.ts';
import { openCountingWay } from './counting-way.ts';
import { serverCpuMs } from './growth/redis-server.ts';

/**
 * What a turn of the whole bot costs, by how many processes share it: `node --conditions=countersign-source
 * bench/scaling.ts`. The figures of docs/scaling.md are from here. Counts are taken over a way of their own, in a second
 * start, because that way takes time.
 */
type Role = 'all' | 'web' | 'worker';
interface Setup {
  readonly roles: readonly Role[];
  /** As Redis writes its file; null: no file. */
  readonly appendfsync: 'always' | null;
}

const SETUPS: readonly Setup[] = [
  { roles: ['all'], appendfsync: null },
  { roles: ['all'], appendfsync: 'always' },
  { roles: ['all', 'all'], appendfsync: null },
  { roles: ['web', 'worker'], appendfsync: null },
  { roles: ['web', 'worker', 'worker'], appendfsync: null },
  { roles: ['web', 'worker', 'worker', 'worker'], appendfsync: null },
];
const PEOPLE = 32;
const TURNS_EACH = 3;
const TURNS = PEOPLE * TURNS_EACH;

/** A thread's lease is given back after five seconds, a channel's after eight. */
const AFTERWARDS_MS = 9_000;
/** How long processes that have nothing to do are looked at, in milliseconds. */
const IDLE_MS = 15_000;

const wanted = process.argv.slice(2).map(Number);
for (const [index, setup] of SETUPS.entries()) {
  if (wanted.length > 0 && !wanted.includes(index)) continue;
  const timed = await measure(setup, false);
  const counted = await measure(setup, true);
  const { commands, roundTrips, bytesSent, bytesReceived, idleCommands } = counted;
  process.stdout.write(
    `${JSON.stringify({ ...setup, ...timed, commands, roundTrips, bytesSent, bytesReceived, idleCommands })}\n`,
  );
}
process.exit();

async function measure({ roles, appendfsync }: Setup, isCounted: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-scaling-'));
  const redis = await startRedis(appendfsync === null ? {} : { appendfsync });
  const way = await openCountingWay(redis.port);
  const [workspace, model] = await Promise.all([
    startSlackEmulator({ rates: 'off', botName: 'countersign' }),
    startBotModel(),
  ]);
  const client = connectRedis(redis.url);
  const config = join(folder, 'countersign.yaml');
  writeFileSync(
    config,
    JSON.stringify({
      policy: { default: 'ask', rules: [] },
      mcpServers: { calendar: { in_process: 'calendar' } },
    }),
  );
  execFileSync(process.execPath, ['bin/bundle.js'], { cwd: ROOT });
  const processes = roles.map((role, index) =>
    spawnProcess({
      dataDir: join(folder, `data-${index}`),
      command: [process.execPath, 'bin/countersign.js'],
      env: {
        ROLE: role,
        REDIS_URL: isCounted ? way.url : redis.url,
        COUNTERSIGN_CONFIG: config,
        SLACK_BOT_TOKEN: workspace.botToken,
        SLACK_APP_TOKEN: workspace.appToken,
        SLACK_API_URL: workspace.apiUrl,
        OPENAI_API_KEY: 'none',
        OPENAI_BASE_URL: model.url,
        LOG_LEVEL: 'warn',
        SLACK_POSTS_PER_SECOND: '9999',
      },
    }),
  );
  const close = async (): Promise<void> => {
    await Promise.all(processes.map((one) => one.end('SIGKILL')));
    way.close();
    await closeRedis(client);
    await Promise.all([workspace.stop(), model.stop(), redis.dispose()]);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(processes.map((one) => one.ready()));
    const bot = { workspace };
    crowd(bot, PEOPLE);
    await turnsAtOnce(bot, PEOPLE, 2);
    await after(AFTERWARDS_MS);

    const now = async () => ({
      cpu: processes.map(cpuOf),
      redisCpu: await serverCpuMs(client),
      at: performance.now(),
      ...way.traffic(),
    });
    const before = await now();
    const { seconds } = await turnsAtOnce(bot, PEOPLE, TURNS_EACH);
    const memory = await memoryOf();
    await after(AFTERWARDS_MS);
    const then = await now();
    await after(IDLE_MS);
    const idle = await now();

    const perTurn = (from: number, to: number) => rounded((to - from) / TURNS);
    const perSecond = (from: number, to: number) => rounded(((to - from) * 1_000) / (idle.at - then.at));
    return {
      turnsPerSecond: rounded(TURNS / seconds),
      /** Of each process, in milliseconds a turn. */
      cpu: then.cpu.map((ms, index) => perTurn(before.cpu[index] ?? 0, ms)),
      redisCpu: perTurn(before.redisCpu, then.redisCpu),
      commands: perTurn(before.commands, then.commands),
      roundTrips: perTurn(before.roundTrips, then.roundTrips),
      bytesSent: perTurn(before.bytesSent, then.bytesSent),
      bytesReceived: perTurn(before.bytesReceived, then.bytesReceived),
      /** In milliseconds and commands a second, of all that do nothing. */
      idleCpu: idle.cpu.map((ms, index) => perSecond(then.cpu[index] ?? 0, ms)),
      idleRedisCpu: perSecond(then.redisCpu, idle.redisCpu),
      idleCommands: perSecond(then.commands, idle.commands),
      connections: await connections(),
      memoryMB: processes.map((one) => Math.round(residentBytesOf(programOf(one.pid)) / 1e6)),
      redisBytes: memory,
    };
  } finally {
    await close();
  }

  /** Those of the processes: without the one that asks. */
  async function connections(): Promise<number> {
    return (
      String(await client.client('LIST'))
        .trim()
        .split('\n').length - 1
    );
  }

  async function memoryOf(): Promise<number> {
    return Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);
  }
}

function cpuOf({ pid }: CountersignProcess): number {
  return cpuMsOf(programOf(pid));
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

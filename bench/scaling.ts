import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { startSlackEmulator } from '@countersign/slack-emulator';
import { closeRedis, connectRedis } from '../src/storage/redis/client.ts';
import { type CountersignProcess, spawnProcess } from '../test/helpers/process.ts';
import { startRedis } from '../test/helpers/redis.ts';
import { startBotModel } from './bots/model.ts';
import { cpuMsOf, prepareOurs, programOf, residentBytesOf, settingsFor } from './bots/start.ts';
import { crowd, turnsAtOnce } from './bots/turns.ts';
import { openCountingWay } from './counting-way.ts';
import { serverCpuMs, usedMemory } from './growth/redis-server.ts';

/**
 * What a turn of the whole bot costs, by how many processes share it: `node --conditions=countersign-source
 * bench/scaling.ts`, with the numbers of setups to measure only these. The figures of docs/scaling.md are from here; all of them are kept in scaling.json. All
 * of it goes over a way that counts: what it prints of turns a second is less than without.
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
/** Turns of each person for each process that works on them: each is as warm as if it were alone. */
const WARM_UPS = 2;
const TURNS_EACH = 3;

/** A thread's lease is given back after five seconds, a channel's after eight. */
const AFTERWARDS_MS = 9_000;
/** How long processes that have nothing to do are looked at, in milliseconds. */
const IDLE_MS = 15_000;

const wanted = process.argv.slice(2).map(Number);
const measured = [];
for (const [index, setup] of SETUPS.entries()) {
  if (wanted.length > 0 && !wanted.includes(index)) continue;
  const figures = { at: new Date().toISOString(), ...setup, ...(await measure(setup)) };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  measured.push(figures);
}
if (wanted.length === 0)
  writeFileSync(new URL('scaling.json', import.meta.url), JSON.stringify(measured, null, 2));
process.exit();

async function measure({ roles, appendfsync }: Setup) {
  const workers = roles.filter((role) => role !== 'web').length;
  const turns = PEOPLE * TURNS_EACH * workers;
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-scaling-'));
  const redis = await startRedis(appendfsync === null ? {} : { appendfsync });
  const way = await openCountingWay(redis.port);
  const [workspace, model] = await Promise.all([
    startSlackEmulator({ rates: 'off', botName: 'countersign' }),
    startBotModel(),
  ]);
  const client = connectRedis(redis.url);
  const config = prepareOurs(folder);
  const processes = roles.map((role, index) =>
    spawnProcess({
      dataDir: join(folder, `data-${index}`),
      command: [process.execPath, 'bin/countersign.js'],
      env: {
        ...settingsFor(workspace, model.url),
        ROLE: role,
        REDIS_URL: way.url,
        COUNTERSIGN_CONFIG: config,
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
    await turnsAtOnce(bot, PEOPLE, WARM_UPS * workers);
    await after(AFTERWARDS_MS);

    const now = async () => ({
      cpu: processes.map(cpuOf),
      redisCpu: await serverCpuMs(client),
      redisBytes: await usedMemory(client),
      at: performance.now(),
      ...way.traffic(),
    });
    const before = await now();
    const { seconds } = await turnsAtOnce(bot, PEOPLE, TURNS_EACH * workers);
    await after(AFTERWARDS_MS);
    const then = await now();
    await after(IDLE_MS);
    const idle = await now();

    const idleCpu = then.cpu.map((ms, index) => ((idle.cpu[index] ?? 0) - ms) / (idle.at - then.at));
    /** Without what it takes to do nothing for as long. */
    const cpuOfTurns = then.cpu.map(
      (ms, index) => ms - (before.cpu[index] ?? 0) - (idleCpu[index] ?? 0) * (then.at - before.at),
    );
    const perTurn = (from: number, to: number) => rounded((to - from) / turns);
    const perSecond = (from: number, to: number) => rounded(((to - from) * 1_000) / (idle.at - then.at));
    return {
      turns,
      turnsPerSecond: rounded(turns / seconds),
      /** Of each process, in milliseconds a turn. */
      cpu: cpuOfTurns.map((ms) => perTurn(0, ms)),
      redisCpu: perTurn(before.redisCpu, then.redisCpu),
      commands: perTurn(before.commands, then.commands),
      roundTrips: perTurn(before.roundTrips, then.roundTrips),
      bytesSent: perTurn(before.bytesSent, then.bytesSent),
      bytesReceived: perTurn(before.bytesReceived, then.bytesReceived),
      /** In milliseconds and commands a second, of all that do nothing. */
      idleCpu: idleCpu.map((share) => rounded(share * 1_000)),
      idleRedisCpu: perSecond(then.redisCpu, idle.redisCpu),
      idleCommands: perSecond(then.commands, idle.commands),
      connections: await connections(),
      memoryMB: processes.map((one) => Math.round(residentBytesOf(programOf(one.pid)) / 1e6)),
      /** What stays of a turn. */
      redisBytes: perTurn(before.redisBytes, then.redisBytes),
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
}

function cpuOf({ pid }: CountersignProcess): number {
  return cpuMsOf(programOf(pid));
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { z } from 'zod';
import { round } from './statistics.ts';

const PACKAGES = [
  '@langchain/core',
  '@langchain/langgraph',
  '@langchain/langgraph-checkpoint-redis',
  'langchain',
  '@slack/bolt',
  'ioredis',
  'bullmq',
] as const;

/** The machine and the versions that figures are true of. */
export function surroundings() {
  const versionOf = (name: string): string => {
    const file = new URL(`../node_modules/${name}/package.json`, import.meta.url);
    return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, 'utf8'))).version;
  };
  const redis = execFileSync('redis-server', ['--version'], { encoding: 'utf8' });
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    platform: process.platform,
    node: process.version,
    redis: /v=(\S+)/.exec(redis)?.[1] ?? 'unknown',
    packages: Object.fromEntries(PACKAGES.map((name) => [name, versionOf(name)])),
  };
}
export type Around = ReturnType<typeof surroundings>;

/** What else the machine was busy with while something was measured. */
export interface Busyness {
  /** Processes that ran or wanted to in the last minute, on average. */
  readonly load: number;
  /** Whether the processes that were measured, and the measuring, went before all others. */
  readonly isRealTime: boolean;
}

export function currentBusyness(): Busyness {
  // The 41st field is the scheduling policy, 0 unless somebody has chosen another one.
  const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ');
  return { load: round(loadavg()[0] ?? Number.NaN), isRealTime: fields.split(' ')[38] !== '0' };
}

/** Completing "Measured …". */
export function describeBusyness({ load, isRealTime }: Busyness): string {
  const others = isRealTime ? ', but with real-time priority, so that other work hardly counts' : '';
  return `at a load of ${load}${others}`;
}

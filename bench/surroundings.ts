import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { z } from 'zod';

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

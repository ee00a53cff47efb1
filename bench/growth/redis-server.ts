import type { Redis } from 'ioredis';
import { z } from 'zod';

/** How many threads one script copies. */
const BATCH = 500;

/** Redis writes what a script makes of a thread's keys: `KEYS` with the thread's name changed, `ARGV[1]` being that. */
const forThreads = (command: string) => `
for number = tonumber(ARGV[2]), tonumber(ARGV[3]) do
  for _, key in ipairs(KEYS) do
    local at = string.find(key, ARGV[1], 1, true)
    local other = string.sub(key, 1, at - 1) .. 'other:' .. number .. string.sub(key, at + #ARGV[1])
    ${command}
  end
end`;
const COPIES = forThreads(`redis.call('COPY', key, other)`);
const NAMES = forThreads(`redis.call('SET', other, '')`);

interface OtherThreads {
  /** The keys of the thread that the others are like. */
  readonly keys: readonly string[];
  readonly threadId: string;
  readonly count: number;
}

/** Puts other threads into Redis, whole, in the server and without its name. */
export function copyThreads(client: Redis, others: OtherThreads): Promise<void> {
  return writeThreads(client, COPIES, others);
}

/** Puts the names of other threads' keys into Redis, with nothing under them. */
export function nameThreads(client: Redis, others: OtherThreads): Promise<void> {
  return writeThreads(client, NAMES, others);
}

async function writeThreads(
  client: Redis,
  lua: string,
  { keys, threadId, count }: OtherThreads,
): Promise<void> {
  for (let first = 1; first <= count; first += BATCH) {
    const last = Math.min(count, first + BATCH - 1);
    await client.call('EVAL', [lua, keys.length, ...keys, threadId, first, last]);
  }
}

/** The keys of a thread, from all keys of a server that holds little. */
export async function keysOf(client: Redis, threadId: string): Promise<string[]> {
  return z.array(z.string()).parse(await client.call('KEYS', [`*${threadId}*`]));
}

/** All that the server holds, in bytes. */
export async function usedMemory(client: Redis): Promise<number> {
  return (await infoOf(client, 'memory')).get('used_memory') ?? Number.NaN;
}

/** Processor time of the server so far, in milliseconds. */
export async function serverCpuMs(client: Redis): Promise<number> {
  const info = await infoOf(client, 'cpu');
  return ((info.get('used_cpu_user') ?? Number.NaN) + (info.get('used_cpu_sys') ?? Number.NaN)) * 1_000;
}

async function infoOf(client: Redis, section: string): Promise<ReadonlyMap<string, number>> {
  const text = z.string().parse(await client.call('INFO', [section]));
  return new Map(
    text.split('\r\n').map((line): [string, number] => {
      const [name = '', value] = line.split(':');
      return [name, Number(value)];
    }),
  );
}

import type { Redis } from 'ioredis';
import { z } from 'zod';
import { calls, requests } from '../src/gate/store/collections.ts';
import { mailbox, threads } from '../src/runs/collections.ts';
import { put, type Store } from '../src/storage/store.ts';

/** How many threads one script copies, or one commit writes. */
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
  /** Numbers of the first and the last one. */
  readonly from: number;
  readonly to: number;
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
  { keys, threadId, from, to }: OtherThreads,
): Promise<void> {
  for (let first = from; first <= to; first += BATCH) {
    const last = Math.min(to, first + BATCH - 1);
    await client.call('EVAL', [lua, keys.length, ...keys, threadId, first, last]);
  }
}

const asText = z.string();

/** The keys of a thread, from all keys of a server that holds little. */
export async function keysOf(client: Redis, threadId: string): Promise<string[]> {
  return z.array(asText).parse(await client.call('KEYS', [`*${threadId}*`]));
}

/** What the server gives to these keys, in bytes. */
export async function memoryOf(client: Redis, keys: readonly string[]): Promise<number> {
  const sizes = await Promise.all(keys.map((key) => client.call('MEMORY', ['USAGE', key, 'SAMPLES', '0'])));
  return sizes.reduce((sum: number, size) => sum + Number(size ?? 0), 0);
}

/** All that the server holds, in bytes. */
export async function usedMemory(client: Redis): Promise<number> {
  const info = asText.parse(await client.call('INFO', ['memory']));
  return Number(/used_memory:(\d+)/.exec(info)?.[1] ?? Number.NaN);
}

/** Puts the records of threads `from` to `to` into the store: copies of those of a thread that waits for a decision. */
export async function copyRecords(
  store: Store,
  { threadId, from, to }: { threadId: string; from: number; to: number },
): Promise<void> {
  const thread = await store.get(threads, threadId);
  const [item] = (await store.query(mailbox, 'byThread', { prefix: [threadId] }, 1)).items;
  const [call] = (await store.query(calls, 'byThread', { prefix: [threadId] }, 1)).items;
  const [request] = (await store.query(requests, 'openByThread', { prefix: [threadId] }, 1)).items;
  if (!thread || !item || !call || !request) throw new Error('that thread does not wait for a decision');
  for (let first = from; first <= to; first += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, to - first + 1) }, (_, index) => first + index);
    await store.commit({
      put: numbers.flatMap((number) => {
        const other = `other:${number}`;
        return [
          put(threads, other, { ...thread.value, threadId: other }),
          put(mailbox, `item of ${other}`, { ...item.value, itemId: `item of ${other}`, threadId: other }),
          put(calls, `call of ${other}`, { ...call.value, threadId: other }),
          put(requests, `request of ${other}`, {
            ...request.value,
            requestId: `request of ${other}`,
            threadId: other,
          }),
        ];
      }),
    });
  }
}

import type { Redis } from 'ioredis';
import { z } from 'zod';
import { calls, requests } from '../src/gate/records.ts';
import { mailbox, threads } from '../src/runs/records.ts';
import { put, type Store } from '../src/storage/store.ts';

/** How many threads one script copies, or one commit writes. */
const BATCH = 500;

const COPY_THREADS = `
for number = tonumber(ARGV[2]), tonumber(ARGV[3]) do
  for _, key in ipairs(KEYS) do
    local at = string.find(key, ARGV[1], 1, true)
    redis.call('COPY', key, string.sub(key, 1, at - 1) .. 'other:' .. number .. string.sub(key, at + #ARGV[1]))
  end
end`;

/** Puts threads `from` to `to` into Redis: copies of these keys of a thread, in the server and without its name. */
export async function copyThreads(
  client: Redis,
  { keys, threadId, from, to }: { keys: readonly string[]; threadId: string; from: number; to: number },
): Promise<void> {
  for (let first = from; first <= to; first += BATCH) {
    const last = Math.min(to, first + BATCH - 1);
    await client.call('EVAL', [COPY_THREADS, keys.length, ...keys, threadId, first, last]);
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
          put(requests, `request of ${other}`, { ...request.value, requestId: `request of ${other}`, threadId: other }),
        ];
      }),
    });
  }
}

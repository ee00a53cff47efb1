import { Queue, Worker } from 'bullmq';
import { z } from 'zod';
import type { HeldWakeUps } from './in-process.ts';

const QUEUE = 'wake-ups';
/** The braces put all keys into one slot of a Redis Cluster. */
const PREFIX = '{cs}:bull';
/** Hints handled at a time by one process; each only names a thread and takes no time. */
const CONCURRENCY = 16;

const hintSchema = z.object({ threadId: z.string() });

/**
 * Wake-ups over BullMQ: each reaches one of the subscribed processes. They are hints and never the truth, so
 * none is retried, and losing the queue loses nothing. `url` is as for the store.
 */
export function bullMqWakeUps(
  url: string,
  log: { debug(details: object, message: string): void },
): HeldWakeUps {
  const note = (error: unknown): void => log.debug({ err: error }, 'wake-up failed');
  // Without its connection, a hint is dropped: the sweep is sooner than a queue in memory.
  const queue = new Queue(QUEUE, {
    connection: { url, enableOfflineQueue: false, maxRetriesPerRequest: 0 },
    prefix: PREFIX,
    defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
  });
  queue.on('error', note);
  let worker: Worker | null = null;
  return {
    wake(threadId) {
      const deduplication = { id: threadId, keepLastIfActive: true };
      queue.add('wake', { threadId }, { deduplication }).catch(note);
    },
    subscribe(handler) {
      worker = new Worker(QUEUE, async ({ data }) => handler(hintSchema.parse(data).threadId), {
        // BullMQ requires null here: a worker waits for its connection as long as it takes.
        connection: { url, maxRetriesPerRequest: null },
        prefix: PREFIX,
        concurrency: CONCURRENCY,
        maxStalledCount: 0,
      });
      worker.on('error', note);
    },
    async deafen() {
      await worker?.close();
      worker = null;
    },
    async close() {
      await worker?.close();
      await queue.close();
    },
  };
}

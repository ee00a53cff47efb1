import type { Queue, Worker } from 'bullmq';
import { z } from 'zod';
import type { WakeHandler } from '../ports.ts';
import type { HeldWakeUps } from './in-process.ts';

const QUEUE = 'wake-ups';
/** The braces put all keys into one slot of a Redis Cluster. */
const PREFIX = '{cs}:bull';
/** Hints handled at a time by one process; each only names a thread and takes no time. */
const CONCURRENCY = 16;

const hintSchema = z.object({ threadId: z.string() });

interface OpenQueue {
  readonly opened: Queue;
  /** Resolves when it was connected, or couldn't be, for the first time. */
  readonly begun: Promise<unknown>;
}

/**
 * Wake-ups in the process itself where it works on threads. What is for another goes over BullMQ, which gives it to
 * one of those that do. They are hints and never the truth, so none is retried, and losing the queue loses nothing.
 * `url` is as for the store.
 */
export function bullMqWakeUps(
  url: string,
  log: { debug(details: object, message: string): void },
): HeldWakeUps {
  const note = (error: unknown): void => log.debug({ err: error }, 'wake-up failed');
  let queue: Promise<OpenQueue> | null = null;
  let worker: Promise<Worker> | null = null;
  let handler: WakeHandler | null = null;

  /**
   * BullMQ takes long to load: a process without Redis does without, and no start waits for it. It's CommonJS, of which
   * the bundle has nothing but the default.
   */
  async function openQueue(): Promise<OpenQueue> {
    const { Queue } = (await import('bullmq')).default;
    // Without its connection, a hint is dropped: the sweep is sooner than a queue in memory.
    const opened = new Queue(QUEUE, {
      connection: { url, enableOfflineQueue: false, maxRetriesPerRequest: 0 },
      prefix: PREFIX,
      defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
    });
    opened.on('error', note);
    return { opened, begun: opened.waitUntilReady().catch(note) };
  }

  async function openWorker(): Promise<Worker> {
    const { Worker } = (await import('bullmq')).default;
    const opened = new Worker(QUEUE, async ({ data }) => handler?.(hintSchema.parse(data).threadId), {
      // BullMQ requires null here: a worker waits for its connection as long as it takes.
      connection: { url, maxRetriesPerRequest: null },
      prefix: PREFIX,
      concurrency: CONCURRENCY,
      maxStalledCount: 0,
    });
    opened.on('error', note);
    return opened;
  }

  async function addHint(threadId: string): Promise<void> {
    queue ??= openQueue();
    const { opened, begun } = await queue;
    await begun;
    const deduplication = { id: threadId, keepLastIfActive: true };
    await opened.add('wake', { threadId }, { deduplication });
  }

  const offer = (threadId: string): void => void addHint(threadId).catch(note);

  async function deafen(): Promise<void> {
    handler = null;
    await (await worker)?.close();
    worker = null;
  }

  return {
    wake(threadId, change) {
      const here = handler;
      if (here) queueMicrotask(() => here(threadId, change));
      else offer(threadId);
    },
    offer,
    subscribe(onWake) {
      handler = onWake;
      worker = openWorker();
    },
    deafen,
    async close() {
      await deafen();
      await (await queue)?.opened.close();
    },
  };
}

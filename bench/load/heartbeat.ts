import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { z } from 'zod';

/** How often the process is asked whether it lives, in milliseconds. */
const EVERY_MS = 20;

/** Asks `/livez` of a process again and again. */
interface Heartbeat {
  /** Ends it. Rejects when an answer did not come. */
  stop(): Promise<Beats>;
}

const beatsSchema = z.object({
  /** How long each answer took. */
  answers: z.array(z.number()),
  /** The most by which a question was late: what the machine adds, as this thread does nothing else. */
  lateMax: z.number(),
});
/** Milliseconds. */
type Beats = z.infer<typeof beatsSchema>;

/** Starts to ask, in a thread of its own, so that nothing else of the measuring is in the answers' way. */
export async function startHeartbeat(apiUrl: string): Promise<Heartbeat> {
  const worker = new Worker(new URL(import.meta.url), { workerData: `${apiUrl}/livez` });
  await once(worker, 'message');
  return {
    async stop() {
      worker.postMessage('stop');
      const [beats] = await once(worker, 'message');
      await worker.terminate();
      return beatsSchema.parse(beats);
    },
  };
}

/** Questions do not wait for the answers to those before them. */
async function beat(url: string): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const asked: Promise<number>[] = [];
  let isOver = false;
  parentPort?.once('message', () => {
    isOver = true;
  });
  await ask(url, agent);
  parentPort?.postMessage('begun');
  let lateMax = 0;
  while (!isOver) {
    asked.push(ask(url, agent));
    const dueAt = performance.now() + EVERY_MS;
    await after(EVERY_MS);
    lateMax = Math.max(lateMax, performance.now() - dueAt);
  }
  parentPort?.postMessage({ answers: await Promise.all(asked), lateMax } satisfies Beats);
}

async function ask(url: string, agent: Agent): Promise<number> {
  const started = performance.now();
  const [answer] = await once(get(url, { agent }), 'response');
  answer.resume();
  await once(answer, 'end');
  return performance.now() - started;
}

if (!isMainThread) await beat(z.string().parse(workerData));

import type { Hono } from 'hono';
import type { HttpEnv } from '../context.ts';
import { toHttpStatus } from '../threads/schemas/answers.ts';
import { runRequestSchema } from '../threads/schemas/requests.ts';
import { toTasksPart } from '../threads/tasks.ts';
import { type WaitPorts, waitForOutcome } from '../threads/wait-for-outcome.ts';
import { requireKey } from './auth.ts';
import { readBody } from './body.ts';
import type { ApiPorts } from './ports.ts';
import { receiveMessage, refuseOverLimit } from './receive.ts';

/** `POST /run`: sends a message to a thread; responds with the answer, or once people have to act. */
export function runRoute(app: Hono<HttpEnv>, ports: ApiPorts, waiting: WaitPorts): void {
  app.post('/run', requireKey(ports, 'run'), async (c) => {
    const { thread_id, user_request: text, agent = null } = await readBody(c, runRequestSchema);
    const received = await receiveMessage(c, ports, { threadName: thread_id, text, agent });
    const outcome = await waitForOutcome(waiting, { ...received, client: c.req.raw.signal });
    if (outcome.status === 'error') await refuseOverLimit(ports, received.itemId);
    const tasks = await toTasksPart(ports.runs, received);
    return c.json({ ...outcome, thread_id, ...tasks }, toHttpStatus(outcome.status));
  });
}

import type { Hono } from 'hono';
import type { HttpEnv } from '../context.ts';
import { HttpError } from '../errors.ts';
import type { HttpPorts } from '../ports.ts';
import { actorOf, internalThreadId, itemIdOf, surfaceOf } from '../threads/ids.ts';
import { httpStatusOf } from '../threads/schemas/answers.ts';
import { runRequestSchema } from '../threads/schemas/requests.ts';
import { type SettlePorts, settled } from '../threads/wait-for-outcome.ts';
import { requireKey } from './auth.ts';
import { readBody } from './body.ts';

/** `POST /run`: a message to a thread, answered when it is, or when people have the next word. */
export function runRoute(app: Hono<HttpEnv>, ports: HttpPorts, settling: SettlePorts): void {
  app.post('/run', requireKey(ports.keys, 'run'), async (c) => {
    const body = await readBody(c, runRequestSchema);
    const caller = c.get('caller');
    const threadId = internalThreadId(caller, body.thread_id);
    const itemId = itemIdOf(caller, idempotencyKeyOf(c.req.header('idempotency-key')), ports.ids);
    const isNew = await ports.runs.receive({
      threadId,
      surface: surfaceOf(caller, body.thread_id),
      itemId,
      actor: actorOf(caller),
      text: body.user_request,
      at: ports.clock(),
    });
    if (!isNew) await refuseAnotherMessage(ports, itemId, threadId, body.user_request);
    const outcome = await settled(settling, { threadId, itemId, client: c.req.raw.signal });
    return c.json({ ...outcome, thread_id: body.thread_id }, httpStatusOf(outcome.status));
  });
}

function idempotencyKeyOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (/^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw new HttpError({
    status: 400,
    code: 'bad_idempotency_key',
    userMessage: 'An Idempotency-Key has 1 to 255 visible ASCII characters. Nothing was done.',
  });
}

async function refuseAnotherMessage(
  { runs }: HttpPorts,
  itemId: string,
  threadId: string,
  text: string,
): Promise<void> {
  const received = await runs.item(itemId);
  if (received?.threadId === threadId && received.text === text) return;
  throw new HttpError({
    status: 409,
    code: 'idempotency_conflict',
    userMessage: 'This Idempotency-Key came with another message before. This one was not received.',
  });
}

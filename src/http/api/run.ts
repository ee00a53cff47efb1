import type { Hono } from 'hono';
import type { HttpEnv } from '../context.ts';
import { HttpError } from '../errors.ts';
import { BAD_IDEMPOTENCY_KEY, IDEMPOTENCY_CONFLICT } from '../texts.ts';
import { toActor, toItemId, toSurface, toThreadId } from '../threads/ids.ts';
import { toHttpStatus } from '../threads/schemas/answers.ts';
import { runRequestSchema } from '../threads/schemas/requests.ts';
import { type WaitPorts, waitForOutcome } from '../threads/wait-for-outcome.ts';
import { requireKey } from './auth.ts';
import { readBody } from './body.ts';
import type { ApiPorts } from './ports.ts';

/** `POST /run`: sends a message to a thread; responds with the answer, or once people have to act. */
export function runRoute(app: Hono<HttpEnv>, ports: ApiPorts, waiting: WaitPorts): void {
  app.post('/run', requireKey(ports, 'run'), async (c) => {
    const body = await readBody(c, runRequestSchema);
    const caller = c.get('caller');
    const threadId = toThreadId(caller, body.thread_id);
    const itemId = toItemId(caller, parseIdempotencyKey(c.req.header('idempotency-key')), ports.ids);
    const isNew = await ports.runs.receive({
      threadId,
      surface: toSurface(caller, body.thread_id),
      itemId,
      actor: toActor(caller),
      text: body.user_request,
      at: ports.clock(),
    });
    if (!isNew) await refuseAnotherMessage(ports, itemId, threadId, body.user_request);
    const outcome = await waitForOutcome(waiting, { threadId, itemId, client: c.req.raw.signal });
    return c.json({ ...outcome, thread_id: body.thread_id }, toHttpStatus(outcome.status));
  });
}

function parseIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (/^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw new HttpError({
    status: 400,
    code: 'bad_idempotency_key',
    userMessage: BAD_IDEMPOTENCY_KEY,
  });
}

async function refuseAnotherMessage(
  { runs }: ApiPorts,
  itemId: string,
  threadId: string,
  text: string,
): Promise<void> {
  const received = await runs.item(itemId);
  if (received?.threadId === threadId && received.text === text) return;
  throw new HttpError({
    status: 409,
    code: 'idempotency_conflict',
    userMessage: IDEMPOTENCY_CONFLICT,
  });
}

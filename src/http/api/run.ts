import type { Hono } from 'hono';
import { runLimitReached } from '../../runs/index.ts';
import { AGENT_NAMES, type AgentName } from '../../runs/ports.ts';
import type { HttpEnv } from '../context.ts';
import { HttpError } from '../errors.ts';
import { anotherAgent, BAD_IDEMPOTENCY_KEY, IDEMPOTENCY_CONFLICT } from '../texts.ts';
import { toActor, toItemId, toSurface, toThreadId } from '../threads/ids.ts';
import { toHttpStatus } from '../threads/schemas/answers.ts';
import { runRequestSchema } from '../threads/schemas/requests.ts';
import { type WaitPorts, waitForOutcome } from '../threads/wait-for-outcome.ts';
import { requireKey } from './auth.ts';
import { readBody } from './body.ts';
import type { ApiPorts } from './ports.ts';
import { readTraceparent } from './traceparent.ts';

/** `POST /run`: sends a message to a thread; responds with the answer, or once people have to act. */
export function runRoute(app: Hono<HttpEnv>, ports: ApiPorts, waiting: WaitPorts): void {
  app.post('/run', requireKey(ports, 'run'), async (c) => {
    const body = await readBody(c, runRequestSchema);
    const caller = c.get('caller');
    const threadId = toThreadId(caller, body.thread_id);
    const itemId = toItemId(caller, parseIdempotencyKey(c.req.header('idempotency-key')), ports.ids);
    const actor = toActor(caller);
    const surface = toSurface(caller, body.thread_id);
    // A message that was received before gets its outcome, whatever has been used up since.
    const reached = await ports.runs.findReachedLimit({ threadId, surface }, actor);
    if (reached && !(await ports.runs.item(itemId)))
      throw overLimit(runLimitReached(reached), reached.waitMs);
    const graph = body.agent ?? AGENT_NAMES[0];
    if (body.agent) await refuseAnotherAgent(ports, threadId, body.agent);
    const isNew = await ports.runs.receive({
      threadId,
      graph,
      surface,
      itemId,
      actor,
      text: body.user_request,
      at: ports.clock(),
      traceparent: readTraceparent(c) ?? undefined,
    });
    if (!isNew) await refuseAnotherMessage(ports, itemId, threadId, body.user_request);
    const outcome = await waitForOutcome(waiting, { threadId, itemId, client: c.req.raw.signal });
    if (outcome.status === 'error') await refuseOverLimit(ports, itemId);
    return c.json({ ...outcome, thread_id: body.thread_id }, toHttpStatus(outcome.status));
  });
}

/** A thread keeps the agent that it began with. */
async function refuseAnotherAgent({ runs }: ApiPorts, threadId: string, agent: AgentName): Promise<void> {
  const thread = await runs.thread(threadId);
  if (thread === null || thread.graph === agent) return;
  throw new HttpError({ status: 409, code: 'another_agent', userMessage: anotherAgent(thread.graph) });
}

/** Others came first, between the first look and the run. */
async function refuseOverLimit({ runs, clock }: ApiPorts, itemId: string): Promise<void> {
  const item = await runs.item(itemId);
  if (item?.limitedUntil === undefined || item.response === null) return;
  throw overLimit(item.response, item.limitedUntil - clock());
}

function overLimit(userMessage: string, retryAfterMs: number): HttpError {
  return new HttpError({ status: 429, code: 'limit_reached', userMessage, retryAfterMs });
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

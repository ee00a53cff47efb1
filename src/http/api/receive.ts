import { runLimitReached } from '../../runs/index.ts';
import { AGENT_NAMES, type AgentName } from '../../runs/ports.ts';
import type { HttpContext } from '../context.ts';
import { HttpError } from '../errors.ts';
import { anotherAgent, BAD_IDEMPOTENCY_KEY, IDEMPOTENCY_CONFLICT, NO_TEAM } from '../texts.ts';
import { toActor, toItemId, toSurface, toThreadId } from '../threads/ids.ts';
import type { ApiPorts } from './ports.ts';
import { readTraceparent } from './traceparent.ts';

/** A message of a client, as its body has it. */
interface ClientMessage {
  readonly threadName: string;
  readonly text: string;
  /** Which agent it is for. @default the one that the thread is with, or the assistant */
  readonly agent: AgentName | null;
}

/**
 * Makes a client's message durable and has it worked on; one that was received before is told of, as it is.
 * @throws HttpError where a limit is reached, the thread is with another agent, or its Idempotency-Key had another message
 */
export async function receiveMessage(
  c: HttpContext,
  ports: ApiPorts,
  { threadName, text, agent }: ClientMessage,
): Promise<{ readonly threadId: string; readonly itemId: string }> {
  const caller = c.get('caller');
  const threadId = toThreadId(caller, threadName);
  const itemId = toItemId(caller, parseIdempotencyKey(c.req.header('idempotency-key')), ports.ids);
  const actor = toActor(caller);
  const surface = toSurface(caller, threadName);
  // A message that was received before gets its outcome, whatever has been used up since.
  const reached = await ports.runs.findReachedLimit({ threadId, surface }, actor);
  if (reached && !(await ports.runs.item(itemId))) throw overLimit(runLimitReached(reached), reached.waitMs);
  if (agent) await refuseAnotherAgent(ports, threadId, agent);
  const isNew = await ports.runs.receive({
    threadId,
    graph: agent ?? AGENT_NAMES[0],
    surface,
    itemId,
    actor,
    text,
    at: ports.clock(),
    traceparent: readTraceparent(c) ?? undefined,
  });
  if (!isNew) await refuseAnotherMessage(ports, itemId, threadId, text);
  return { threadId, itemId };
}

/** A thread keeps the agent that it began with. */
async function refuseAnotherAgent({ runs }: ApiPorts, threadId: string, agent: AgentName): Promise<void> {
  const thread = await runs.thread(threadId);
  if (thread !== null && thread.graph !== agent)
    throw new HttpError({ status: 409, code: 'another_agent', userMessage: anotherAgent(thread.graph) });
  if (!runs.hasAgent(agent)) throw new HttpError({ status: 422, code: 'no_team', userMessage: NO_TEAM });
}

/** Others came first, between the first look and the run. */
export async function refuseOverLimit({ runs, clock }: ApiPorts, itemId: string): Promise<void> {
  const item = await runs.item(itemId);
  if (item?.limitedUntil === undefined || item.response === null) return;
  throw overLimit(item.response, item.limitedUntil - clock());
}

function overLimit(userMessage: string, retryAfterMs: number): HttpError {
  return new HttpError({ status: 429, code: 'limit_reached', userMessage, retryAfterMs });
}

/** The client's name of a message; null if it gave none. @throws HttpError 400 for one that isn't visible ASCII */
export function parseIdempotencyKey(header: string | undefined): string | null {
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

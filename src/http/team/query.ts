import type { Hono } from 'hono';
import { sha256Hex } from '../../lib/canonical-json.ts';
import { requireKey } from '../api/auth.ts';
import { readBody } from '../api/body.ts';
import { keyedReader } from '../api/keyed-caller.ts';
import type { OpenStreams } from '../api/open-streams.ts';
import type { ApiPorts } from '../api/ports.ts';
import { parseIdempotencyKey, receiveMessage, refuseOverLimit } from '../api/receive.ts';
import type { HttpContext, HttpEnv } from '../context.ts';
import { HttpError } from '../errors.ts';
import { RESUME_NEEDS_KEY } from '../texts.ts';
import { isAfter } from '../threads/feed.ts';
import { type Envelope, toHttpStatus } from '../threads/schemas/answers.ts';
import { type QueryRequest, queryRequestSchema } from '../threads/schemas/team.ts';
import { type EventStreamPorts, parseEventId, streamThread, writeEvent } from '../threads/sse.ts';
import { listTasks } from '../threads/tasks.ts';
import { type WaitPorts, waitForOutcome } from '../threads/wait-for-outcome.ts';
import { toHitlRequests, toTeamEvents } from './hitl-events.ts';

/**
 * `POST /query` and `POST /query/stream`: a message for the team, as `/run` takes it; answered once people have to act, or
 * with what happens as server-sent events, until it has its answer.
 */
export function queryRoutes(
  app: Hono<HttpEnv>,
  ports: ApiPorts,
  waiting: WaitPorts,
  { streams, ...streaming }: EventStreamPorts & { readonly streams: OpenStreams },
): void {
  app.post('/query', requireKey(ports, 'run'), async (c) => {
    const { name, ...received } = await receiveQuery(c, ports, await readBody(c, queryRequestSchema));
    const outcome = await waitForOutcome(waiting, { ...received, client: c.req.raw.signal });
    if (outcome.status === 'error') await refuseOverLimit(ports, received.itemId);
    return c.json(await toAnswer(ports, outcome, received.itemId, name), toHttpStatus(outcome.status));
  });

  app.post('/query/stream', requireKey(ports, 'run'), async (c) => {
    const after = readPosition(c);
    const query = await readBody(c, queryRequestSchema);
    const open = streams.open(keyedReader(c, ports));
    const received = await receiveQuery(c, ports, query).catch((error: unknown) => {
      open.close();
      throw error;
    });
    const { name, threadId, itemId } = received;
    const receivedAt = (await ports.runs.item(itemId))?.receivedAt ?? 0;
    let sent = after;
    return streamThread(c, streaming, open, {
      threadId,
      async read() {
        // Before its events are read: with its end, all that led to it is there.
        const outcome = await waiting.findOutcome(threadId, itemId);
        return { outcome, events: await ports.feed.eventsAfter(threadId, sent) };
      },
      async write(stream, { outcome, events }) {
        for (const kept of events.filter((it) => it.at >= receivedAt && isAfter(it, sent))) {
          sent = kept;
          const told = toTeamEvents(kept.event, kept.at);
          const id = `${kept.version}-${kept.position}`;
          // Whoever comes back with the id has had all of them.
          for (const [index, event] of told.entries())
            await writeEvent(stream, event, index === told.length - 1 ? id : undefined);
        }
        if (outcome?.status !== 'success' && outcome?.status !== 'error') return 'more';
        await writeEvent(stream, { event: 'done', data: await toAnswer(ports, outcome, itemId, name) });
        return 'over';
      },
      writeLive: writeEvent,
    });
  });
}

/** Where to go on after a break. @throws HttpError 400 where the message would be received anew */
function readPosition(c: HttpContext) {
  const lastEventId = c.req.header('last-event-id');
  if (lastEventId && c.req.header('idempotency-key') === undefined)
    throw new HttpError({ status: 400, code: 'idempotency_key_required', userMessage: RESUME_NEEDS_KEY });
  return parseEventId(lastEventId);
}

async function receiveQuery(c: HttpContext, ports: ApiPorts, { query: text, thread_id }: QueryRequest) {
  const key = parseIdempotencyKey(c.req.header('idempotency-key'));
  // Received again, it's in the same conversation.
  const name = thread_id ?? `query-${key === null ? ports.ids() : sha256Hex(key)}`;
  return { name, ...(await receiveMessage(c, ports, { threadName: name, text, agent: 'team' })) };
}

async function toAnswer(
  { runs, clock }: Pick<ApiPorts, 'runs' | 'clock'>,
  outcome: Omit<Envelope, 'thread_id'>,
  itemId: string,
  thread_id: string,
) {
  return {
    ...outcome,
    thread_id,
    pending_requests: toHitlRequests(outcome.pending_action, clock()),
    tasks: await listTasks(runs, itemId),
  };
}

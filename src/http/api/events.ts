import type { Hono } from 'hono';
import type { HttpEnv } from '../context.ts';
import { HttpError } from '../errors.ts';
import { UNKNOWN_THREAD } from '../texts.ts';
import { toThreadId } from '../threads/ids.ts';
import { type EventStreamPorts, parseEventId, streamEvents } from '../threads/sse.ts';
import { requireKey } from './auth.ts';
import { keyedReader } from './keyed-caller.ts';
import type { OpenStreams } from './open-streams.ts';
import type { ApiPorts } from './ports.ts';

/** `GET /runs/{thread_id}/events`: what happens in a thread, as server-sent events. */
export function eventsRoute(
  app: Hono<HttpEnv>,
  ports: ApiPorts,
  { streams, ...streaming }: EventStreamPorts & { readonly streams: OpenStreams },
): void {
  app.get('/runs/:thread_id/events', requireKey(ports, 'run', 'read'), async (c) => {
    const after = parseEventId(c.req.header('last-event-id'));
    const caller = c.get('caller');
    const threadId = toThreadId(caller, c.req.param('thread_id'));
    if (!threadId.isWellFormed() || !(await ports.runs.thread(threadId))) {
      throw new HttpError({ status: 404, code: 'unknown_thread', userMessage: UNKNOWN_THREAD });
    }
    const open = streams.open(keyedReader(c, ports));
    return streamEvents(c, streaming, { threadId, after }, open);
  });
}

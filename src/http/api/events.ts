import type { Hono } from 'hono';
import type { HttpEnv } from '../context.ts';
import { HttpError } from '../errors.ts';
import { tooManyStreams, UNKNOWN_THREAD } from '../texts.ts';
import { toThreadId } from '../threads/ids.ts';
import { type EventStreamPorts, parseEventId, streamEvents } from '../threads/sse.ts';
import { requireKey } from './auth.ts';
import type { ApiPorts } from './ports.ts';

/** `GET /runs/{thread_id}/events`: what happens in a thread, as server-sent events. */
export function eventsRoute(
  app: Hono<HttpEnv>,
  ports: ApiPorts,
  { maxStreams, ...streaming }: EventStreamPorts & { readonly maxStreams: number },
): void {
  const open = new Map<string, number>();
  app.get('/runs/:thread_id/events', requireKey(ports, 'run', 'read'), async (c) => {
    const after = parseEventId(c.req.header('last-event-id'));
    const caller = c.get('caller');
    const threadId = toThreadId(caller, c.req.param('thread_id'));
    if (!threadId.isWellFormed() || !(await ports.runs.thread(threadId))) {
      throw new HttpError({ status: 404, code: 'unknown_thread', userMessage: UNKNOWN_THREAD });
    }
    const streams = open.get(caller.keyName) ?? 0;
    if (streams >= maxStreams) {
      throw new HttpError({
        status: 429,
        code: 'too_many_streams',
        userMessage: tooManyStreams(maxStreams),
      });
    }
    open.set(caller.keyName, streams + 1);
    return streamEvents(c, streaming, { threadId, after }, () => {
      const left = (open.get(caller.keyName) ?? 1) - 1;
      if (left > 0) open.set(caller.keyName, left);
      else open.delete(caller.keyName);
    });
  });
}

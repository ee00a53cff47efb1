import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import type { OpenStream } from './api/open-streams.ts';
import type { HttpContext } from './context.ts';

/**
 * A stream of server-sent events that lasts until its reader leaves, it is over, or `begin` calls `end`. `begin` starts to
 * write, and returns how to stop that; the stream is closed after it.
 */
export function streamUntilOver(
  c: HttpContext,
  { over, close }: OpenStream,
  begin: (stream: SSEStreamingApi, end: () => void) => () => void,
): Response {
  c.header('X-Accel-Buffering', 'no');
  return streamSSE(c, async (stream) => {
    const ended = Promise.withResolvers<void>();
    stream.onAbort(ended.resolve);
    const stop = begin(stream, ended.resolve);
    await Promise.race([ended.promise, over]);
    stop();
    close();
  });
}

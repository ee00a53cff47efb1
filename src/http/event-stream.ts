import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import type { HttpContext } from './context.ts';

/**
 * A stream of server-sent events that lasts until its reader leaves, this process stops, or `begin` calls `end`.
 * `begin` starts to write, and returns how to stop that; `onEnd` is called once after it.
 */
export function streamUntilOver(
  c: HttpContext,
  stopping: AbortSignal,
  begin: (stream: SSEStreamingApi, end: () => void) => () => void,
  onEnd: () => void,
): Response {
  c.header('X-Accel-Buffering', 'no');
  return streamSSE(c, async (stream) => {
    const ended = Promise.withResolvers<void>();
    const end = (): void => ended.resolve();
    stream.onAbort(end);
    stopping.addEventListener('abort', end);
    if (stopping.aborted) end();
    const stop = begin(stream, end);
    await ended.promise;
    stop();
    stopping.removeEventListener('abort', end);
    onEnd();
  });
}

import type { OpenStream } from '../api/open-streams.ts';
import type { HttpContext } from '../context.ts';
import { streamUntilOver } from '../event-stream.ts';

/**
 * How long changes are gathered before clients are told, in milliseconds: a server that connects anew changes its
 * tools several times, and each client lists them anew whenever it is told.
 */
export const GATHER_MS = 100;

const LIST_CHANGED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });

interface ChangeStreamOptions {
  readonly onChange: (listener: () => void) => () => void;
  /** How often a comment is sent, so that proxies keep the connection, in milliseconds. */
  readonly heartbeatMs: number;
}

/**
 * The stream that a client of a 2025 revision opens with GET, on which it is told that the tools have changed. It holds
 * nothing else: what belongs to a request comes with its answer.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server
 */
export function streamChanges(
  c: HttpContext,
  { onChange, heartbeatMs }: ChangeStreamOptions,
  open: OpenStream,
): Response {
  return streamUntilOver(c, open, (stream) => {
    const stopListening = onChange(() => void stream.writeSSE({ event: 'message', data: LIST_CHANGED }));
    const comment = (): void => void stream.write(': alive\n\n');
    // The first bytes show proxies and clients at once that the stream is open.
    comment();
    const beating = setInterval(comment, heartbeatMs);
    return () => {
      clearInterval(beating);
      stopListening();
    };
  });
}

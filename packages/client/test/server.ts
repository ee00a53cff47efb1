import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** What the server was sent. */
interface Received {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** How the server answers one request: a status, headers and a body; null never answers. */
export type Reply = { status?: number; headers?: Record<string, string>; body: unknown } | null;

export const approved = (callId = 'c1'): Reply => ({
  body: { ok: true, session_id: 's1', call_id: callId, approved: true, error: null },
});

/** A stand-in for the gate that answers as each test says, also as no gate would. */
export async function startServer(answer: (received: Received, earlier: number) => Reply) {
  const received: Received[] = [];
  let goneAway = 0;
  const server = createServer(async (request, response) => {
    response.once('close', () => {
      if (!response.writableFinished) goneAway += 1;
    });
    const body = await text(request);
    const path = request.url ?? '';
    const it = { path, authorization: request.headers.authorization, body: JSON.parse(body || '{}') };
    const reply = answer(it, received.filter((other) => other.path === path).length);
    received.push(it);
    if (reply === null) return;
    response.writeHead(reply.status ?? 200, reply.headers);
    response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : null;
  const stop = async () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(stop);
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    /** What was sent to this path. */
    sent: (path: string) => received.filter((it) => it.path === path).map(({ body }) => body),
    /** How many requests ended before they were answered. */
    goneAway: () => goneAway,
    stop,
  };
}

import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { requireKey } from './auth.ts';
import type { HttpContext, HttpEnv } from './context.ts';
import { errorAnswer, HttpError } from './errors.ts';
import type { EventStreamPorts } from './events/stream.ts';
import { type Listening, listen } from './listen.ts';
import { openApiDocument } from './openapi.ts';
import type { HttpPorts } from './ports.ts';
import { requestLog } from './request-log.ts';
import { eventsRoute } from './routes/events.ts';
import { healthRoutes } from './routes/health.ts';
import { resumeRoute } from './routes/resume.ts';
import { runRoute } from './routes/run.ts';
import type { SettlePorts } from './settle.ts';

export interface HttpOptions {
  /** How long `/run` and `/resume` wait for an outcome, in milliseconds. */
  readonly waitMs?: number;
  /** How often the store is asked what other processes did, in milliseconds. */
  readonly pollMs?: number;
  /** How often an idle stream of events gets a comment, in milliseconds. */
  readonly heartbeatMs?: number;
  /** The largest body, in bytes. */
  readonly maxBodyBytes?: number;
}

/** Everything that programs ask over HTTP, on one port. */
export function createHttp(ports: HttpPorts, options: HttpOptions = {}) {
  const {
    // Node's own fetch gives up on an answer that has not begun after 300 s.
    waitMs = 240_000,
    pollMs = 500,
    heartbeatMs = 15_000,
    maxBodyBytes = 1024 * 1024,
  } = options;
  const stopping = new AbortController();
  const { store, gate, clock, feed, log } = ports;
  const settling: SettlePorts = { store, gate, clock, feed, waitMs, pollMs, stopping: stopping.signal };
  const streaming: EventStreamPorts = { feed, log, pollMs, heartbeatMs, stopping: stopping.signal };

  const app = new Hono<HttpEnv>();
  app.use(requestLog(ports));
  app.onError((error, c) => respond(c, error));
  app.notFound((c) => respond(c, notFound()));
  healthRoutes(app, ports, () =>
    stopping.signal.aborted ? { ok: false, detail: 'stopping' } : { ok: true, detail: 'taking requests' },
  );
  app.use(async (_, next) => {
    if (stopping.signal.aborted) throw draining();
    return next();
  });
  app.use(bodyLimit({ maxSize: maxBodyBytes, onError: (c) => respond(c, tooLarge(maxBodyBytes)) }));
  for (const { method, path, handle } of ports.mounts) app.on(method, path, (c) => handle(c.req.raw));
  const openApi = openApiDocument();
  app.get('/openapi.json', requireKey(ports.keys), (c) => c.json(openApi));
  runRoute(app, ports, settling);
  resumeRoute(app, ports, settling);
  eventsRoute(app, ports, streaming);

  function respond(c: HttpContext, error: unknown): Response {
    const { status, body } = errorAnswer(error);
    if (status >= 500) log.error({ requestId: c.get('requestId'), err: error }, 'a request failed');
    if (status === 503) c.header('Retry-After', '5');
    return c.json(body, status);
  }

  return {
    fetch: (request: Request): Promise<Response> => Promise.resolve(app.fetch(request)),

    /** Takes no new work, and ends what waits: answers say so, streams are taken up again elsewhere. */
    drain: (): void => stopping.abort(),

    listen: (at: { readonly host: string; readonly port: number }): Promise<Listening> =>
      listen(app.fetch, at),
  };
}
export type Http = ReturnType<typeof createHttp>;

function notFound(): HttpError {
  return new HttpError({ status: 404, code: 'not_found', userMessage: 'There is nothing here.' });
}

function draining(): HttpError {
  return new HttpError({
    status: 503,
    code: 'draining',
    userMessage: 'This server is stopping. Nothing was done; try again in a moment.',
  });
}

function tooLarge(maxBytes: number): HttpError {
  return new HttpError({
    status: 413,
    code: 'too_large',
    userMessage: `The body has more than ${maxBytes} bytes. Nothing was done.`,
  });
}

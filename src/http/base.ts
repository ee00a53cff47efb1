import type { MiddlewareHandler } from 'hono';
import { Hono } from 'hono';
import { healthRoutes } from './api/health.ts';
import type { HttpContext, HttpEnv } from './context.ts';
import { errorAnswer, HttpError, RETRY_MS } from './errors.ts';
import { type Listening, listen } from './listen.ts';
import type { HealthPorts } from './ports.ts';
import { NOT_FOUND } from './texts.ts';

/** An HTTP server of this process. */
export interface Http {
  fetch(request: Request): Promise<Response>;
  /** Refuses new requests and ends waiting ones: responses say so, and clients resume their streams elsewhere. */
  drain(): void;
  /** What it serves, each as `GET /health-check`; `ALL` stands for every method. */
  routes(): readonly string[];
  listen(at: { readonly host: string; readonly port: number }): Promise<Listening>;
}

/** The common part of all our ports: a request log, errors in one format, and health checks. */
export function createBase(ports: HealthPorts) {
  const stopping = new AbortController();
  const app = new Hono<HttpEnv>();
  app.use(requestLog(ports));
  app.onError((error, c) => respond(c, error));
  app.notFound((c) => respond(c, notFound()));
  healthRoutes(app, ports, () =>
    stopping.signal.aborted ? { ok: false, detail: 'stopping' } : { ok: true, detail: 'taking requests' },
  );

  function respond(c: HttpContext, error: unknown): Response {
    const { status, body } = errorAnswer(error);
    // A client that goes away in the middle of its request leaves a body that can't be read, which is no fault here.
    if (status >= 500 && !c.req.raw.signal.aborted) {
      ports.log.error({ requestId: c.get('requestId'), err: error }, 'request failed');
    }
    if (status === 503 || status === 429) c.header('Retry-After', String(retryAfterSeconds(error)));
    return c.json(body, status);
  }

  const http: Http = {
    fetch: (request) => Promise.resolve(app.fetch(request)),
    drain: () => stopping.abort(),
    routes: () =>
      app.routes.filter(({ handler }) => handler.length < 2).map(({ method, path }) => `${method} ${path}`),
    listen: (at) => listen(app.fetch, at),
  };
  return { app, http, stopping: stopping.signal };
}

/** The health checks alone, for a process that serves no API. */
export function createHealthHttp(ports: HealthPorts): Http {
  return createBase(ports).http;
}

/** When to try again, in whole seconds. */
function retryAfterSeconds(error: unknown): number {
  const ms = error instanceof HttpError ? error.retryAfterMs : RETRY_MS;
  return Math.max(1, Math.ceil(ms / 1_000));
}

function notFound(): HttpError {
  return new HttpError({ status: 404, code: 'not_found', userMessage: NOT_FOUND });
}

/** Names every request, and logs how it was answered: no headers, no query, no body. */
function requestLog({ clock, ids, log }: HealthPorts): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const given = c.req.header('x-request-id');
    const requestId = given !== undefined && /^[\w.-]{1,128}$/.test(given) ? given : ids();
    const begun = clock();
    c.set('requestId', requestId);
    await next();
    const { method, path } = c.req;
    // What was handed off is answered by now, and only Node's own response knows how.
    const answered = c.env?.outgoing?.headersSent ? c.env.outgoing : null;
    if (!answered) c.header('X-Request-Id', requestId);
    const status = answered?.statusCode ?? c.res.status;
    log.info({ requestId, method, path, status, ms: clock() - begun }, 'request');
  };
}

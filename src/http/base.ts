import type { ServerResponse } from 'node:http';
import type { MiddlewareHandler } from 'hono';
import { Hono } from 'hono';
import type { JsonObject } from '../lib/json.ts';
import { alreadySent, isAlreadySent } from './already-sent.ts';
import type { KeyPorts } from './api/auth.ts';
import { healthRoutes } from './api/health.ts';
import { createWrongKeys } from './api/wrong-keys.ts';
import type { HttpContext, HttpEnv } from './context.ts';
import { errorAnswer, HttpError, isDraining, pipelined, RETRY_MS } from './errors.ts';
import { type Listening, listen } from './listen.ts';
import { type MetricsPorts, metricsRoute } from './metrics/route.ts';
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

/**
 * Answers a request with the JSON that `work` comes to, or with its error, and has the framework let go of it meanwhile:
 * what it keeps of a request that waits is more than Node's own server does (docs/decisions/0073).
 * @param work is told when the client has gone or the process stops, whatever comes first
 */
export type AnswerLater = (
  c: HttpContext,
  work: (over: AbortSignal) => Promise<JsonObject>,
) => Response | Promise<Response>;

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
    const { status, body, headers } = toAnswer(error, c.get('requestId'), c.req.raw.signal.aborted);
    return c.json(body, status, headers);
  }

  function toAnswer(error: unknown, requestId: string, isGone: boolean) {
    const { status, body } = errorAnswer(error);
    // A client that goes away in the middle of its request leaves a body that can't be read, which is no fault here.
    if (status >= 500 && !isGone && !isDraining(error))
      ports.log.error({ requestId, err: error }, 'request failed');
    const isForLater = status === 503 || status === 429;
    const headers = isForLater ? { 'Retry-After': String(retryAfterSeconds(error)) } : {};
    return { status, body, headers };
  }

  const open = new Set<AbortController>();
  stopping.signal.addEventListener('abort', () => {
    for (const over of open) over.abort();
  });

  const answerLater: AnswerLater = (c, work) => {
    const outgoing = c.env?.outgoing;
    if (outgoing) return handOff(outgoing, work, c.get('requestId'));
    // A request that came over no connection.
    return work(AbortSignal.any([c.req.raw.signal, stopping.signal])).then((body) => c.json(body));
  };

  // Apart, so that none of its functions keeps the request's context.
  function handOff(
    response: ServerResponse,
    work: (over: AbortSignal) => Promise<JsonObject>,
    requestId: string,
  ): Response {
    // One that came before the answer to another on its connection: it couldn't be answered in time.
    if (!response.socket) throw pipelined();
    const over = new AbortController();
    open.add(over);
    response.once('close', () => {
      open.delete(over);
      over.abort();
    });
    if (stopping.signal.aborted || response.destroyed) over.abort();
    work(over.signal).then(
      (body) => send(response, requestId, { status: 200, body, headers: {} }),
      (error) => send(response, requestId, toAnswer(error, requestId, response.destroyed)),
    );
    return alreadySent();
  }

  const http: Http = {
    fetch: (request) => Promise.resolve(app.fetch(request)),
    drain: () => stopping.abort(),
    routes: () =>
      app.routes.filter(({ handler }) => handler.length < 2).map(({ method, path }) => `${method} ${path}`),
    listen: (at) => listen(app.fetch, at),
  };
  return { app, http, stopping: stopping.signal, answerLater };
}

/** Health checks and metrics alone, for a process that serves no API. */
export function createHealthHttp(ports: HealthPorts & Omit<KeyPorts, 'wrongKeys'> & MetricsPorts): Http {
  const { app, http, stopping } = createBase(ports);
  metricsRoute(app, { ...ports, wrongKeys: createWrongKeys({ ...ports, stopping }) });
  return http;
}

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends an answer over Node's own response, unless its client has gone. */
function send(response: ServerResponse, requestId: string, { status, body, headers }: Answer): void {
  if (response.destroyed) return;
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'X-Request-Id': requestId,
    ...headers,
  });
  response.end(JSON.stringify(body));
}

/** When to try again, in whole seconds. */
function retryAfterSeconds(error: unknown): number {
  const ms = error instanceof HttpError ? error.retryAfterMs : RETRY_MS;
  return Math.max(1, Math.ceil(ms / 1_000));
}

function notFound(): HttpError {
  return new HttpError({ status: 404, code: 'not_found', userMessage: NOT_FOUND });
}

/** What the log has instead of a status when nothing was answered (as nginx does). */
const CLIENT_GONE = 499;

/** Names every request, and logs how it was answered: no headers, no query, no body. */
function requestLog({ clock, ids, log }: HealthPorts): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const given = c.req.header('x-request-id');
    const requestId = given !== undefined && /^[\w.-]{1,128}$/.test(given) ? given : ids();
    const begun = clock();
    c.set('requestId', requestId);
    await next();
    const { method, path } = c.req;
    const request = { requestId, method, path };
    const logStatus = (status: number) => log.info({ ...request, status, ms: clock() - begun }, 'request');
    // Only Node's own response knows how something was answered that was handed off.
    const handedOff = isAlreadySent(c.res) ? c.env?.outgoing : undefined;
    if (!handedOff) {
      c.header('X-Request-Id', requestId);
      logStatus(c.res.status);
    } else if (handedOff.headersSent) logStatus(handedOff.statusCode);
    else handedOff.once('close', () => logStatus(handedOff.headersSent ? handedOff.statusCode : CLIENT_GONE));
  };
}

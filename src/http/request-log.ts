import type { MiddlewareHandler } from 'hono';
import type { HttpEnv } from './context.ts';
import type { HealthPorts } from './ports.ts';

/** Names every request, and logs how it was answered: no headers, no query, no body. */
export function requestLog({ clock, ids, log }: HealthPorts): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const given = c.req.header('x-request-id');
    const requestId = given !== undefined && /^[\w.-]{1,128}$/.test(given) ? given : ids();
    const begun = clock();
    c.set('requestId', requestId);
    await next();
    c.header('X-Request-Id', requestId);
    const { method, path } = c.req;
    log.info({ requestId, method, path, status: c.res.status, ms: clock() - begun }, 'request');
  };
}

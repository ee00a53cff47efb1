import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { HttpEnv } from '../context.ts';
import { HttpError } from '../errors.ts';
import { bodyTooLarge } from '../texts.ts';

/**
 * Refuses bodies of more than `maxSize` bytes with HttpError 413. One that says how long it is isn't read for that: Hono
 * looks at it as a stream, which takes two requests with two streams each for as long as it isn't answered.
 */
export function limitBody(maxSize: number): MiddlewareHandler<HttpEnv> {
  const onError = (): never => {
    throw new HttpError({ status: 413, code: 'too_large', userMessage: bodyTooLarge(maxSize) });
  };
  const readAndLimit = bodyLimit({ maxSize, onError });
  return async (c, next) => {
    // No handler of ours reads a body of these.
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return next();
    const length = c.req.header('content-length');
    if (length === undefined || c.req.header('transfer-encoding') !== undefined) return readAndLimit(c, next);
    if (Number(length) > maxSize) return onError();
    return next();
  };
}

import type { MiddlewareHandler } from 'hono';
import type { Scope } from '../caller.ts';
import type { HttpEnv } from '../context.ts';
import { HttpError } from '../errors.ts';
import { KEY_REQUIRED, scopeRequired } from '../texts.ts';
import type { ApiKeys } from './keys.ts';

/**
 * Lets a request through whose `Authorization: Bearer <key>` has one of these scopes; any key will do when
 * none is named. Throws HttpError 401 without a valid key, 403 when the key has none of the scopes.
 */
export function requireKey(keys: ApiKeys, ...scopes: readonly Scope[]): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const [, key] = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '') ?? [];
    const caller = key === undefined ? null : await keys.find(key);
    if (!caller) {
      c.header('WWW-Authenticate', 'Bearer');
      throw new HttpError({
        status: 401,
        code: 'unauthorized',
        userMessage: KEY_REQUIRED,
      });
    }
    if (scopes.length > 0 && !scopes.some((scope) => caller.scopes.includes(scope))) {
      throw new HttpError({
        status: 403,
        code: 'missing_scope',
        userMessage: scopeRequired(scopes),
      });
    }
    c.set('caller', caller);
    return next();
  };
}

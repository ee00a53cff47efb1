import type { MiddlewareHandler } from 'hono';
import { clientAddress, type Network } from '../../lib/net/client-address.ts';
import type { Scope } from '../caller.ts';
import type { HttpContext, HttpEnv } from '../context.ts';
import { HttpError } from '../errors.ts';
import { KEY_REQUIRED, scopeRequired } from '../texts.ts';
import type { ApiKeys } from './keys.ts';
import type { WrongKeys } from './wrong-keys.ts';

export interface KeyPorts {
  readonly keys: ApiKeys;
  readonly wrongKeys: WrongKeys;
  /** The proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly Network[];
  /** What `WWW-Authenticate` says to whoever has no valid key. @default `Bearer` */
  readonly challenge?: (given: { readonly hasToken: boolean }) => string;
}

/**
 * Lets a request through whose `Authorization: Bearer <key>` has one of these scopes; any key will do when
 * none is named. Throws HttpError 401 without a valid key, after a while where its address has sent many wrong ones
 * (see {@link WrongKeys}), 403 when the key has none of the scopes.
 */
export function requireKey(ports: KeyPorts, ...scopes: readonly Scope[]): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const key = readBearer(c);
    const caller = key === null ? null : await ports.keys.find(key);
    if (key !== null && !caller) await ports.wrongKeys.slow(findAddress(c, ports.trustedProxies));
    if (!caller) throw unauthorized(c, ports.challenge);
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

/** The error for whoever has no valid key; the response says what to come with. */
export function unauthorized(c: HttpContext, challenge: KeyPorts['challenge']): HttpError {
  c.header('WWW-Authenticate', challenge?.({ hasToken: readBearer(c) !== null }) ?? 'Bearer');
  return new HttpError({ status: 401, code: 'unauthorized', userMessage: KEY_REQUIRED });
}

/** The key or token of `Authorization: Bearer …`; null if there is none. */
export function readBearer(c: HttpContext): string | null {
  return /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? null;
}

/** The address that a request comes from. */
export function findAddress(c: HttpContext, trusted: readonly Network[]): string {
  const peer = c.env.incoming?.socket.remoteAddress;
  return clientAddress({ peer, forwardedFor: c.req.header('x-forwarded-for') }, trusted);
}

import type { Hono, MiddlewareHandler } from 'hono';
import type { Network } from '../../lib/net/client-address.ts';
import { alreadySent } from '../already-sent.ts';
import { createAddressLimit } from '../api/address-limit.ts';
import { findAddress } from '../api/auth.ts';
import type { HttpContext, HttpEnv } from '../context.ts';
import { HttpError } from '../errors.ts';
import { NOT_FOUND, TOO_MANY_CLIENTS } from '../texts.ts';
import type { WebPorts } from '../web/ports.ts';
import type { Authorization } from './authorization.ts';
import { consentRoutes } from './consent.ts';
import { PATHS, SCOPE } from './paths.ts';

/** What others may go by for a while: the metadata change with the version only, in seconds. */
const METADATA_FOR_S = 300;

interface AuthorizationRoutePorts {
  readonly authorization: Authorization;
  /** The proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly Network[];
}

/**
 * We are the authorization server of `/mcp`, by the MCP specification (authorization, 2025-11-25): metadata for clients,
 * the library's endpoints, and the page on which people decide.
 */
export function authorizationRoutes(
  app: Hono<HttpEnv>,
  { authorization, trustedProxies }: AuthorizationRoutePorts,
  web: WebPorts,
): void {
  const { publicUrl } = web;
  const createLimit = (): MiddlewareHandler<HttpEnv> => {
    const mayAsk = createAddressLimit(authorization.clock);
    return async (c, next) => {
      if (mayAsk(findAddress(c, trustedProxies))) return next();
      throw new HttpError({ status: 429, code: 'too_many_requests', userMessage: TOO_MANY_CLIENTS });
    };
  };
  const limit = createLimit();
  // A client that is known by an address is fetched, whoever names it. Counted apart: who comes back for a new token
  // isn't kept from it by others who try to come in.
  const tokenLimit = createLimit();

  for (const path of [PATHS.resourceMetadata, `${PATHS.resourceMetadata}${PATHS.resource}`]) {
    app.get(path, (c) => metadata(c, resourceMetadata(publicUrl())));
  }
  app.get(PATHS.serverMetadata, (c) => metadata(c, serverMetadata(publicUrl())));

  app.get(PATHS.authorize, limit, handOff);
  app.get(`${PATHS.authorize}/:uid`, handOff);
  app.post(PATHS.register, limit, handOff);
  for (const path of [PATHS.token, PATHS.revoke]) app.post(path, tokenLimit, handOff);
  consentRoutes(app, authorization, web);

  /** Has the library answer, which knows Node's own requests only. */
  async function handOff(c: HttpContext): Promise<Response> {
    const { incoming, outgoing } = c.env;
    // A request that came over no connection.
    if (!incoming || !outgoing)
      throw new HttpError({ status: 404, code: 'not_found', userMessage: NOT_FOUND });
    const answer = (await authorization.provider()).callback();
    const { protocol, host } = new URL(publicUrl());
    incoming.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    incoming.headers['x-forwarded-host'] = host;
    outgoing.setHeader('X-Request-Id', c.get('requestId'));
    await answer(incoming, outgoing);
    return alreadySent();
  }
}

/** What `/mcp` says to whoever has no valid token: where to get one (RFC 9728, section 5.1; RFC 6750, section 3). */
export function challenge(publicUrl: () => string) {
  return ({ hasToken }: { readonly hasToken: boolean }): string =>
    [
      `Bearer ${hasToken ? 'error="invalid_token", ' : ''}`,
      `resource_metadata="${publicUrl()}${PATHS.resourceMetadata}${PATHS.resource}", scope="${SCOPE}"`,
    ].join('');
}

function metadata(c: HttpContext, document: object): Response {
  c.header('cache-control', `public, max-age=${METADATA_FOR_S}`);
  return c.json(document);
}

/** RFC 9728: who gives out tokens for `/mcp`. */
function resourceMetadata(publicUrl: string) {
  return {
    resource: `${publicUrl}${PATHS.resource}`,
    authorization_servers: [publicUrl],
    scopes_supported: [SCOPE],
    bearer_methods_supported: ['header'],
    resource_name: 'Countersign',
  };
}

/** RFC 8414: of what the library can do, what is enabled here. */
function serverMetadata(publicUrl: string) {
  return {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}${PATHS.authorize}`,
    token_endpoint: `${publicUrl}${PATHS.token}`,
    registration_endpoint: `${publicUrl}${PATHS.register}`,
    revocation_endpoint: `${publicUrl}${PATHS.revoke}`,
    scopes_supported: [SCOPE],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}

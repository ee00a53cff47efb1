import { generateKeyPairSync } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import type { Configuration, errors, JWK, KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Logger } from '../../lib/logger.ts';
import { messagePage } from '../web/pages/layout.ts';
import { CONSENT_PROBLEM, PROBLEM_TITLE } from '../web/texts.ts';
import { createAdapter } from './adapter.ts';
import { clientProblem, makePublic } from './client-rules.ts';
import { consentPath, PATHS, SCOPE } from './paths.ts';
import type { AuthorizationRecords } from './records.ts';
import { USED_BEFORE } from './texts.ts';

/** How long each thing lasts, in seconds. */
const LASTS = {
  /** To sign in, and to decide. */
  Interaction: 15 * 60,
  AuthorizationCode: 60,
  AccessToken: 60 * 60,
  /** From its last use on. */
  RefreshToken: 30 * 86_400,
  /** Then the person signs in anew, whatever the program did. */
  Grant: 90 * 86_400,
  Session: 15 * 60,
} as const;

export interface ProviderPorts {
  readonly records: AuthorizationRecords;
  readonly issuer: string;
  /** The address of `/mcp`: what every token is for. */
  readonly resource: string;
  /** Whether this Slack user is there, as Slack says now. */
  readonly isMember: (person: string) => Promise<boolean>;
  /** Reads descriptions of clients, whose addresses anybody can name. */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  readonly log: Logger;
}

/** The authorization server of `oidc-provider`, as the MCP specification wants it and no more. */
export async function createProvider(ports: ProviderPorts): Promise<Provider> {
  // It takes 200 ms and 20 MB to load, and only those who connect a program need it.
  const { errors, Provider } = await import('oidc-provider');
  const { records, issuer, resource, isMember, log } = ports;
  const provider = new Provider(issuer, {
    adapter: (kind: string) => createAdapter(kind, records, () => new errors.InvalidGrant(USED_BEFORE)),
    fetch: (url, init) => ports.fetch(url instanceof Request ? url.url : url, init),
    routes: {
      authorization: PATHS.authorize,
      token: PATHS.token,
      registration: PATHS.register,
      revocation: PATHS.revoke,
    },
    interactions: { url: (_ctx, { uid }) => `${issuer}${consentPath(uid)}` },
    cookies: {
      names: {
        interaction: 'countersign-consent',
        resume: 'countersign-resume',
        session: 'countersign-authorize',
      },
    },
    scopes: [SCOPE],
    claims: {},
    responseTypes: ['code'],
    clientAuthMethods: ['none'],
    jwks: { keys: [unusedKey()] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    pkce: { required: () => true },
    ttl: LASTS,
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    allowOmittingSingleRegisteredRedirectUri: false,
    findAccount: async (_ctx, person) =>
      (await isMember(person)) ? { accountId: person, claims: () => ({ sub: person }) } : undefined,
    extraClientMetadata: {
      properties: ['countersign'],
      validator(_ctx, _key, _value, metadata) {
        makePublic(metadata);
        const problem = clientProblem(metadata);
        if (problem !== null) throw new errors.InvalidClientMetadata(problem);
      },
    },
    features: features(resource, errors),
    renderError,
  } satisfies Configuration);
  // The public address, as `handOff` writes it into each request.
  provider.proxy = true;
  const mountPath = new URL(issuer).pathname.replace(/\/$/, '');
  provider.use(async (ctx, next) => {
    // A path of the public address, which a proxy takes off, stands before those of ours.
    Object.assign(ctx, { mountPath });
    // One scope is all there is, and who asks for none means it.
    if (ctx.path === PATHS.authorize) ctx.query = { ...ctx.query, scope: SCOPE };
    await next();
  });
  provider.on('server_error', (_ctx, err) => log.error({ err }, 'authorization server failed'));
  const koa: EventEmitter = provider;
  koa.on('error', (err: unknown) => log.error({ err }, 'authorization server failed'));
  return provider;
}

/** Of all that the library can do, what clients of the protocol need. */
function features(resource: string, { InvalidTarget }: Pick<typeof errors, 'InvalidTarget'>) {
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      getResourceServerInfo(_ctx, asked) {
        if (asked !== resource) throw new InvalidTarget();
        return { scope: SCOPE, audience: resource, accessTokenFormat: 'opaque' };
      },
    },
  } satisfies Configuration['features'];
}

/** What a person reads whose program asked wrongly; nobody is sent anywhere. */
async function renderError(
  ctx: KoaContextWithOIDC,
  {
    error,
    error_description: why,
  }: { readonly error: string; readonly error_description?: string | undefined },
): Promise<void> {
  const answer = await messagePage(PROBLEM_TITLE.failed, [CONSENT_PROBLEM.request(error, why)], ctx.status);
  for (const [name, value] of answer.headers) ctx.set(name, value);
  ctx.body = await answer.text();
}

/** The library wants a key for identity tokens, which nobody gets here. */
function unusedKey(): JWK {
  return { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }) };
}

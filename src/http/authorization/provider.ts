import { generateKeyPairSync } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import type { Adapter, AdapterPayload, Configuration, JWK, Provider } from 'oidc-provider';
import type { Logger } from '../../lib/logger.ts';
import { messagePage } from '../web/pages/layout.ts';
import { CONSENT_PROBLEM, PROBLEM_TITLE } from '../web/texts.ts';
import { clientProblem, makePublic } from './client-rules.ts';
import { consentPath, PATHS, SCOPE } from './paths.ts';
import type { AuthorizationRecords } from './records.ts';

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
    adapter: (kind: string) =>
      createAdapter(kind, records, () => new errors.InvalidGrant('it was used before')),
    fetch: (url, init) => ports.fetch(url instanceof Request ? url.url : url, init),
    routes: {
      authorization: PATHS.authorize,
      token: PATHS.token,
      registration: PATHS.register,
      revocation: PATHS.revoke,
    },
    interactions: { url: (_ctx, { uid }) => consentPath(uid) },
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
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      revocation: { enabled: true },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo(_ctx, asked) {
          if (asked !== resource) throw new errors.InvalidTarget();
          return { scope: SCOPE, audience: resource, accessTokenFormat: 'opaque' };
        },
      },
    },
    async renderError(ctx, { error, error_description: why }) {
      const answer = await messagePage(
        PROBLEM_TITLE.failed,
        [CONSENT_PROBLEM.request(error, why)],
        ctx.status,
      );
      for (const [name, value] of answer.headers) ctx.set(name, value);
      ctx.body = await answer.text();
    },
  } satisfies Configuration);
  // The public address, as `handOff` writes it into each request.
  provider.proxy = true;
  provider.use(async (ctx, next) => {
    // One scope is all there is, and who asks for none means it.
    if (ctx.path === PATHS.authorize) ctx.query = { ...ctx.query, scope: SCOPE };
    await next();
  });
  provider.on('server_error', (_ctx, err) => log.error({ err }, 'authorization server failed'));
  const koa: EventEmitter = provider;
  koa.on('error', (err: unknown) => log.error({ err }, 'authorization server failed'));
  return provider;
}

/** One kind of the library's records. There are no sessions: whoever connects a program signs in to Slack for it. */
function createAdapter(kind: string, records: AuthorizationRecords, usedBefore: () => Error): Adapter {
  if (kind === 'Session') return NOTHING_KEPT;
  return {
    ...NOTHING_KEPT,
    upsert: (value, payload, seconds) => records.save(kind, value, payload, seconds),
    async find(value) {
      const found = await records.find(kind, value);
      if (!found) return undefined;
      const used = found.usedAt === null ? {} : { consumed: Math.floor(found.usedAt / 1000) };
      const payload: AdapterPayload = { ...found.payload, jti: value, ...used };
      return payload;
    },
    async consume(value) {
      if (await records.use(kind, value)) return;
      // Another process was faster, so it's here twice, and somebody has it who shouldn't.
      const grant = (await records.find(kind, value))?.grant;
      if (grant) await records.endGrant(grant);
      throw usedBefore();
    },
    destroy: (value) => (kind === 'Grant' ? records.endGrant(value) : records.remove(kind, value)),
    revokeByGrantId: (grant) => records.endGrant(grant),
  };
}

const NOTHING_KEPT: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
};

/** The library wants a key for identity tokens, which nobody gets here. */
function unusedKey(): JWK {
  return { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }) };
}

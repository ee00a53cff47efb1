import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  discoverAuthorizationServerMetadata,
  OAuthError,
  OAuthErrorCode,
  refreshAuthorization,
} from '@modelcontextprotocol/client';
import type { Actor } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import type { Stored } from '../storage/store.ts';
import type { ClientStore } from './client-registrations.ts';
import type { ConnectionRecord } from './collections.ts';
import type { StoredConnection, Tokens } from './credentials.ts';
import { redactSecrets } from './redact-errors.ts';
import { revokeQuietly } from './revoke.ts';
import { fetchWithin, type OAuthServer } from './server.ts';
import type { TokenStore } from './token-store.ts';

/** Lease for one refresh, in milliseconds. After that, another process may try. */
const LEASE_MS = 30_000;
/**
 * How long the authorization server may take, in milliseconds. Shorter than the lease, so that no other
 * process starts meanwhile.
 */
const PATIENCE_MS = 20_000;
/** How often waiting processes poll for the result, in milliseconds. */
const LOOK_MS = 100;
/** An access token that expires within this time, in milliseconds, is refreshed before use. */
const EARLY_MS = 30_000;

/** The error for a failed refresh. The tokens are kept. */
export class RefreshFailedError extends AppError {
  constructor(server: string, cause: unknown) {
    super({
      code: 'refresh_failed',
      userMessage: `The sign-in to ${server} could not be renewed just now; nothing was done. Try again in a moment.`,
      retryable: true,
      cause,
    });
  }
}

/** Authorization server errors after which only a new sign-in helps. */
const FINAL = new Set<string>([
  OAuthErrorCode.InvalidGrant,
  OAuthErrorCode.InvalidClient,
  OAuthErrorCode.UnauthorizedClient,
  OAuthErrorCode.InvalidScope,
]);

export interface RefreshPorts {
  readonly tokens: TokenStore;
  readonly clients: ClientStore;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Refreshes people's tokens. Of all calls and processes that find a token expired, one refreshes it, under a
 * lease in the connection's record; the others wait for the result. Authorization servers treat a refresh
 * token that is used twice as stolen and revoke all tokens.
 *
 * @example
 * const tokens = await refresh.usable(server, person);
 * if (tokens === null) throw new SignInRequiredError(server.name, ANY_SIGN_IN);
 */
export function createRefresh({ tokens, clients, clock, log }: RefreshPorts) {
  const us = randomUUID();
  /** Refreshes in this process, by connection, so that waiting for them needs no polling. */
  const running = new Map<string, Promise<Tokens | null>>();

  /**
   * Tokens for the next request; null if the person must sign in.
   * @param refused the access token that the server has just refused
   * @throws RefreshFailedError
   */
  async function usable(server: OAuthServer, person: Actor, refused?: string): Promise<Tokens | null> {
    const connected = await tokens.find(server, person);
    if (!connected || connected.stored.value.refused) return null;
    if (!isDue(connected, refused)) return connected.tokens;
    const key = connected.stored.id;
    const renewing = running.get(key) ?? renew(server, person, refused).finally(() => running.delete(key));
    running.set(key, renewing);
    return renewing;
  }

  function isDue(
    { stored, tokens: { access_token, refresh_token } }: StoredConnection,
    refused?: string,
  ): boolean {
    if (refused !== undefined) return access_token === refused;
    const { expiresAt } = stored.value;
    return refresh_token !== undefined && expiresAt !== null && expiresAt - EARLY_MS <= clock();
  }

  async function renew(server: OAuthServer, person: Actor, refused?: string): Promise<Tokens | null> {
    for (;;) {
      const connected = await tokens.find(server, person);
      if (!connected || connected.stored.value.refused) return null;
      if (!isDue(connected, refused)) return connected.tokens;
      if (connected.tokens.refresh_token === undefined) return giveUp(server, person, connected);
      const { refreshing } = connected.stored.value;
      if (refreshing !== null && refreshing.until > clock()) {
        await delay(LOOK_MS);
        continue;
      }
      const leased = await take(server, person, connected);
      if (leased) return await exchange(server, person, { ...connected, stored: leased });
    }
  }

  async function take(
    server: OAuthServer,
    person: Actor,
    { stored }: StoredConnection,
  ): Promise<Stored<ConnectionRecord> | null> {
    return tokens.amend(server, person, ({ generation, refreshing }) => {
      const isFree = refreshing === null || refreshing.until <= clock();
      if (generation !== stored.value.generation || !isFree) return null;
      return { refreshing: { by: us, until: clock() + LEASE_MS } };
    });
  }

  async function exchange(
    server: OAuthServer,
    person: Actor,
    connected: StoredConnection,
  ): Promise<Tokens | null> {
    const { issuer, authorizationServer, resource } = connected.stored.value;
    const { client } = connected;
    const fetchFn = fetchWithin(server, PATIENCE_MS);
    try {
      const metadata = await discoverAuthorizationServerMetadata(authorizationServer, { fetchFn });
      const fresh = await refreshAuthorization(authorizationServer, {
        ...(metadata && { metadata }),
        clientInformation: client,
        refreshToken: connected.tokens.refresh_token ?? '',
        ...(resource !== null && { resource }),
        fetchFn,
      });
      const given = { tokens: { ...fresh, issuer }, client, issuer, authorizationServer, resource };
      if (await tokens.renew(server, connected.stored, given)) {
        log.info({ server: server.name, person: person.id }, 'sign-in renewed');
        return given.tokens;
      }
      // The person has signed in again or disconnected meanwhile. That stands, so these tokens are revoked.
      await revokeQuietly(server, person, given, log);
      return standing(server, person);
    } catch (error) {
      if (error instanceof OAuthError && FINAL.has(error.code)) {
        if (error.code !== OAuthErrorCode.InvalidGrant) await clients.forget(server, issuer);
        return giveUp(server, person, connected);
      }
      await tokens.amend(server, person, ({ refreshing }) =>
        refreshing?.by === us ? { refreshing: null } : null,
      );
      throw new RefreshFailedError(server.name, redactSecrets(error));
    }
  }

  async function standing(server: OAuthServer, person: Actor): Promise<Tokens | null> {
    const connected = await tokens.find(server, person);
    return connected && !connected.stored.value.refused ? connected.tokens : null;
  }

  /** Marks the tokens as refused; the record stays to say so. Tokens that replaced them are untouched. */
  async function giveUp(
    server: OAuthServer,
    person: Actor,
    { stored }: StoredConnection,
  ): Promise<Tokens | null> {
    const { generation } = stored.value;
    const given = await tokens.amend(server, person, (record) =>
      record.generation === generation ? { refused: true, refreshing: null } : null,
    );
    if (!given) return standing(server, person);
    log.warn({ server: server.name, person: person.id }, 'sign-in is over, and could not be renewed');
    return null;
  }

  return {
    usable,
    /**
     * Marks the sign-in made at `signedInAt` as refused, even with fresh tokens. One that replaced it is
     * untouched.
     */
    async refuse(server: OAuthServer, person: Actor, signedInAt: number | null): Promise<void> {
      const connected = await tokens.find(server, person);
      if (connected?.stored.value.connectedAt === signedInAt) await giveUp(server, person, connected);
    },
  };
}
export type Refresh = ReturnType<typeof createRefresh>;

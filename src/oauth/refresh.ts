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

/** How long one process may take to refresh, in milliseconds; then another one may try. */
const LEASE_MS = 30_000;
/** How long the authorization server may take, in milliseconds: less than the lease, so that no other process begins meanwhile. */
const PATIENCE_MS = 20_000;
/** How often the others look whether it is done, in milliseconds. */
const LOOK_MS = 100;
/** An access token that ends within this time is refreshed before it is used, in milliseconds. */
const EARLY_MS = 30_000;

/** The authorization server did not answer as it should; the tokens are kept. */
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

/** Errors of the authorization server after which only a new sign-in helps. */
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
 * People's tokens, renewed when they end. Of all calls and processes that find the same token to be over, one
 * renews it, under a lease in the connection's own record; the others wait for what it gets: a refresh token
 * that is used twice is taken for stolen by authorization servers, and all tokens are then withdrawn.
 */
export function createRefresh({ tokens, clients, clock, log }: RefreshPorts) {
  const us = randomUUID();
  /** By connection: within this process the store need not be asked who renews. */
  const running = new Map<string, Promise<Tokens | null>>();

  /**
   * Tokens to send with the next request; null when the person must sign in.
   * @param refused the access token that the server has just refused.
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
      // Signed in anew, or disconnected, meanwhile: that stands, and nobody is to have use of these.
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

  /** These tokens are of no use any more; the record stays, to say so. What has replaced them stands. */
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
    /** The server refuses even new tokens of the sign-in made then. One that has replaced it meanwhile stands. */
    async refuse(server: OAuthServer, person: Actor, signedInAt: number | null): Promise<void> {
      const connected = await tokens.find(server, person);
      if (connected?.stored.value.connectedAt === signedInAt) await giveUp(server, person, connected);
    },
  };
}
export type Refresh = ReturnType<typeof createRefresh>;

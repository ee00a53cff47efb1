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
import { redactSecrets } from './authorization-errors.ts';
import type { ClientStore } from './client-registrations.ts';
import type { ConnectionRecord } from './collections.ts';
import type { GrantedTokens, StoredConnection, Tokens } from './credentials.ts';
import { revokeQuietly } from './revoke.ts';
import { fetchWithin, type OAuthServer } from './server.ts';
import { refreshFailed } from './texts.ts';
import type { TokenStore } from './token-store.ts';

/** Lease for one refresh, in milliseconds. After that, another process may try. */
const LEASE_MS = 30_000;
/**
 * How long the authorization server may take, in milliseconds. Shorter than the lease, so that no other
 * process starts meanwhile.
 */
const PATIENCE_MS = 20_000;
/** How often waiting processes poll for the result, in milliseconds. */
const POLL_MS = 100;
/** An access token that expires within this time, in milliseconds, is refreshed before use. */
const EARLY_MS = 30_000;

/** The error for a failed refresh. The tokens are kept. */
export class RefreshFailedError extends AppError {
  constructor(server: string, cause: unknown) {
    super({
      code: 'refresh_failed',
      userMessage: refreshFailed(server),
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

interface CurrentTokens {
  readonly tokens: Tokens;
  /** When the sign-in was made that they are of. */
  readonly signedInAt: number;
}

interface TokenRefresherPorts {
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
 * const current = await refresher.currentTokens(server, person);
 * if (current === null) throw new SignInRequiredError(server.name, ANY_SIGN_IN);
 */
export class TokenRefresher {
  readonly #ports: TokenRefresherPorts;
  /** This process in the leases. */
  readonly #us = randomUUID();
  /** Refreshes in this process, by connection, so that waiting for them needs no polling. */
  readonly #running = new Map<string, Promise<CurrentTokens | null>>();

  constructor(ports: TokenRefresherPorts) {
    this.#ports = ports;
  }

  /**
   * Tokens for the next request, refreshed if they're about to expire; null if the person must sign in.
   * @param refused the access token that the server has just refused
   * @throws RefreshFailedError
   */
  async currentTokens(server: OAuthServer, person: Actor, refused?: string): Promise<CurrentTokens | null> {
    const connected = await this.#valid(server, person);
    if (!connected) return null;
    if (!this.#isDue(connected, refused)) return toCurrent(connected);
    const key = connected.stored.id;
    const refreshing =
      this.#running.get(key) ??
      this.#refresh(server, person, refused).finally(() => this.#running.delete(key));
    this.#running.set(key, refreshing);
    return refreshing;
  }

  /**
   * Marks the sign-in made at `signedInAt` as refused, even with fresh tokens. One that replaced it is
   * untouched.
   */
  async invalidate(server: OAuthServer, person: Actor, signedInAt: number | null): Promise<void> {
    const connected = await this.#ports.tokens.find(server, person);
    if (connected?.stored.value.connectedAt === signedInAt) {
      await this.#markRefused(server, person, connected);
    }
  }

  /** The person's connection, unless it's known that the server rejects it. */
  async #valid(server: OAuthServer, person: Actor): Promise<StoredConnection | null> {
    const connected = await this.#ports.tokens.find(server, person);
    return connected && !connected.stored.value.refused ? connected : null;
  }

  async #current(server: OAuthServer, person: Actor): Promise<CurrentTokens | null> {
    const connected = await this.#valid(server, person);
    return connected && toCurrent(connected);
  }

  #isDue(
    { stored, tokens: { access_token, refresh_token } }: StoredConnection,
    refused: string | undefined,
  ): boolean {
    if (refused !== undefined) return access_token === refused;
    const { expiresAt } = stored.value;
    return refresh_token !== undefined && expiresAt !== null && expiresAt - EARLY_MS <= this.#ports.clock();
  }

  async #refresh(
    server: OAuthServer,
    person: Actor,
    refused: string | undefined,
  ): Promise<CurrentTokens | null> {
    for (;;) {
      const connected = await this.#valid(server, person);
      if (!connected) return null;
      if (!this.#isDue(connected, refused)) return toCurrent(connected);
      if (connected.tokens.refresh_token === undefined) return this.#markRefused(server, person, connected);
      const { refreshing } = connected.stored.value;
      if (refreshing !== null && refreshing.until > this.#ports.clock()) {
        await delay(POLL_MS);
        continue;
      }
      const leased = await this.#takeLease(server, person, connected);
      if (leased) return await this.#refreshUnderLease(server, person, { ...connected, stored: leased });
    }
  }

  async #takeLease(
    server: OAuthServer,
    person: Actor,
    { stored }: StoredConnection,
  ): Promise<Stored<ConnectionRecord> | null> {
    const { tokens, clock } = this.#ports;
    return tokens.amend(server, person, ({ generation, refreshing }) => {
      const isFree = refreshing === null || refreshing.until <= clock();
      if (generation !== stored.value.generation || !isFree) return null;
      return { refreshing: { by: this.#us, until: clock() + LEASE_MS } };
    });
  }

  async #refreshUnderLease(
    server: OAuthServer,
    person: Actor,
    connected: StoredConnection,
  ): Promise<CurrentTokens | null> {
    const { tokens, clients, log } = this.#ports;
    try {
      const granted = await requestTokens(server, connected);
      if (await tokens.renew(server, connected.stored, granted)) {
        log.info({ server: server.name, person: person.id }, 'sign-in renewed');
        return { tokens: granted.tokens, signedInAt: connected.stored.value.connectedAt };
      }
      // The person has signed in again or disconnected meanwhile. That stands, so these tokens are revoked.
      if (!server.revokesAll) await revokeQuietly(server, person, granted, log);
      return this.#current(server, person);
    } catch (error) {
      if (error instanceof OAuthError && FINAL.has(error.code)) {
        const { issuer } = connected.stored.value;
        if (error.code !== OAuthErrorCode.InvalidGrant) await clients.forget(server, issuer);
        return this.#markRefused(server, person, connected);
      }
      await tokens.amend(server, person, ({ refreshing }) =>
        refreshing?.by === this.#us ? { refreshing: null } : null,
      );
      throw new RefreshFailedError(server.name, redactSecrets(error));
    }
  }

  /**
   * Marks the tokens as refused; the record stays to say so. Tokens that replaced them are untouched, and
   * returned.
   */
  async #markRefused(
    server: OAuthServer,
    person: Actor,
    { stored }: StoredConnection,
  ): Promise<CurrentTokens | null> {
    const { generation } = stored.value;
    const marked = await this.#ports.tokens.amend(server, person, (record) =>
      record.generation === generation ? { refused: true, refreshing: null } : null,
    );
    if (!marked) return this.#current(server, person);
    this.#ports.log.warn({ server: server.name, person: person.id }, 'sign-in ended: renewal failed');
    return null;
  }
}

function toCurrent({ tokens, stored }: StoredConnection): CurrentTokens {
  return { tokens, signedInAt: stored.value.connectedAt };
}

/** Exchanges the refresh token for new tokens at the authorization server. Rejects with the SDK's errors. */
async function requestTokens(
  server: OAuthServer,
  { stored, client, tokens }: StoredConnection,
): Promise<GrantedTokens> {
  const { issuer, authorizationServer, resource } = stored.value;
  const fetchFn = fetchWithin(server, PATIENCE_MS);
  const metadata = await discoverAuthorizationServerMetadata(authorizationServer, { fetchFn });
  const fresh = await refreshAuthorization(authorizationServer, {
    ...(metadata && { metadata }),
    clientInformation: client,
    refreshToken: tokens.refresh_token ?? '',
    ...(resource !== null && { resource }),
    fetchFn,
  });
  return { tokens: { ...fresh, issuer }, client, issuer, authorizationServer, resource };
}

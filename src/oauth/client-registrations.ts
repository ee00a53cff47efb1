import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { put, ref, type Store } from '../storage/store.ts';
import { clientRegistrations } from './collections.ts';
import type { OAuthServer } from './server.ts';
import { otherIssuer } from './texts.ts';
import { type Binding, UnreadableSecretError, type Vault } from './token-vault.ts';

/** Our client id at an authorization server, with a secret if it issued one. */
export type ClientInformation = z.infer<typeof clientSchema>;

export const clientSchema = z.looseObject({
  client_id: z.string(),
  client_secret: z.string().optional(),
  client_id_issued_at: z.number().optional(),
  client_secret_expires_at: z.number().optional(),
  issuer: z.string().optional(),
});

interface ClientStorePorts {
  readonly store: Store;
  readonly vault: Vault;
  readonly clock: Clock;
  /** Our redirect URL. */
  readonly redirectUrl: () => string;
}

/**
 * Our OAuth client registrations, per server: the configured one, or else the registered one, which is stored
 * encrypted.
 */
export function createClientStore({ store, vault, clock, redirectUrl }: ClientStorePorts) {
  return {
    async find(server: OAuthServer, issuer: string): Promise<ClientInformation | null> {
      const configured = configuredClient(server, issuer);
      if (configured) return configured;
      const stored = await store.get(clientRegistrations, registrationId(server, issuer));
      if (!stored || stored.value.redirectUrl !== redirectUrl()) return null;
      try {
        const secret = vault.open(stored.value.sealed, binding(server, issuer));
        const client: ClientInformation = clientSchema.parse(JSON.parse(secret));
        const endsAt = client.client_secret_expires_at ?? 0;
        return endsAt !== 0 && endsAt * 1_000 <= clock() ? null : client;
      } catch (error) {
        if (error instanceof UnreadableSecretError) return null;
        throw error;
      }
    },

    async save(server: OAuthServer, issuer: string, client: ClientInformation): Promise<void> {
      if (server.oauth.client_id !== undefined) return;
      const record = {
        server: server.name,
        issuer,
        redirectUrl: redirectUrl(),
        createdAt: clock(),
        sealed: vault.seal(JSON.stringify(client), binding(server, issuer)),
      };
      await store.commit({ put: [put(clientRegistrations, registrationId(server, issuer), record)] });
    },

    /** Forgets a registration that the authorization server no longer knows. */
    async forget(server: OAuthServer, issuer: string): Promise<void> {
      await store.commit({ delete: [ref(clientRegistrations, registrationId(server, issuer))] });
    },
  };
}
export type ClientStore = ReturnType<typeof createClientStore>;

/**
 * The client that the operator registered. It's valid for the configured issuer, or else for any issuer the
 * server names, which is why a client secret requires a configured issuer.
 * @throws AppError `other_issuer` if the server names an issuer other than the configured one.
 */
function configuredClient({ name, oauth }: OAuthServer, issuer: string): ClientInformation | null {
  if (oauth.client_id === undefined) return null;
  if (oauth.issuer !== undefined && !isSameIssuer(oauth.issuer, issuer)) {
    throw new AppError({
      code: 'other_issuer',
      userMessage: otherIssuer(name),
    });
  }
  return {
    client_id: oauth.client_id,
    client_secret: oauth.client_secret,
    issuer,
  };
}

/** Compares issuers while ignoring a trailing slash, because people write it either way. */
function isSameIssuer(left: string, right: string): boolean {
  return left.replace(/\/$/, '') === right.replace(/\/$/, '');
}

function registrationId(server: OAuthServer, issuer: string): string {
  return `${server.name}:${issuer}`;
}

function binding({ url }: OAuthServer, issuer: string): Binding {
  return { kind: 'client', team: '', user: '', issuer, resource: url };
}

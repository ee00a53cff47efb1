import type { OAuthTokens } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { Stored } from '../storage/store.ts';
import { type ClientInformation, clientSchema } from './client-registrations.ts';
import type { ConnectionRecord } from './collections.ts';

/** Tokens to revoke, with their authorization server and the client they were issued to. */
export type RevocableTokens = Pick<GrantedTokens, 'authorizationServer' | 'client' | 'tokens'>;

/** Tokens as the SDK returned them. Stored unchanged, because they carry their issuer. */
export type Tokens = OAuthTokens & { readonly issuer?: string | undefined };

const tokensSchema = z.looseObject({
  access_token: z.string(),
  token_type: z.string(),
  id_token: z.string().optional(),
  expires_in: z.number().optional(),
  scope: z.string().optional(),
  refresh_token: z.string().optional(),
  issuer: z.string().optional(),
});

/** Tokens and their client, as they're encrypted. */
export const secretSchema = z.object({ tokens: tokensSchema, client: clientSchema });

/** A person's connection to a server, with decrypted tokens. */
export interface StoredConnection {
  readonly stored: Stored<ConnectionRecord>;
  readonly tokens: Tokens;
  /** The client that the tokens were issued to. */
  readonly client: ClientInformation;
}

/** Newly issued tokens, with where they came from. */
export interface GrantedTokens {
  readonly tokens: Tokens;
  readonly client: ClientInformation;
  readonly issuer: string;
  readonly authorizationServer: string;
  readonly resource: string | null;
}

/** What revoking a connection's tokens needs. */
export function revocableTokens({ stored, client, tokens }: StoredConnection): RevocableTokens {
  return { authorizationServer: stored.value.authorizationServer, client, tokens };
}

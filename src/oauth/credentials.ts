import type { OAuthTokens } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { Stored } from '../storage/store.ts';
import { type ClientInformation, clientSchema } from './client-registrations.ts';
import type { ConnectionRecord } from './collections.ts';

/** Tokens that nobody is to use any more: whose they were, where they came from, and what they were given to. */
export type RevocableTokens = Pick<GrantedTokens, 'authorizationServer' | 'client' | 'tokens'>;

/** The tokens as the SDK gave them: kept as they are, since they carry the issuer that they came from. */
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

/** Tokens, and what they were given to, as they are sealed. */
export const secretSchema = z.object({ tokens: tokensSchema, client: clientSchema });

/** A person's connection to a server, with its tokens. */
export interface StoredConnection {
  readonly stored: Stored<ConnectionRecord>;
  readonly tokens: Tokens;
  /** What they were given to. */
  readonly client: ClientInformation;
}

/** What is known of tokens that have just been given. */
export interface GrantedTokens {
  readonly tokens: Tokens;
  readonly client: ClientInformation;
  readonly issuer: string;
  readonly authorizationServer: string;
  readonly resource: string | null;
}

/** What has the authorization server forget them. */
export function revocableTokens({ stored, client, tokens }: StoredConnection): RevocableTokens {
  return { authorizationServer: stored.value.authorizationServer, client, tokens };
}

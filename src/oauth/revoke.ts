import { discoverAuthorizationServerMetadata } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { Actor } from '../gate/types.ts';
import { errorMessage } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import type { ClientInformation } from './client-registrations.ts';
import type { SignInRecord } from './collections.ts';
import { type RevocableTokens, secretSchema } from './credentials.ts';
import { redactSecrets } from './redact-errors.ts';
import { fetchWithin, type OAuthServer, secretBinding } from './server.ts';
import { type Sealed, UnreadableSecretError, type Vault } from './token-vault.ts';

/** How long the authorization server may take, in milliseconds: somebody waits. */
const PATIENCE_MS = 5_000;

const revocationSchema = z.object({
  revocation_endpoint: z.url({ protocol: /^https?$/ }),
  revocation_endpoint_auth_methods_supported: z.array(z.string()).optional(),
});

/**
 * Has the authorization server forget the tokens (RFC 7009): the refresh token first, with which others often go.
 * False when it offers no such thing, or did not do it.
 */
export async function revoke(
  server: OAuthServer,
  { authorizationServer, client, tokens }: RevocableTokens,
): Promise<boolean> {
  const ask = fetchWithin(server, PATIENCE_MS);
  const metadata = await discoverAuthorizationServerMetadata(authorizationServer, { fetchFn: ask });
  const endpoint = revocationSchema.safeParse(metadata);
  if (!endpoint.success) return false;
  const { revocation_endpoint_auth_methods_supported: methods } = endpoint.data;
  const { refresh_token, access_token } = tokens;
  const kinds = [
    ['refresh_token', refresh_token],
    ['access_token', access_token],
  ] as const;
  let isDone = true;
  for (const [kind, token] of kinds) {
    if (token === undefined) continue;
    const body = new URLSearchParams({ token, token_type_hint: kind });
    const headers = clientAuthentication(client, methods ?? ['client_secret_basic'], body);
    const response = await ask(endpoint.data.revocation_endpoint, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      body,
      redirect: 'error',
    });
    await response.body?.cancel();
    isDone &&= response.ok;
  }
  return isDone;
}

/** Says who we are: in the headers that it gives, or in the body, as the server takes it (RFC 8414: in headers unless it says so). */
function clientAuthentication(
  { client_id: id, client_secret: secret }: ClientInformation,
  methods: readonly string[],
  body: URLSearchParams,
): Readonly<Record<string, string>> {
  if (secret !== undefined && methods.includes('client_secret_basic')) {
    const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
    return { Authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  }
  body.set('client_id', id);
  if (secret !== undefined) body.set('client_secret', secret);
  return {};
}

/** The same for tokens that are gone from here already: where it cannot be done, they end there by themselves. Never rejects. */
export async function revokeQuietly(
  server: OAuthServer,
  person: Pick<Actor, 'id'>,
  withdrawn: RevocableTokens,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<void> {
  try {
    const isRevoked = await revoke(server, withdrawn);
    log.info({ server: server.name, person: person.id, isRevoked }, 'tokens were let go of');
  } catch (error) {
    const why = errorMessage(redactSecrets(error));
    log.warn({ server: server.name, person: person.id, error: why }, 'tokens could not be revoked');
  }
}

const replacedSchema = secretSchema.extend({ authorizationServer: z.string() });

/** Tokens that a sign-in has replaced, to be kept until the authorization server was asked to withdraw them. */
export function sealReplaced(
  vault: Vault,
  server: OAuthServer,
  person: Actor,
  replaced: RevocableTokens,
): Sealed {
  const { authorizationServer, client, tokens } = replaced;
  const secret = JSON.stringify({ authorizationServer, client, tokens });
  return vault.seal(secret, secretBinding('replaced', server, person, ''));
}

/** Has them withdrawn. Where that cannot be done, they end by themselves. */
export async function revokeReplaced(
  { vault, log }: { readonly vault: Vault; readonly log: Pick<Logger, 'info' | 'warn'> },
  server: OAuthServer | null,
  { person, replaced }: SignInRecord,
): Promise<void> {
  if (!server || replaced === undefined) return;
  const withdrawn = opened(vault, server, person, replaced);
  if (withdrawn) return revokeQuietly(server, person, withdrawn, log);
  log.warn({ server: server.name, person: person.id }, 'tokens that were replaced could not be read');
}

/** Null where no key opens them, or the server's address is another one by now. */
function opened(vault: Vault, server: OAuthServer, person: Actor, sealed: Sealed): RevocableTokens | null {
  try {
    return replacedSchema.parse(
      JSON.parse(vault.open(sealed, secretBinding('replaced', server, person, ''))),
    );
  } catch (error) {
    if (error instanceof UnreadableSecretError) return null;
    throw error;
  }
}

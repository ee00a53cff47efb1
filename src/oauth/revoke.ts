import { discoverAuthorizationServerMetadata } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { Actor } from '../gate/types.ts';
import { errorMessage } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { redactSecrets } from './authorization-errors.ts';
import type { ClientInformation } from './client-registrations.ts';
import type { SignInRecord } from './collections.ts';
import { type RevocableTokens, secretSchema } from './credentials.ts';
import { fetchWithin, type OAuthServer, secretBinding } from './server.ts';
import { type Sealed, UnreadableSecretError, type Vault } from './token-vault.ts';

/** How long the authorization server may take, in milliseconds, because somebody is waiting. */
const PATIENCE_MS = 5_000;

const revocationSchema = z.object({
  revocation_endpoint: z.url({ protocol: /^https?$/ }),
  revocation_endpoint_auth_methods_supported: z.array(z.string()).optional(),
});

/**
 * Revokes tokens at the authorization server (RFC 7009), the refresh token first, because access tokens often
 * go with it. False if the server doesn't support it or it failed.
 */
async function revoke(
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
  const done: boolean[] = [];
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
    done.push(response.ok);
  }
  // Where one ends all, the others may be over by then, and are refused.
  return server.revokesAll ? done.includes(true) : !done.includes(false);
}

/**
 * Client authentication for the request, in a header or in the body, as the server supports it. RFC 8414: in
 * a header unless it says otherwise.
 */
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

/** Revokes tokens that are already deleted here. If that fails, they expire by themselves. Never rejects. */
export async function revokeQuietly(
  server: OAuthServer,
  person: Pick<Actor, 'id'>,
  withdrawn: RevocableTokens,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<void> {
  try {
    const isRevoked = await revoke(server, withdrawn);
    log.info({ server: server.name, person: person.id, isRevoked }, 'token revocation finished');
  } catch (error) {
    const why = errorMessage(redactSecrets(error));
    log.warn({ server: server.name, person: person.id, error: why }, 'failed to revoke tokens');
  }
}

const replacedSchema = secretSchema.extend({ authorizationServer: z.string() });

/** Encrypts tokens that a sign-in replaced, to keep them until they're revoked. */
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

/** Revokes replaced tokens. If that fails, they expire by themselves. */
export async function revokeReplaced(
  { vault, log }: { readonly vault: Vault; readonly log: Pick<Logger, 'info' | 'warn'> },
  server: OAuthServer | null,
  { person, replaced }: SignInRecord,
): Promise<void> {
  if (!server || replaced === undefined) return;
  const withdrawn = opened(vault, server, person, replaced);
  if (withdrawn) return revokeQuietly(server, person, withdrawn, log);
  log.warn({ server: server.name, person: person.id }, 'failed to decrypt replaced tokens');
}

/** The decrypted tokens; null if no key opens them or the server's address has changed. */
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

import { z } from 'zod';
import type { Actor } from '../../gate/types.ts';
import type { Logger } from '../types.ts';
import type { SignInRecord } from './records.ts';
import { letGo, type Withdrawn } from './revoke.ts';
import { bindingOf, type OAuthServer } from './servers.ts';
import { secretSchema } from './tokens.ts';
import { type Sealed, UnreadableSecretError, type Vault } from './vault.ts';

const replacedSchema = secretSchema.extend({ authorizationServer: z.string() });

/** Tokens that a sign-in has replaced, to be kept until the authorization server was asked to withdraw them. */
export function sealReplaced(vault: Vault, server: OAuthServer, person: Actor, replaced: Withdrawn): Sealed {
  const { authorizationServer, client, tokens } = replaced;
  const secret = JSON.stringify({ authorizationServer, client, tokens });
  return vault.seal(secret, bindingOf('replaced', server, person, ''));
}

/** Has them withdrawn. Where that cannot be done, they end by themselves. */
export async function letReplacedGo(
  { vault, log }: { readonly vault: Vault; readonly log: Pick<Logger, 'info' | 'warn'> },
  server: OAuthServer | null,
  { person, replaced }: SignInRecord,
): Promise<void> {
  if (!server || replaced === undefined) return;
  const withdrawn = opened(vault, server, person, replaced);
  if (withdrawn) return letGo(server, person, withdrawn, log);
  log.warn({ server: server.name, person: person.id }, 'tokens that were replaced could not be read');
}

/** Null where no key opens them, or the server's address is another one by now. */
function opened(vault: Vault, server: OAuthServer, person: Actor, sealed: Sealed): Withdrawn | null {
  try {
    return replacedSchema.parse(JSON.parse(vault.open(sealed, bindingOf('replaced', server, person, ''))));
  } catch (error) {
    if (error instanceof UnreadableSecretError) return null;
    throw error;
  }
}

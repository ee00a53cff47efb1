import type { ClientMetadata } from 'oidc-provider';
import { CLIENT_REFUSED } from './texts.ts';

const MOST_ADDRESSES = 10;
const LONGEST_ADDRESS = 2_000;
const LONGEST_NAME = 200;
/** As in RFC 8252, section 7.3, and `localhost`, which most clients use. */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Why a client's description isn't accepted; null if it is. The library refuses what a browser could run (`javascript:`
 * and the like). Plain http is for programs on the person's own computer only.
 */
export function clientProblem({
  redirect_uris: addresses = [],
  client_name: name,
}: ClientMetadata): string | null {
  // The library looks at this later.
  if (!Array.isArray(addresses) || !addresses.every((address) => typeof address === 'string')) {
    return CLIENT_REFUSED.address;
  }
  if (addresses.length > MOST_ADDRESSES) return CLIENT_REFUSED.tooMany(MOST_ADDRESSES);
  if (name !== undefined && name.length > LONGEST_NAME) return CLIENT_REFUSED.name(LONGEST_NAME);
  for (const address of addresses) {
    const url = URL.parse(address);
    if (!url || address.length > LONGEST_ADDRESS || /[^\x21-\x7E]/.test(address))
      return CLIENT_REFUSED.address;
    if (url.username !== '' || url.password !== '') return CLIENT_REFUSED.userName;
    if (url.protocol === 'http:' && !LOOPBACK.has(url.hostname)) return CLIENT_REFUSED.plainHttp;
    // Such as cursor://…; of other forms, nobody can say where they lead.
    if (!isWeb(url) && !address.startsWith(`${url.protocol}/`)) return CLIENT_REFUSED.address;
  }
  return null;
}

/**
 * Makes every client the kind that the protocol's clients are: public, by code and refresh token. A secret would prove
 * nothing, as anybody may register.
 */
export function makePublic(metadata: ClientMetadata): void {
  const addresses = metadata.redirect_uris ?? [];
  const isNative = addresses.some((address) => URL.parse(address)?.protocol !== 'https:');
  Object.assign(metadata, {
    // Of a native one, any port of the loopback address counts (RFC 8252, section 7.3).
    application_type: isNative ? 'native' : 'web',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    response_modes: ['query'],
    token_endpoint_auth_method: 'none',
  });
  for (const name of UNUSED) delete metadata[name];
}

const UNUSED = [
  'client_secret',
  'client_secret_expires_at',
  'scope',
  'contacts',
  'jwks',
  'jwks_uri',
] as const;

/** Where an address that a client is sent back to is, in a word or two. */
export function describePlace(address: string): string {
  const url = new URL(address);
  if (!isWeb(url)) return url.protocol;
  return LOOPBACK.has(url.hostname) ? 'localhost' : url.host;
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}

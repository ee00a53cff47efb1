import type { Connector } from '../../mcp/ports.ts';

type SignIn = NonNullable<Connector['signIn']>;

/**
 * How people sign in to Google, once for all of its connectors. Only with `access_type=offline` does Google give a refresh
 * token, and only with `prompt=consent` another one to somebody who has agreed before.
 * @see https://developers.google.com/identity/protocols/oauth2/web-server
 */
export function googleSignIn(scopes: readonly string[], identify: SignIn['identify']): SignIn {
  return {
    account: 'google',
    scopes,
    // developers.google.com/identity/protocols/oauth2/web-server#tokenrevoke
    revokesAll: true,
    ...(identify && { identify }),
    authorizationServer({ signInUrl }) {
      const pages = (signInUrl ?? 'https://accounts.google.com').replace(/\/$/, '');
      const tokens = signInUrl === null ? 'https://oauth2.googleapis.com' : pages;
      return {
        issuer: pages,
        authorization_endpoint: `${pages}/o/oauth2/v2/auth?access_type=offline&prompt=consent`,
        token_endpoint: `${tokens}/token`,
        revocation_endpoint: `${tokens}/revoke`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['client_secret_post'],
        revocation_endpoint_auth_methods_supported: ['client_secret_post'],
      };
    },
  };
}

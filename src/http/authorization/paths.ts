/** The one permission that a program can be given: to call tools as the person. */
export const SCOPE = 'tools';

/** The authorization server's addresses, below the public one. */
export const PATHS = {
  resource: '/mcp',
  authorize: '/oauth/authorize',
  consent: '/oauth/consent',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
  /** RFC 9728, section 3.1: of the resource, whose path comes after it. */
  resourceMetadata: '/.well-known/oauth-protected-resource',
  /** RFC 8414, section 3. */
  serverMetadata: '/.well-known/oauth-authorization-server',
} as const;

/** The page on which a person lets a program in, or doesn't. */
export function consentPath(uid: string): string {
  return `${PATHS.consent}/${uid}`;
}

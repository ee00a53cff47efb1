/** What the authorization server answers to clients, for whoever develops them. */

/** Why a code or refresh token doesn't count. */
export const USED_BEFORE = 'it was used before';

/** Why a client isn't registered. */
export const CLIENT_REFUSED = {
  tooMany: (most: number) => `redirect_uris has more than ${most} members`,
  name: (longest: number) => `client_name has more than ${longest} characters`,
  address: 'redirect_uris must be absolute addresses in ASCII, such as https://… or app://…',
  userName: 'redirect_uris must hold no user name',
  plainHttp: 'redirect_uris with http must lead to a loopback address',
} as const;

/** People's accounts at other services: the module's public interface, besides its types in ports.ts. */
export { createOAuth, type OAuth } from './accounts.ts';
export { redactSecrets } from './authorization-errors.ts';
export {
  ANY_SIGN_IN,
  attemptedSignIn,
  type Challenge,
  detectSignIn,
  findChallenge,
  isRefusal,
  SignInRequiredError,
} from './challenge.ts';
export { connectionId, findAccounts, listAccounts } from './collections.ts';
export { RefreshFailedError } from './refresh.ts';
export {
  authSchema,
  type Identify,
  isMeantForUs,
  isOneAccount,
  oauthSchema,
  type SignInTerms,
} from './server.ts';
export type { OAuthPorts, SignIn } from './setup.ts';

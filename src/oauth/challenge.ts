import {
  type AuthProvider,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  type FetchLike,
  InsufficientScopeError,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { AppError, errorCauses } from '../lib/errors.ts';
import { fetchWithin } from './server.ts';

/** How long a server that refuses may take to say how to sign in, in milliseconds. */
const PATIENCE_MS = 10_000;

/** What a server said that it wants of whoever signs in. */
export interface Challenge {
  readonly scope: string | null;
  readonly resourceMetadataUrl: string | null;
}

/** A server wants somebody to sign in, for themselves, before it does anything. */
export class SignInRequiredError extends AppError {
  readonly challenge: Challenge;
  /** When the connection was made that would not do; null where there was none. */
  readonly tried: number | null;

  constructor(server: string, challenge: Challenge, tried: number | null = null) {
    super({
      code: 'sign_in_required',
      userMessage: `${server} wants a sign-in first; nothing was done.`,
    });
    this.challenge = challenge;
    this.tried = tried;
  }
}

/** What an error says of the sign-in that is wanted, or of the greater one; null when it is about something else. */
export function findChallenge(error: unknown): Challenge | null {
  const cause = errorCauses(error).find(
    (it) => it instanceof SignInRequiredError || it instanceof InsufficientScopeError,
  );
  if (cause instanceof SignInRequiredError) return cause.challenge;
  if (!(cause instanceof InsufficientScopeError)) return null;
  return { scope: cause.requiredScope ?? null, resourceMetadataUrl: cause.resourceMetadataUrl?.href ?? null };
}

/** When the connection was made that an error says would not do; null where there was none. */
export function attemptedSignIn(error: unknown): number | null {
  const cause = errorCauses(error).find((it) => it instanceof SignInRequiredError);
  return cause instanceof SignInRequiredError ? cause.tried : null;
}

/** Whether the server refused the tokens that it was sent, even though they had just been renewed. */
export function isRefusal(error: unknown): boolean {
  return errorCauses(error).some(
    (it) => it instanceof UnauthorizedError || (it instanceof SdkHttpError && it.status === 401),
  );
}

/** A server that wants a sign-in, and says no more of it. */
export const ANY_SIGN_IN: Challenge = { scope: null, resourceMetadataUrl: null };

/** What a refusal says of how to sign in. */
export function readChallenge(response: Response): Challenge {
  const { scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
  return { scope: scope ?? null, resourceMetadataUrl: resourceMetadataUrl?.href ?? null };
}

/**
 * For a connection that everybody shares: finds out, when the server refuses it, whether people can sign in to it.
 * Where they can, the connection fails with SignInRequiredError; else as it would without this.
 */
export function detectSignIn(server: string, fetch: FetchLike | undefined): AuthProvider {
  return {
    token: async () => undefined,
    async onUnauthorized({ response, serverUrl }) {
      const challenge = readChallenge(response);
      if (challenge.resourceMetadataUrl !== null || (await hasSignIn(serverUrl, fetch))) {
        throw new SignInRequiredError(server, challenge);
      }
    },
  };
}

/** Servers of the first revisions name no authorization server: they are their own. */
async function hasSignIn(serverUrl: URL, fetch: FetchLike | undefined): Promise<boolean> {
  try {
    const found = await discoverOAuthServerInfo(serverUrl, { fetchFn: fetchWithin({ fetch }, PATIENCE_MS) });
    return found.resourceMetadata !== undefined || found.authorizationServerMetadata !== undefined;
  } catch {
    return false;
  }
}

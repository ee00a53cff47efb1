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
import { signInRequired } from './texts.ts';

/** How long a server may take to describe its sign-in after a refusal, in milliseconds. */
const PATIENCE_MS = 10_000;

/** A server's challenge: the sign-in it requires. */
export interface Challenge {
  readonly scope: string | null;
  readonly resourceMetadataUrl: string | null;
}

/** The error for a server that requires people to sign in before it does anything. */
export class SignInRequiredError extends AppError {
  readonly challenge: Challenge;
  /** When the refused connection was made; null if there was none. */
  readonly tried: number | null;

  constructor(server: string, challenge: Challenge, tried: number | null = null) {
    super({
      code: 'sign_in_required',
      userMessage: signInRequired(server),
    });
    this.challenge = challenge;
    this.tried = tried;
  }
}

/** The challenge in an error, for a sign-in or for more scope; null if the error has another cause. */
export function findChallenge(error: unknown): Challenge | null {
  const cause = errorCauses(error).find(
    (it) => it instanceof SignInRequiredError || it instanceof InsufficientScopeError,
  );
  if (cause instanceof SignInRequiredError) return cause.challenge;
  if (!(cause instanceof InsufficientScopeError)) return null;
  return { scope: cause.requiredScope ?? null, resourceMetadataUrl: cause.resourceMetadataUrl?.href ?? null };
}

/** When the connection that the error refused was made; null if there was none. */
export function attemptedSignIn(error: unknown): number | null {
  const cause = errorCauses(error).find((it) => it instanceof SignInRequiredError);
  return cause instanceof SignInRequiredError ? cause.tried : null;
}

/** Whether the server rejected tokens that had just been refreshed. */
export function isRefusal(error: unknown): boolean {
  return errorCauses(error).some(
    (it) => it instanceof UnauthorizedError || (it instanceof SdkHttpError && it.status === 401),
  );
}

/** A challenge without details. */
export const ANY_SIGN_IN: Challenge = { scope: null, resourceMetadataUrl: null };

/** Reads the challenge from a refused response. */
export function readChallenge(response: Response): Challenge {
  const { scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
  return { scope: scope ?? null, resourceMetadataUrl: resourceMetadataUrl?.href ?? null };
}

/**
 * An auth provider for shared connections: when the server refuses, it finds out whether people can sign in.
 * If they can, connecting fails with SignInRequiredError; otherwise as it would without this.
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

/**
 * Whether the server supports sign-ins. Servers of the first revisions don't name an authorization server:
 * they are their own.
 */
async function hasSignIn(serverUrl: URL, fetch: FetchLike | undefined): Promise<boolean> {
  try {
    const found = await discoverOAuthServerInfo(serverUrl, {
      fetchFn: fetchWithin({ fetch, metadata: null }, PATIENCE_MS),
    });
    return found.resourceMetadata !== undefined || found.authorizationServerMetadata !== undefined;
  } catch {
    return false;
  }
}

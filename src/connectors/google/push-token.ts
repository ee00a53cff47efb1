import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose';
import { z } from 'zod';
import type { PushSender } from '../../mcp/ports.ts';

/** How far Google's clock and ours may be apart, in seconds. */
const CLOCK_TOLERANCE_S = 60;
/** How long Google may take to give its keys, in milliseconds: less than Pub/Sub waits for an answer, which is 10 s unless it's set. */
const KEYS_WITHIN_MS = 5_000;
/** For how long they aren't asked for again where they couldn't be had, in milliseconds: anybody can send what needs them. */
const KEYS_AGAIN_MS = 10_000;

const claimsSchema = z.object({ email: z.string(), email_verified: z.literal(true) });

/**
 * Whether a request has the token with which Pub/Sub signs what it sends: Google's, not over, for this audience, and of this
 * service account. `unknown` while Google's keys can't be had.
 */
type CheckPushToken = (request: Request) => Promise<'right' | 'wrong' | 'unknown'>;

/**
 * Checks the tokens of a push subscription. Google's keys are kept for ten minutes, and asked for again for a key that isn't among
 * them, at most every 30 seconds; where they can't be had, after ten.
 * @see https://docs.cloud.google.com/pubsub/docs/authenticate-push-subscriptions
 * @see https://developers.google.com/identity/openid-connect/openid-connect#discovery for issuer and keys
 */
export function createPushTokenCheck({
  audience,
  serviceAccount,
  signInUrl,
  fetch,
}: PushSender): CheckPushToken {
  const hosted = signInUrl?.replace(/\/$/, '');
  const issuer = hosted ?? 'https://accounts.google.com';
  let askAgainAt = 0;
  const keys = createRemoteJWKSet(new URL(`${hosted ?? 'https://www.googleapis.com'}/oauth2/v3/certs`), {
    timeoutDuration: KEYS_WITHIN_MS,
    [customFetch]: async (...asked) => {
      if (performance.now() < askAgainAt) throw new Error('the keys could not be had just now');
      return fetch(...asked);
    },
  });
  const terms = {
    issuer,
    audience,
    algorithms: ['RS256'],
    requiredClaims: ['exp', 'iat'],
    clockTolerance: CLOCK_TOLERANCE_S,
  };

  return async (request) => {
    const [, token] = /^Bearer ([\w.-]{1,8000})$/i.exec(request.headers.get('authorization') ?? '') ?? [];
    if (token === undefined) return 'wrong';
    try {
      const { payload } = await jwtVerify(token, keys, terms);
      const claims = claimsSchema.safeParse(payload);
      return claims.data?.email === serviceAccount ? 'right' : 'wrong';
    } catch (error) {
      if (isOfToken(error)) return 'wrong';
      if (performance.now() >= askAgainAt) askAgainAt = performance.now() + KEYS_AGAIN_MS;
      return 'unknown';
    }
  };
}

/** Whether an error is about the token. All others are about the keys, which Google gives or doesn't. */
function isOfToken(error: unknown): boolean {
  return (
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JWTExpired ||
    error instanceof errors.JWTClaimValidationFailed ||
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JOSEAlgNotAllowed ||
    error instanceof errors.JOSENotSupported ||
    error instanceof errors.JWKSNoMatchingKey ||
    // One that doesn't say which key it's signed with, as Google's do.
    error instanceof errors.JWKSMultipleMatchingKeys
  );
}

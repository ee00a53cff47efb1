import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { exportJWK, SignJWT } from 'jose';
import { z } from 'zod';
import type { Dialect } from './strict-service.ts';

export const TOPIC = 'projects/garden/topics/gmail';
export const SERVICE_ACCOUNT = 'push@garden.iam.gserviceaccount.com';

const MAILBOX = '/gmail/v1/users/me';
const WEEK_MS = 7 * 24 * 3_600_000;

/** @see https://developers.google.com/workspace/gmail/api/reference/rest/v1/users/watch */
const watchSchema = z.strictObject({
  topicName: z.string().regex(/^projects\/[^/]+\/topics\/[^/]+$/),
  labelIds: z.array(z.enum(['INBOX', 'UNREAD'])),
  labelFilterBehavior: z.literal('INCLUDE'),
});

/** What a token says otherwise than Pub/Sub's does. */
export interface Forged {
  readonly issuer?: string;
  readonly audience?: string;
  readonly email?: string;
  readonly isVerified?: boolean;
  /** In seconds from now. */
  readonly expiresIn?: number;
  /** Signed with a key that Google doesn't have. */
  readonly isOurs?: false;
}

/**
 * Gmail that tells of mailboxes, and the Pub/Sub that it tells: whoever is watched has a push sent to an endpoint, signed as Google
 * signs them.
 * @see https://developers.google.com/workspace/gmail/api/guides/push
 * @see https://docs.cloud.google.com/pubsub/docs/authenticate-push-subscriptions
 */
export function createPubsub() {
  const watched = new Map<string, string>();
  const asked: string[] = [];
  let made: ReturnType<typeof makeKey> | null = null;
  /** Whether Gmail may publish to the topic, which the operator has to allow it. */
  let mayPublish = true;
  const key = () => {
    made ??= makeKey();
    return made;
  };

  const stands = ({ login, method, path, body }: Parameters<NonNullable<Dialect['stands']>>[0]) => {
    const address = `${login}@example.com`;
    if (method === 'POST' && path === `${MAILBOX}/watch`) {
      const { topicName } = watchSchema.parse(JSON.parse(body));
      asked.push(`watch ${login}`);
      if (!mayPublish) {
        const message =
          'Error sending test message to Cloud PubSub projects/garden/topics/gmail : User not authorized to perform this action.';
        return { status: 403, body: { error: { code: 403, message, errors: [{ reason: 'forbidden' }] } } };
      }
      watched.set(address, topicName);
      return { status: 200, body: { historyId: '1', expiration: String(Date.now() + WEEK_MS) } };
    }
    if (method === 'POST' && path === `${MAILBOX}/stop`) {
      if (body !== '') throw new Error('its body must be empty');
      asked.push(`stop ${login}`);
      watched.delete(address);
      return { status: 204, body: undefined };
    }
    return null;
  };

  async function token(issuer: string, audience: string, forged: Forged = {}): Promise<string> {
    const { email = SERVICE_ACCOUNT, isVerified = true, expiresIn = 3_600, isOurs } = forged;
    const now = Math.floor(Date.now() / 1_000);
    const { privateKey, kid } = isOurs === false ? makeKey() : key();
    return new SignJWT({ azp: '113774264463038321964', email, email_verified: isVerified })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: isOurs === false ? key().kid : kid })
      .setIssuer(forged.issuer ?? issuer)
      .setAudience(forged.audience ?? audience)
      .setSubject('113774264463038321964')
      .setIssuedAt(now + Math.min(0, expiresIn - 3_600))
      .setExpirationTime(now + expiresIn)
      .sign(privateKey);
  }

  return {
    stands,
    keys: async () => ({
      keys: [{ ...(await exportJWK(key().publicKey)), kid: key().kid, alg: 'RS256', use: 'sig' }],
    }),
    token,
    /** `watch` or `stop`, and who asked for it, in order. */
    asked: (): readonly string[] => asked,
    forbidPublishing(): void {
      mayPublish = false;
    },
    /** What is sent of a mailbox. */
    envelope(address: string): string {
      const data = Buffer.from(JSON.stringify({ emailAddress: address, historyId: 9876543210 }));
      const message = { data: data.toString('base64'), messageId: '2070443601311540', attributes: {} };
      return JSON.stringify({ message, subscription: 'projects/garden/subscriptions/gmail' });
    },
    isWatched: (address: string): boolean => watched.get(address) === TOPIC,
  };
}
export type Pubsub = ReturnType<typeof createPubsub>;

function makeKey() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return { privateKey, publicKey, kid: randomUUID() };
}

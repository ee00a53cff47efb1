import { z } from 'zod';
import type { Pushed, PushSender } from '../../mcp/ports.ts';
import { createPushTokenCheck } from '../google/push-token.ts';
import type { Api } from '../service/api.ts';
import { MAILBOX } from './conversation.ts';

/** Most bytes of a request; Gmail's have some 300. */
const MOST_BYTES = 16_384;

/** @see https://docs.cloud.google.com/pubsub/docs/push#receive_push */
const envelopeSchema = z.object({ message: z.object({ data: z.string() }) });
/** @see https://developers.google.com/workspace/gmail/api/guides/push#receive-notifications */
const dataSchema = z.object({ emailAddress: z.email() });

/**
 * Has Gmail tell a topic of what comes into the inbox, or with null no topic. It tells for seven days, and should be asked again
 * each day.
 * @see https://developers.google.com/workspace/gmail/api/guides/push
 */
export async function tellOfNew(api: Api, topic: string | null): Promise<void> {
  const asked = { topicName: topic, labelIds: ['INBOX'], labelFilterBehavior: 'INCLUDE' };
  // Nothing of the mailbox changes.
  const request = { method: 'POST', isRead: true } as const;
  if (topic === null) await api(`${MAILBOX}/stop`, z.unknown(), request);
  else await api(`${MAILBOX}/watch`, z.unknown(), { ...request, body: asked });
}

/**
 * Reads what Pub/Sub sends of Gmail's. All that it says is whose mailbox it is, so that one that comes twice, late or not at all
 * does no harm.
 */
export function createPushReader(sender: PushSender): (request: Request) => Promise<Pushed> {
  const check = createPushTokenCheck(sender);
  return async (request) => {
    if (Number(request.headers.get('content-length') ?? 0) > MOST_BYTES) return { status: 413 };
    const token = await check(request);
    if (token !== 'right') return { status: token === 'unknown' ? 503 : 401 };
    const body = await readBody(request);
    return body === null ? { status: 413 } : { account: readAccount(body) };
  };
}

/** Null for one that is too large. */
async function readBody({ body }: Request): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MOST_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The address as `identifyMailbox` gives it; null where the message is none of Gmail's, which it wouldn't be at the next attempt either. */
function readAccount(body: Buffer): string | null {
  try {
    const { message } = envelopeSchema.parse(JSON.parse(body.toString()));
    const data: unknown = JSON.parse(Buffer.from(message.data, 'base64url').toString());
    return dataSchema.parse(data).emailAddress.toLowerCase();
  } catch {
    return null;
  }
}

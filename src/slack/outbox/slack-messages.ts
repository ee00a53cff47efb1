import { isDeepStrictEqual } from 'node:util';
import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { Store } from '../../storage/store.ts';
import { classifyFailure } from '../client/api-errors.ts';
import { isPersonId, parseSlackPlace, parseSlackThreadId } from '../ids.ts';
import type { Message } from '../text/block-kit.ts';
import { type OutboxRow, posted } from './collections.ts';

const postSchema = z.object({ ts: z.string(), channel: z.string().optional() });

const metadataSchema = z.object({
  event_type: z.literal('countersign'),
  event_payload: z.object({ key: z.string() }),
});

/** How many messages of a program's call are looked at for its card, which is the first of them. */
const LOOKED_AT = 20;

/** A message, such as one that a thread begins with, by its channel and timestamp. */
interface Root {
  readonly channel: string;
  readonly ts: string;
}

/**
 * The message that the thread of a row begins with; null where the row begins one. The card of a program's call begins
 * the thread of what else there is to say of it, also where it's posted again since somebody deleted it.
 */
export async function findRoot(store: Store, { channel, threadId, show }: OutboxRow): Promise<Root | null> {
  const thread = parseSlackThreadId(threadId);
  if (thread !== null) return { channel, ts: thread.threadTs };
  if (parseSlackPlace(threadId) === null) return null;
  const { items } = await store.query(posted, 'byThread', { prefix: [threadId] }, LOOKED_AT);
  const card = items.find(({ value }) => value.show.kind === 'call' && value.ts !== null)?.value;
  if (!card?.ts || isDeepStrictEqual(card.show, show)) return null;
  return { channel: card.channel, ts: card.ts };
}

/** A channel may be a person's id; the answer says which conversation that is. */
export async function post(
  client: WebClient,
  row: Pick<OutboxRow, 'channel'>,
  key: string,
  message: Message<KnownBlock>,
  root: Root | null,
): Promise<{ readonly ts: string; readonly channel: string }> {
  const response = await client.chat.postMessage({
    ...(root === null ? { channel: row.channel } : { channel: root.channel, thread_ts: root.ts }),
    text: message.text,
    blocks: message.blocks,
    metadata: { event_type: 'countersign', event_payload: { key } },
    unfurl_links: false,
    unfurl_media: false,
  });
  const { ts, channel = row.channel } = postSchema.parse(response);
  return { ts, channel };
}

/** False when the message can't be changed any more. */
export async function update(
  client: WebClient,
  { channel, ts }: { readonly channel: string; readonly ts: string },
  message: Message<KnownBlock>,
): Promise<boolean> {
  try {
    await client.chat.update({ channel, ts, text: message.text, blocks: message.blocks });
    return true;
  } catch (error) {
    if (classifyFailure(error).kind === 'gone') return false;
    throw error;
  }
}

/** Deletes a message. False when Slack doesn't delete it; one that is gone counts as deleted. */
export async function remove(
  client: WebClient,
  message: { readonly channel: string; readonly ts: string },
): Promise<boolean> {
  try {
    await client.chat.delete(message);
    return true;
  } catch (error) {
    const { kind } = classifyFailure(error);
    if (kind !== 'gone' && kind !== 'refused') throw error;
    return kind === 'gone';
  }
}

/**
 * Finds a post whose answer was lost but which arrived all the same, by the key in its metadata. Null also where
 * the app may write but not read, as in a group DM without `mpim:history`: a second card, of which only one
 * can be decided, is better than none.
 */
export async function findArrived(
  client: WebClient,
  row: Pick<OutboxRow, 'threadId' | 'at'>,
  key: string,
): Promise<Root | null> {
  try {
    return await findInThread(client, row, key);
  } catch (error) {
    if (classifyFailure(error).name === 'missing_scope') return null;
    throw error;
  }
}

/**
 * How long before its row a message may have been posted, in milliseconds: clocks differ, and a row whose post had no
 * answer is written again when there is something newer to show.
 */
const POSTED_BEFORE_ROW_MS = 3_600_000;

async function findInThread(
  client: WebClient,
  row: Pick<OutboxRow, 'threadId' | 'at'>,
  key: string,
): Promise<Root | null> {
  const place = parseSlackPlace(row.threadId)?.channel;
  if (place === undefined) return null;
  // Slack lists no messages under a person's id.
  const channel = isPersonId(place) ? await findDirect(client, place) : place;
  if (channel === null) return null;
  const ts = parseSlackThreadId(row.threadId)?.threadTs;
  const query = { channel, include_all_metadata: true, limit: 200 };
  // What begins a thread is in the channel itself.
  const oldest = String((row.at - POSTED_BEFORE_ROW_MS) / 1_000);
  let cursor: string | undefined;
  do {
    const from = { ...query, ...(cursor ? { cursor } : {}) };
    const page =
      ts === undefined
        ? await client.conversations.history({ ...from, oldest })
        : await client.conversations.replies({ ...from, ts });
    const found = page.messages?.find(({ metadata }) => postedKey(metadata) === key);
    if (found?.ts !== undefined) return { channel, ts: found.ts };
    cursor = page.response_metadata?.next_cursor;
  } while (cursor);
  return null;
}

/** The conversation with a person; null where there is none yet. */
async function findDirect(client: WebClient, user: string): Promise<string | null> {
  let cursor: string | undefined;
  do {
    const from = { types: 'im', limit: 200, ...(cursor ? { cursor } : {}) };
    const page = await client.users.conversations(from);
    const found = page.channels?.find((channel) => channel.user === user)?.id;
    if (found !== undefined) return found;
    cursor = page.response_metadata?.next_cursor;
  } while (cursor);
  return null;
}

function postedKey(metadata: unknown): string | null {
  const parsed = metadataSchema.safeParse(metadata);
  return parsed.success ? parsed.data.event_payload.key : null;
}

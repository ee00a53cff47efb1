import { createHash } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import { type Put, put, type Store, type Stored } from '../../storage/store.ts';
import { classifyFailure } from '../client/api-errors.ts';
import { isPersonId, parseSlackPlace, parseSlackThreadId } from '../ids.ts';
import type { Message } from '../text/block-kit.ts';
import { type OutboxRow, type Posted, posted } from './collections.ts';

interface PostedMessagesPorts {
  readonly store: Store;
  readonly client: WebClient;
  /** Called for each message that was posted in a thread. */
  readonly onPost?: (threadId: string) => void;
}

interface ShowOptions {
  /** Only updates an existing message; posts nothing. */
  readonly onlyUpdate: boolean;
  /** Whether it may have been posted although no note says so. */
  readonly mayBePosted: boolean;
  /** Takes the note of the message, by its key; committing it is the caller's. */
  readonly notes: Map<string, Put>;
  /** Throws FencedError if another process has the channel by now. */
  readonly assertHeld: () => Promise<void>;
  /** Resolves when the rate limit allows another post, with whether that took time. */
  readonly turn: () => Promise<boolean>;
}

const postSchema = z.object({ ts: z.string(), channel: z.string().optional() });

const metadataSchema = z.object({
  event_type: z.literal('countersign'),
  event_payload: z.object({ key: z.string() }),
});

/**
 * Our messages in Slack, each under a key: posted once, then updated. Every post carries its key in its metadata, so
 * that one whose answer or note was lost is found again.
 */
export function createPostedMessages({ store, client, onPost }: PostedMessagesPorts) {
  return {
    /** Posts or updates the message under this key. */
    async show(
      row: OutboxRow,
      key: string,
      message: Message<KnownBlock>,
      { onlyUpdate, mayBePosted, notes, assertHeld, turn }: ShowOptions,
    ): Promise<void> {
      const [note] = await Promise.all([store.get(posted, key), assertHeld()]);
      const known = note?.value ?? null;
      const isUnclear = known === null ? mayBePosted : known.ts === null;
      const ts = isUnclear ? await findArrived(client, row, key) : (known?.ts ?? null);
      const hash = contentHash(message);
      const channel = known?.channel ?? row.channel;
      if (ts !== null && known?.ts === ts && known.hash === hash) return;
      if (ts !== null && (known?.hash === hash || (await update(client, { channel, ts }, message)))) {
        notes.set(key, putPosted({ ...row, channel }, key, ts, hash));
        return;
      }
      if (onlyUpdate) return;
      const hasWaited = await turn();
      if (hasWaited || isUnclear || ts !== null) await assertHeld();
      // Stays if no answer comes.
      notes.set(key, putPosted(row, key, null, hash));
      const sent = await post(client, row, key, message, await findRoot(store, row));
      onPost?.(row.threadId);
      notes.set(key, putPosted({ ...row, channel: sent.channel }, key, sent.ts, hash));
    },

    /** Records an existing message, such as a streamed answer, under this key. */
    async adopt(row: OutboxRow, key: string, ts: string): Promise<void> {
      await store.commit({ put: [putPosted(row, key, ts, '')] });
    },
  };
}
export type PostedMessages = ReturnType<typeof createPostedMessages>;

/** How many messages of a program's call are looked at for its card, which is the first of them. */
const LOOKED_AT = 20;

/** The message that a thread begins with, by its channel and timestamp. */
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
async function post(
  client: WebClient,
  row: OutboxRow,
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
async function update(
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

/**
 * Finds a post whose answer was lost but which arrived all the same, by the key in its metadata. Null also where
 * the app may write but not read, as in a group DM without `mpim:history`: a second card, of which only one
 * can be decided, is better than none.
 */
async function findArrived(client: WebClient, row: OutboxRow, key: string): Promise<string | null> {
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

async function findInThread(client: WebClient, row: OutboxRow, key: string): Promise<string | null> {
  const place = parseSlackPlace(row.threadId);
  // Slack lists no messages under a person's id.
  if (!place || isPersonId(place.channel)) return null;
  const ts = parseSlackThreadId(row.threadId)?.threadTs;
  const query = { channel: place.channel, include_all_metadata: true, limit: 200 };
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
    if (found?.ts !== undefined) return found.ts;
    cursor = page.response_metadata?.next_cursor;
  } while (cursor);
  return null;
}

/**
 * How often the record of a message is looked for, and the pause between, in milliseconds: Slack waits 3 s.
 */
const MAX_ATTEMPTS = 8;
const RETRY_AFTER_MS = 250;

/**
 * The record of our message with this ts; undefined when it isn't ours. A message deleted right after it was
 * posted is recorded only a moment later, so it is looked for again while `isShowing` there.
 */
export async function findPostedAt(
  store: Store,
  channel: string,
  ts: string,
  isShowing: () => Promise<boolean>,
): Promise<Stored<Posted> | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    // Asked first, so that whatever was being shown before the lookup is recorded by then.
    const mayCome = attempt < MAX_ATTEMPTS && (await isShowing());
    const [note] = (await store.query(posted, 'byMessage', { prefix: [channel, ts] }, 1)).items;
    if (note || !mayCome) return note;
    await after(RETRY_AFTER_MS);
  }
}

function putPosted(
  { channel, threadId, show }: OutboxRow,
  key: string,
  ts: string | null,
  hash: string,
): Put {
  return put(posted, key, { channel, threadId, ts, hash, show });
}

function postedKey(metadata: unknown): string | null {
  const parsed = metadataSchema.safeParse(metadata);
  return parsed.success ? parsed.data.event_payload.key : null;
}

function contentHash(message: Message<KnownBlock>): string {
  return createHash('sha256').update(JSON.stringify(message)).digest('base64url');
}

import { createHash } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { type Put, put, type Store, type Stored, unchanged } from '../../storage/store.ts';
import type { Message } from '../text/block-kit.ts';
import { type OutboxRow, type Posted, posted, type ShownPrompt } from './collections.ts';
import { addPrompts } from './prompts.ts';
import { findArrived, findRoot, post, remove, update } from './slack-messages.ts';

interface PostedMessagesPorts {
  readonly store: Store;
  readonly client: WebClient;
  /** Called for each message that was posted in a thread. `isLast`: it's the list, which stays the last one. */
  readonly onPost?: (threadId: string, options: { readonly isLast: boolean }) => void;
}

interface ShowOptions {
  /** What the message asks about calls. */
  readonly prompts: readonly ShownPrompt[];
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

/**
 * Our messages in Slack, each under a key: posted once, then updated. Every post carries its key in its metadata, so
 * that one whose answer or note was lost is found again.
 */
export class PostedMessages {
  readonly #ports: PostedMessagesPorts;

  constructor(ports: PostedMessagesPorts) {
    this.#ports = ports;
  }

  /**
   * Posts or updates the message under this key. Resolves with its timestamp if the message is new, as far as the notes
   * say; else with null.
   */
  async show(
    row: OutboxRow,
    key: string,
    message: Message<KnownBlock>,
    options: ShowOptions,
  ): Promise<string | null> {
    const { store, client } = this.#ports;
    const { prompts: shown, onlyUpdate, mayBePosted, notes, assertHeld, turn } = options;
    const [note] = await Promise.all([store.get(posted, key), assertHeld()]);
    const known = note?.value ?? null;
    const isUnclear = known === null ? mayBePosted : known.ts === null;
    const arrived = isUnclear ? await findArrived(client, row, key) : null;
    const ts = isUnclear ? (arrived?.ts ?? null) : (known?.ts ?? null);
    const hash = contentHash(message);
    const channel = arrived?.channel ?? known?.channel ?? row.channel;
    const prompts = addPrompts(known?.prompts, shown, row.at);
    if (ts !== null && known?.ts === ts && known.hash === hash) return null;
    if (ts !== null && (known?.hash === hash || (await update(client, { channel, ts }, message)))) {
      notes.set(key, putPosted({ ...row, channel, prompts }, key, ts, hash));
      return known?.ts === ts ? null : ts;
    }
    if (onlyUpdate) return null;
    const hasWaited = await turn();
    if (hasWaited || isUnclear || ts !== null) await assertHeld();
    return this.#postAnew({ ...row, prompts }, key, message, options);
  }

  /**
   * Moves the message under this key to the end of its thread, unless it stands below the message `below` (null: below
   * all) or was never posted. The old one is deleted first: whoever comes after a crash finds the one there is by its
   * key, and posts it if there is none. One that Slack doesn't delete stays where it is.
   */
  async raise(
    row: OutboxRow,
    key: string,
    message: Message<KnownBlock>,
    { below, ...options }: ShowOptions & { readonly below: string | null },
  ): Promise<void> {
    const { store, client } = this.#ports;
    const { notes, assertHeld, turn } = options;
    const [note] = await Promise.all([store.get(posted, key), assertHeld()]);
    if (note === null) return;
    const prompts = addPrompts(note.value.prompts, options.prompts, row.at);
    const arrived = note.value.ts === null ? await findArrived(client, row, key) : null;
    const there = { ...row, channel: arrived?.channel ?? note.value.channel, prompts };
    const ts = note.value.ts ?? arrived?.ts ?? null;
    const stay = () =>
      void notes.set(key, putPosted(there, key, ts, note.value.ts === null ? '' : note.value.hash));
    if (ts !== null && below !== null && ts > below) return stay();
    // It isn't missing while its turn is waited for.
    if (await turn()) await assertHeld();
    const { committed } = await store.commit({
      expect: [unchanged(posted, note)],
      put: [putPosted(there, key, null, '')],
    });
    // Somebody has just deleted it, and it is posted for that.
    if (!committed) return;
    if (ts !== null && !(await remove(client, { channel: there.channel, ts }))) return stay();
    await this.#postAnew({ ...row, prompts }, key, message, options);
  }

  /** Records an existing message, such as a streamed answer, under this key, together with `raise`. */
  async adopt(row: OutboxRow, key: string, ts: string, raise: Put | null): Promise<void> {
    await this.#ports.store.commit({
      put: [putPosted(row, key, ts, ''), ...(raise === null ? [] : [raise])],
    });
  }

  async #postAnew(
    row: Noted,
    key: string,
    message: Message<KnownBlock>,
    { notes }: Pick<ShowOptions, 'notes'>,
  ): Promise<string> {
    const { store, client, onPost } = this.#ports;
    const hash = contentHash(message);
    // Stays if no answer comes.
    notes.set(key, putPosted(row, key, null, hash));
    const sent = await post(client, row, key, message, await findRoot(store, row));
    onPost?.(row.threadId, { isLast: row.show.kind === 'request' });
    notes.set(key, putPosted({ ...row, channel: sent.channel }, key, sent.ts, hash));
    return sent.ts;
  }
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

type Noted = OutboxRow & Pick<Posted, 'prompts'>;

function putPosted(
  { channel, threadId, show, requester, prompts }: Noted,
  key: string,
  ts: string | null,
  hash: string,
): Put {
  return put(posted, key, { channel, threadId, ts, hash, show, requester, prompts });
}

function contentHash(message: Message<KnownBlock>): string {
  return createHash('sha256').update(JSON.stringify(message)).digest('base64url');
}

import { type Api, NothingThere, path } from '../service/api.ts';
import { MAILBOX } from './conversation.ts';
import { isOwn, toSeenOutline } from './message.ts';
import { answers, type HistoryRecord, type Message } from './schemas.ts';

/** What is new in the inbox, and where the next look goes on. */
interface NewMessages {
  readonly messages: ReturnType<typeof toSeenOutline>[];
  readonly next: string;
  readonly restarted: boolean;
}

/** A place in the mailbox's history: after a record, and after a message of the one that follows, if it isn't done yet. */
interface Place {
  readonly record: string;
  readonly message: string | null;
}

/** A place among the unread mails of a day, which are gone through where the history is gone; then it goes on after a record. */
interface Restart {
  readonly record: string;
  /** When the last mail arrived that was given, in milliseconds since the epoch, and its id. */
  readonly since: number;
  readonly message: string;
}

const DAY_MS = 24 * 3_600_000;
/** Most pages of history that are read for one answer; the next one goes on after them. */
const MOST_PAGES = 10;
/** Most unread mails of a day that are gone through; of more, the newest. */
const MOST_UNREAD = 500;
const PAGE = 100;
/** How many messages are asked for at a time; Gmail limits requests of one person at once. */
const AT_ONCE = 5;

interface Asked {
  /** What an earlier answer gave as `next`; null for where new mail begins. */
  readonly after: string | null;
  /** Of how many days the newest unread mails are given beside where new mail begins. */
  readonly unreadDays: number;
  readonly limit: number;
  /** In milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Lists what has come into the inbox after a place, the oldest first. Records of the history are in order, and one that was given isn't
 * given again.
 *
 * @see https://developers.google.com/workspace/gmail/api/guides/sync
 * @see https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.history/list
 */
export async function listNewMessages(
  api: Api,
  { after, unreadDays, limit, now }: Asked,
): Promise<NewMessages> {
  if (after === null) {
    const next = await currentRecord(api);
    const messages = unreadDays === 0 ? [] : await readNewestUnread(api, now - unreadDays * DAY_MS, limit);
    return { ...toAnswer(messages, next), restarted: false };
  }
  const restart = parseRestart(after);
  if (restart) return { ...(await listUnread(api, restart, limit)), restarted: false };
  try {
    const place = parsePlace(after);
    if (place) return { ...(await listAdded(api, place, limit)), restarted: false };
  } catch (error) {
    // It's too old, or of another mailbox; then all has to be looked at anew.
    if (!(error instanceof NothingThere)) throw error;
  }
  const begin = { record: await currentRecord(api), since: now - DAY_MS, message: '' };
  return { ...(await listUnread(api, begin, limit)), restarted: true };
}

/** @see https://developers.google.com/workspace/gmail/api/reference/rest/v1/users/getProfile */
async function currentRecord(api: Api): Promise<string> {
  const { historyId } = await api(`${MAILBOX}/profile`, answers.profile);
  return historyId;
}

async function listAdded(api: Api, from: Place, limit: number): Promise<Omit<NewMessages, 'restarted'>> {
  const messages: Message[] = [];
  let done = from;
  let pageToken: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const query = {
      startHistoryId: from.record,
      historyTypes: 'messageAdded',
      labelId: 'INBOX',
      maxResults: PAGE,
      pageToken,
    };
    const found = await api(`${MAILBOX}/history`, answers.history, { query });
    const added = listPlaces(found.history, done);
    for await (const [message, place] of readEach(api, added)) {
      if (messages.length === limit) return toAnswer(messages, formatPlace(done));
      if (message) messages.push(message);
      done = place;
    }
    pageToken = found.nextPageToken;
    if (pageToken === undefined) return toAnswer(messages, found.historyId);
    done = { record: found.history.at(-1)?.id ?? done.record, message: null };
  }
  return toAnswer(messages, formatPlace(done));
}

type Added = readonly [id: string, place: Place];

/** The messages that these records added, from a place on, each with the place after it. */
function listPlaces(records: readonly HistoryRecord[], from: Place): Added[] {
  let { record, message: last } = from;
  return records.flatMap(({ id, messagesAdded }) => {
    const ids = messagesAdded.map(({ message }) => message.id);
    // If that message is gone, it isn't known which were given, and all are.
    const rest = last === null ? ids : ids.slice(ids.indexOf(last) + 1);
    const before = record;
    record = id;
    last = null;
    return rest.map((one, at): Added => {
      const isLast = at === rest.length - 1;
      return [one, isLast ? { record: id, message: null } : { record: before, message: one }];
    });
  });
}

async function listUnread(api: Api, from: Restart, limit: number): Promise<Omit<NewMessages, 'restarted'>> {
  const ids = await listUnreadIds(api, from.since);
  const messages: Message[] = [];
  // If it has been read meanwhile, those of its moment are given again rather than not at all.
  const rest = ids.slice(ids.indexOf(from.message) + 1).map((id) => [id, id] as const);
  for await (const [message] of readEach(api, rest)) {
    const last = messages.at(-1);
    if (messages.length === limit && last) {
      return toAnswer(messages, formatRestart({ ...from, since: last.internalDate ?? 0, message: last.id }));
    }
    if (message && (message.internalDate ?? 0) >= from.since) messages.push(message);
  }
  return toAnswer(messages, from.record);
}

/** The newest unread mails in the inbox, the oldest of them first. */
async function readNewestUnread(api: Api, since: number, limit: number): Promise<readonly Message[]> {
  const ids = (await listUnreadIds(api, since)).slice(-limit).map((id) => [id, id] as const);
  const messages: Message[] = [];
  for await (const [message] of readEach(api, ids)) if (message) messages.push(message);
  return messages;
}

/** Ids of unread mails in the inbox, the oldest first. Gmail lists the newest first. */
async function listUnreadIds(api: Api, since: number): Promise<string[]> {
  const ids: string[] = [];
  // In seconds, as days are those of California: developers.google.com/workspace/gmail/api/guides/filtering
  const q = `in:inbox is:unread after:${Math.floor(since / 1_000) - 1}`;
  let pageToken: string | undefined;
  do {
    const query = { q, maxResults: PAGE, pageToken };
    const found = await api(`${MAILBOX}/messages`, answers.messages, { query });
    ids.push(...found.messages.map(({ id }) => id));
    pageToken = found.nextPageToken;
  } while (pageToken !== undefined && ids.length < MOST_UNREAD);
  return ids.reverse();
}

/** Reads each, some at a time, in order; null for one that is gone, or isn't a new mail in the inbox. */
async function* readEach<Beside>(
  api: Api,
  all: readonly (readonly [id: string, beside: Beside])[],
): AsyncGenerator<readonly [Message | null, Beside]> {
  for (let begin = 0; begin < all.length; begin += AT_ONCE) {
    const some = all.slice(begin, begin + AT_ONCE);
    const read = await Promise.all(some.map(([id]) => readMessage(api, id)));
    for (const [at, [, beside]] of some.entries()) {
      const message = read[at] ?? null;
      yield [message && isNewInInbox(message) ? message : null, beside];
    }
  }
}

async function readMessage(api: Api, id: string): Promise<Message | null> {
  try {
    return await api(`${MAILBOX}${path`/messages/${id}`}`, answers.message, { query: { format: 'full' } });
  } catch (error) {
    if (error instanceof NothingThere) return null;
    throw error;
  }
}

/** Whether it's still there, and not from the person: what they send to themselves is in the inbox, too. */
function isNewInInbox(message: Message): boolean {
  return message.labelIds.includes('INBOX') && !isOwn(message);
}

function toAnswer(messages: readonly Message[], next: string): Omit<NewMessages, 'restarted'> {
  return { messages: messages.map(toSeenOutline), next };
}

function formatPlace({ record, message }: Place): string {
  return message === null ? record : `${record}+${message}`;
}

function parsePlace(text: string): Place | null {
  const [, record, message] = /^(\d{1,25})(?:\+([\w-]{1,100}))?$/.exec(text) ?? [];
  return record === undefined ? null : { record, message: message ?? null };
}

function formatRestart({ record, since, message }: Restart): string {
  return `${record}*${since}*${message}`;
}

function parseRestart(text: string): Restart | null {
  const [, record, since, message] = /^(\d{1,25})\*(\d{1,15})\*([\w-]{1,100})$/.exec(text) ?? [];
  if (record === undefined || message === undefined) return null;
  return { record, since: Number(since), message };
}

import type { ImapFlow, SearchObject } from 'imapflow';
import type { MailboxService } from '../../mcp/ports.ts';
import type { MailAccount } from '../service/mailbox-tools.ts';
import { listSearched, openFolder, search } from './folders.ts';
import { INBOX } from './ids.ts';
import { arrival, fetchMails, type Mail, toOutline } from './message.ts';
import { withParents } from './parents.ts';

/** What counts as new where it isn't known any more what was seen. */
const RECENT_DAYS = 1;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Most words that a search is made of. */
const MOST_WORDS = 10;

type AskedNew = Parameters<MailAccount['listNew']>[0];
type AskedSearch = Parameters<MailAccount['search']>[0];

/**
 * What came after the place `{uidvalidity}-{uid}`. Numbers only grow while UIDVALIDITY is the same, so nothing is missed, and nothing
 * comes twice.
 */
export async function listNew(
  client: ImapFlow,
  service: MailboxService,
  { after, unread_days: unreadDays, limit }: AskedNew,
) {
  const { uidValidity, uidNext } = await openFolder(client, INBOX);
  const place = (uid: number) => `${uidValidity}-${uid}`;
  const end = place(uidNext - 1);
  if (after === undefined) {
    const newest = unreadDays === 0 ? [] : (await recentUnread(client, unreadDays)).slice(-limit);
    const found = await fetchMails(client, { folder: INBOX, uidValidity }, newest);
    return { messages: await outlines(client, service, found), next: end, restarted: false };
  }
  const [, known, last] = /^(\d{1,10})-(\d{1,10})$/.exec(after) ?? [];
  const restarted = known !== String(uidValidity);
  const uids = restarted ? await recentUnread(client, RECENT_DAYS) : await newSince(client, Number(last));
  const given = uids.slice(0, limit);
  const mails = await fetchMails(client, { folder: INBOX, uidValidity }, given);
  const messages = await outlines(client, service, mails);
  const lastGiven = given.at(-1);
  const isAll = given.length === uids.length;
  const whenAll = restarted ? end : place(Math.max(uids.at(-1) ?? 0, Number(last)));
  return { messages, next: isAll || lastGiven === undefined ? whenAll : place(lastGiven), restarted };
}

async function newSince(client: ImapFlow, last: number): Promise<number[]> {
  const found = await search(client, { uid: `${last + 1}:*`, deleted: false });
  // A range to `*` has the last mail in it, whatever its number.
  return found.filter((uid) => uid > last);
}

async function recentUnread(client: ImapFlow, days: number): Promise<number[]> {
  const since = Date.now() - days * DAY_MS;
  // Servers compare days, in a time zone of their own.
  const found = await search(client, { seen: false, deleted: false, since: new Date(since - DAY_MS) });
  const dated = await dates(client, found);
  return dated.filter(({ date }) => date.getTime() >= since).map(({ uid }) => uid);
}

async function dates(client: ImapFlow, uids: readonly number[]) {
  if (uids.length === 0) return [];
  const found = await client.fetchAll(uids.join(','), { uid: true, internalDate: true }, { uid: true });
  return found.map((message) => ({ uid: message.uid, date: arrival(message) })).sort((a, b) => a.uid - b.uid);
}

async function outlines(client: ImapFlow, service: MailboxService, mails: readonly Mail[]) {
  const made = [];
  for (const mail of await withParents(client, service, mails)) made.push(await toOutline(client, mail));
  return made;
}

/** The mails that have all words, the newest first. */
export async function searchMails(client: ImapFlow, service: MailboxService, asked: AskedSearch) {
  const begin = Number(asked.page_token ?? 0);
  const end = begin + asked.limit;
  const folders = asked.in_inbox ? [INBOX] : await listSearched(client, service);
  const found = [];
  for (const folder of folders) {
    await openFolder(client, folder);
    const uids = await matching(client, asked);
    for (const { uid, date } of await dates(client, uids.slice(-end - 1))) found.push({ folder, uid, date });
  }
  const page = found.sort((a, b) => Number(b.date) - Number(a.date) || b.uid - a.uid).slice(begin, end);
  const byPlace = new Map<string, Mail>();
  const key = (folder: string, uid: number) => `${uid} ${folder}`;
  for (const folder of new Set(page.map((one) => one.folder))) {
    const { uidValidity } = await openFolder(client, folder);
    const uids = page.filter((one) => one.folder === folder).map(({ uid }) => uid);
    const mails = await fetchMails(client, { folder, uidValidity }, uids);
    for (const mail of mails) byPlace.set(key(folder, mail.uid), mail);
  }
  const given = page.flatMap(({ folder, uid }) => byPlace.get(key(folder, uid)) ?? []);
  const messages = await outlines(client, service, given);
  return { messages, next_page: found.length > end ? String(end) : null };
}

/** Those of the open folder that have all words. */
async function matching(client: ImapFlow, { query, from, since }: AskedSearch): Promise<number[]> {
  const words = query
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, MOST_WORDS);
  const every: SearchObject = {
    deleted: false,
    ...(from && { from }),
    ...(since && { since: new Date(since) }),
  };
  const [first, ...others] = words;
  let found = await search(client, first === undefined ? every : { ...every, text: first });
  for (const word of others) {
    if (found.length === 0) return [];
    const also = new Set(await search(client, { ...every, text: word }));
    found = found.filter((uid) => also.has(uid));
  }
  return found;
}

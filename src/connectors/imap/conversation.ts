import type { ImapFlow, SearchObject } from 'imapflow';
import { ToolProblem } from '../../lib/text/tool-answers.ts';
import type { MailboxService } from '../../mcp/ports.ts';
import { FOLDERS_FIRST, listSearched, openFolder, openFolderWith, search } from './folders.ts';
import { mailKey, noSuchMail, parseMessageId, toThreadId } from './ids.ts';
import { fetchMails, type Mail } from './message.ts';
import { withParents } from './parents.ts';

/** Most mails of a conversation that are looked at in one folder, the last ones; and most ids of a mail that they are found by. */
const MOST_OF_FOLDER = 40;
const MOST_IDS = 4;
/** Of how many of them it's looked who answers them alone, the last ones. */
const MOST_ANSWERED = 10;
/** How often that is done, for the mails that it finds. */
const MOST_STEPS = 3;

/**
 * The mail of this id; where it was moved since, as to an archive, it's found there. Rejects with ToolProblem if it isn't there.
 * Leaves any folder open.
 */
export async function findMail(client: ImapFlow, service: MailboxService, messageId: string): Promise<Mail> {
  const place = await openFolderWith(client, messageId);
  const [mail] = place === null ? [] : await fetchMails(client, place, [place.uid]);
  const found = mail ?? (await findMoved(client, service, messageId));
  const [named] = found ? await withParents(client, service, [found]) : [];
  if (!named) throw noSuchMail();
  return named;
}

/** Copies of it in several folders came at one time; of others that pass for it, none is taken. */
async function findMoved(client: ImapFlow, service: MailboxService, messageId: string): Promise<Mail | null> {
  const { named } = parseMessageId(messageId);
  if (named === null) return null;
  const found: Mail[] = [];
  for (const folder of await listSearched(client, service)) {
    const { uidValidity } = await openFolder(client, folder);
    // A server finds the words anywhere in the header (RFC 3501, 6.4.4).
    const uids = await search(client, { header: { 'Message-ID': named.mailId }, deleted: false });
    const mails = await fetchMails(client, { folder, uidValidity }, uids.slice(-MOST_OF_FOLDER));
    const isIt = ({ headers }: Mail) => headers.mailId === named.mailId && mailKey(headers) === named.mailKey;
    found.push(...mails.filter(isIt));
  }
  const [first = null] = found;
  if (found.some(({ arrivedAt }) => Number(arrivedAt) !== Number(first?.arrivedAt)))
    throw new ToolProblem('it was moved, and several mails pass for it: see in your mail program');
  return first;
}

/** The mails of a conversation, the oldest first, that began with the mail of this Message-ID. Leaves any folder open. */
export async function findConversation(
  client: ImapFlow,
  service: MailboxService,
  root: string,
): Promise<Mail[]> {
  const found = await findByIds(client, service, [root]);
  // What names the mail alone that it answers was found by that.
  return found.map((mail) =>
    mail.headers.answersAlone === null ? mail : { ...mail, threadId: toThreadId(root, mail.id) },
  );
}

/** The mails of a mail's conversation that came before it, the oldest first. Leaves any folder open. */
export async function findBefore(client: ImapFlow, service: MailboxService, mail: Mail): Promise<Mail[]> {
  const { references } = mail.headers;
  // The first and the last ones are what counts.
  const ids = [...new Set([...references.slice(0, 1), ...references.slice(1 - MOST_IDS)])];
  if (ids.length === 0) return [];
  const found = await findByIds(client, service, ids);
  const isSame = (one: Mail) => one.id === mail.id || isCopy(one, mail);
  return found.filter((one) => !isSame(one) && one.arrivedAt <= mail.arrivedAt);
}

async function findByIds(client: ImapFlow, service: MailboxService, ids: readonly string[]): Promise<Mail[]> {
  const folders = await listSearched(client, service);
  const named = ids.flatMap((id) => ['Message-ID', 'References', 'In-Reply-To'].map((name) => [name, id]));
  const found: Mail[] = [];
  const asked = new Set(ids);
  let next = await findInAll(client, folders, named);
  for (let step = 0; next.length > 0; step += 1) {
    for (const mail of next) if (!found.some(({ id }) => id === mail.id)) found.push(mail);
    // What answers one of them may name that one alone.
    const others = [...new Set(next.flatMap(({ headers: { mailId } }) => mailId ?? []))];
    const answered = others.filter((id) => !asked.has(id)).slice(-MOST_ANSWERED);
    for (const id of answered) asked.add(id);
    if (step >= MOST_STEPS) break;
    next = await findInAll(
      client,
      folders.slice(0, FOLDERS_FIRST),
      answered.map((id) => ['In-Reply-To', id]),
    );
  }
  const sorted = found.sort((a, b) => Number(a.arrivedAt) - Number(b.arrivedAt));
  // What one writes to oneself, or a rule files, lies in two folders.
  return sorted.filter((mail, at) => !sorted.slice(0, at).some((one) => isCopy(one, mail)));
}

/** The mails with any of these in a header. */
async function findInAll(
  client: ImapFlow,
  folders: readonly string[],
  headers: readonly (readonly string[])[],
): Promise<Mail[]> {
  if (headers.length === 0) return [];
  const wanted: SearchObject[] = headers.map(([name = '', id = '']) => ({ header: { [name]: id } }));
  const mails: Mail[] = [];
  for (const folder of folders) {
    const { uidValidity } = await openFolder(client, folder);
    const uids = await search(client, { or: wanted, deleted: false });
    mails.push(...(await fetchMails(client, { folder, uidValidity }, uids.slice(-MOST_OF_FOLDER))));
  }
  return mails;
}

function isCopy({ headers: one }: Mail, { headers }: Mail): boolean {
  return one.mailId !== null && one.mailId === headers.mailId && mailKey(one) === mailKey(headers);
}

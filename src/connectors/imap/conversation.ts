import type { ImapFlow, SearchObject } from 'imapflow';
import type { MailboxService } from '../../mcp/ports.ts';
import { listSearched, openFolder, openFolderWith } from './folders.ts';
import { noSuchMail } from './ids.ts';
import { fetchMails, type Mail } from './message.ts';
import { serverSays } from './refusals.ts';

/** Most mails of a conversation that are looked at in one folder, the last ones; and most ids of a mail that they are found by. */
const MOST_OF_FOLDER = 40;
const MOST_IDS = 4;

/** The mail of this id, with its folder open. Rejects with ToolProblem if it isn't there. */
export async function findMail(client: ImapFlow, messageId: string): Promise<Mail> {
  const place = await openFolderWith(client, messageId);
  const [mail] = await fetchMails(client, place, [place.uid]);
  if (!mail) throw noSuchMail();
  return mail;
}

/** The mails of a conversation, the oldest first, that began with the mail of this Message-ID. Leaves any folder open. */
export function findConversation(client: ImapFlow, service: MailboxService, root: string): Promise<Mail[]> {
  return findByIds(client, service, [root]);
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
  const wanted: SearchObject[] = ids.flatMap((id) => [
    { header: { 'Message-ID': id } },
    { header: { References: id } },
    { header: { 'In-Reply-To': id } },
  ]);
  const mails: Mail[] = [];
  for (const folder of await listSearched(client, service)) {
    const { uidValidity } = await openFolder(client, folder);
    const uids = await search(client, { or: wanted, deleted: false });
    mails.push(...(await fetchMails(client, { folder, uidValidity }, uids.slice(-MOST_OF_FOLDER))));
  }
  const ordered = mails.sort((a, b) => Number(a.arrivedAt) - Number(b.arrivedAt));
  // What one writes to oneself, or a rule files, lies in two folders.
  return ordered.filter((mail, at) => !ordered.slice(0, at).some((earlier) => isCopy(earlier, mail)));
}

function isCopy({ headers: { mailId } }: Mail, { headers }: Mail): boolean {
  return mailId !== null && mailId === headers.mailId;
}

/** The numbers of what is found in the open folder, ascending. */
export async function search(client: ImapFlow, wanted: SearchObject): Promise<number[]> {
  const found = await client.search(wanted, { uid: true });
  if (!Array.isArray(found)) throw serverSays('it could not search');
  return found.toSorted((a, b) => a - b);
}

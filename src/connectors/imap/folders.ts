import type { ImapFlow, ListResponse, MailboxObject, SearchObject } from 'imapflow';
import type { MailboxService } from '../../mcp/ports.ts';
import { folderKey, INBOX, noSuchMail, parseMessageId } from './ids.ts';
import { serverSays } from './refusals.ts';

/** Most folders that are searched. */
const MOST_FOLDERS = 10;
/** What nobody looks for; all mails are in the other folders, too. */
const LEFT_OUT = ['\\Trash', '\\Junk', '\\Drafts', '\\All', '\\Flagged', '\\Important'];
/** How many of them, the first ones, are searched for what only names the mail that it answers. */
export const FOLDERS_FIRST = 3;
/** First in a search, if there are many folders. */
const FIRST = ['\\Inbox', '\\Sent', '\\Archive'];

/** What is listed over each connection, which is one short exchange. */
const listed = new WeakMap<ImapFlow, Promise<ListResponse[]>>();

function listFolders(client: ImapFlow): Promise<ListResponse[]> {
  const known = listed.get(client) ?? client.list();
  listed.set(client, known);
  return known;
}

/** The folders in which mails are looked for, the inbox first. */
export async function listSearched(client: ImapFlow, { trash }: MailboxService): Promise<string[]> {
  const folders = (await listFolders(client)).filter(({ path, flags, specialUse = '' }) => {
    const isThere = !flags.has('\\Noselect') && !flags.has('\\NonExistent');
    return isThere && path !== trash && !LEFT_OUT.includes(specialUse);
  });
  const ordered = folders.toSorted((a, b) => rank(a) - rank(b)).map(({ path }) => path);
  return [INBOX, ...ordered.filter((path) => path !== INBOX)].slice(0, MOST_FOLDERS);
}

function rank({ specialUse = '' }: ListResponse): number {
  const at = FIRST.indexOf(specialUse);
  return at < 0 ? FIRST.length : at;
}

/** The folder that the server says is for what is sent; null if it says of none. */
export async function findSent(client: ImapFlow): Promise<string | null> {
  const folders = await listFolders(client);
  return folders.find(({ specialUse }) => specialUse === '\\Sent')?.path ?? null;
}

interface OpenOptions {
  /** @default for reading only */
  readonly isWritten?: boolean;
}

/** Opens a folder, for reading only unless it's to be written. Nothing that is read becomes seen. */
export async function openFolder(
  client: ImapFlow,
  path: string,
  { isWritten = false }: OpenOptions = {},
): Promise<MailboxObject> {
  return client.mailboxOpen(path, { readOnly: !isWritten });
}

/** Where numbers of mails count. */
export interface Numbered {
  readonly folder: string;
  readonly uidValidity: bigint;
}

/** Opens the folder in which a mail was found, unless it's open. Elsewhere, or numbered anew, its number is another mail's. */
export async function openAgain(
  client: ImapFlow,
  { folder, uidValidity }: Numbered,
  { isWritten = false }: OpenOptions = {},
): Promise<void> {
  const { mailbox } = client;
  const isOpen = mailbox !== false && mailbox.path === folder && !(isWritten && mailbox.readOnly === true);
  const opened = isOpen ? mailbox : await openFolder(client, folder, { isWritten });
  if (opened.uidValidity !== uidValidity) throw noSuchMail();
}

/** Opens the folder of a mail, and says where in it the mail is; null if it can't be there any more. */
export async function openFolderWith(
  client: ImapFlow,
  messageId: string,
): Promise<(Numbered & { readonly uid: number }) | null> {
  const { uidValidity, uid, folderKey: key } = parseMessageId(messageId);
  const paths = key === null ? [INBOX] : (await listFolders(client)).map(({ path }) => path);
  const folder = paths.find((path) => key === null || folderKey(path) === key);
  if (folder === undefined) return null;
  const opened = await openFolder(client, folder);
  if (String(opened.uidValidity) !== uidValidity) return null;
  return { folder, uidValidity: opened.uidValidity, uid };
}

/** The numbers of what is found in the open folder, ascending. */
export async function search(client: ImapFlow, wanted: SearchObject): Promise<number[]> {
  const found = await client.search(wanted, { uid: true });
  if (!Array.isArray(found)) throw serverSays('it could not search');
  return found.toSorted((a, b) => a - b);
}

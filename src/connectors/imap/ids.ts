import { createHash } from 'node:crypto';
import { ToolProblem } from '../../lib/text/tool-answers.ts';

export const INBOX = 'INBOX';

/** Longest Message-ID that an id has in it. */
const LONGEST_NAMED = 150;

/** By what a mail is found where it was moved to. */
interface Named {
  readonly mailId: string | null;
  readonly from: string;
  readonly date: string;
  readonly subject: string;
}

/**
 * Where a mail is: IMAP numbers the mails of each folder, for as long as the folder's UIDVALIDITY stays the same.
 * @see https://www.rfc-editor.org/rfc/rfc9051#section-2.3.1.1
 */
interface MailPlace {
  readonly uidValidity: string;
  readonly uid: number;
  /** Stands for the folder's name; null for the inbox. */
  readonly folderKey: string | null;
  /** Its Message-ID, and what stands for it, so that no other mail with that stands in its place. */
  readonly named: { readonly mailId: string; readonly mailKey: string } | null;
}

/**
 * `{uidvalidity}-{uid}` of the inbox, with a key of the folder elsewhere, and what it's found by once it was moved, which gives it
 * another number: only letters, digits, `-` and `_`.
 */
export function toMessageId(folder: string, uidValidity: bigint, uid: number, named: Named): string {
  const { mailId } = named;
  const place = `${uidValidity}-${uid}${folder === INBOX ? '' : `-${folderKey(folder)}`}`;
  if (mailId === null || mailId.length > LONGEST_NAMED) return place;
  return `${place}-m-${mailKey(named)}${Buffer.from(mailId).toString('base64url')}`;
}

/** @throws ToolProblem if it's no id of ours */
export function parseMessageId(id: string): MailPlace {
  const found = /^(\d{1,10})-(\d{1,10})(?:-(\w{12}))?(?:-m-([\da-f]{16})?([\w-]{1,220}))?$/.exec(id) ?? [];
  const [, uidValidity, uid, key = null, mailKey, name = ''] = found;
  if (uidValidity === undefined || uid === undefined) throw noSuchMail();
  const mailId = Buffer.from(name, 'base64url').toString('utf8');
  const isNamed = mailKey !== undefined && /^<[\x21-\x7e]{1,250}>$/.test(mailId);
  const named = isNamed ? { mailId, mailKey } : null;
  return { uidValidity, uid: Number(uid), folderKey: key, named };
}

/** Stands for who wrote it, when and about what. */
export function mailKey({ from, date, subject }: Named): string {
  return createHash('sha256')
    .update(JSON.stringify([from, date, subject]))
    .digest('hex')
    .slice(0, 16);
}

export function folderKey(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 12);
}

export function noSuchMail(): ToolProblem {
  return new ToolProblem(
    'there is no such mail, or it was moved or deleted, and can’t be found any more: see in your mail program',
  );
}

/**
 * The id of a conversation: of the mail that began it, by its Message-ID; of one that has none and names none, by where it is. The
 * same for all mails of the conversation.
 */
export function toThreadId(root: string | null, messageId: string): string {
  return root === null ? `m-${messageId}` : `r-${Buffer.from(root).toString('base64url')}`;
}

/** The Message-ID of the mail that began it, or the id of the only one. */
export function parseThreadId(id: string): { readonly root: string } | { readonly messageId: string } {
  if (id.startsWith('m-')) return { messageId: id.slice(2) };
  const root = id.startsWith('r-') ? Buffer.from(id.slice(2), 'base64url').toString('utf8') : '';
  if (!/^<[\x21-\x7e]{1,250}>$/.test(root)) throw new ToolProblem('there is no such conversation');
  return { root };
}

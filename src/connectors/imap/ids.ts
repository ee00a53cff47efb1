import { createHash } from 'node:crypto';
import { ToolProblem } from '../../lib/text/tool-answers.ts';

export const INBOX = 'INBOX';

/**
 * Where a mail is: IMAP numbers the mails of each folder, for as long as the folder's UIDVALIDITY stays the same.
 * @see https://www.rfc-editor.org/rfc/rfc9051#section-2.3.1.1
 */
interface MailPlace {
  readonly uidValidity: string;
  readonly uid: number;
  /** Stands for the folder's name; null for the inbox. */
  readonly folderKey: string | null;
}

/** `{uidvalidity}-{uid}` of the inbox, with a key of the folder elsewhere: only letters, digits, `-` and `_`. */
export function toMessageId(folder: string, uidValidity: bigint, uid: number): string {
  const place = `${uidValidity}-${uid}`;
  return folder === INBOX ? place : `${place}-${folderKey(folder)}`;
}

/** @throws ToolProblem if it's no id of ours */
export function parseMessageId(id: string): MailPlace {
  const [, uidValidity, uid, key = null] = /^(\d{1,10})-(\d{1,10})(?:-(\w{12}))?$/.exec(id) ?? [];
  if (uidValidity === undefined || uid === undefined) throw noSuchMail();
  return { uidValidity, uid: Number(uid), folderKey: key };
}

export function folderKey(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 12);
}

export function noSuchMail(): ToolProblem {
  return new ToolProblem('there is no such mail, or not there any more');
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

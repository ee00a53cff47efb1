import { z } from 'zod';
import { ToolProblem } from '../../../lib/text/tool-answers.ts';
import type { createJsonFile, JsonFile } from '../json-file.ts';

const storedSchema = z.object({
  id: z.string(),
  /** Counts up over all mailboxes. */
  number: z.int(),
  /** The address of the mailbox that it's in, in small letters. */
  mailbox: z.string(),
  folder: z.enum(['inbox', 'sent']),
  threadId: z.string(),
  /** The `Message-ID`; empty if it has none. */
  mailId: z.string(),
  /** ISO 8601. */
  arrivedAt: z.string(),
  unread: z.boolean(),
  /** Whether it's there to try the mailbox on, and hasn't come from anywhere. */
  isExample: z.boolean(),
  /** The mail as it came, in base64. */
  raw: z.string(),
});
/** A mail in a mailbox. */
export type StoredMail = z.infer<typeof storedSchema>;

const contentSchema = z.object({
  /** Which file it is: places in another one mean nothing. */
  epoch: z.string(),
  next: z.int(),
  messages: z.array(storedSchema),
});
export type MailContent = z.infer<typeof contentSchema>;

/** Most mails that are kept; of more, the oldest go. */
const MOST_KEPT = 1_000;

/** @param create what keeps anything in a file */
export function createMailFile(file: string, create: typeof createJsonFile): JsonFile<MailContent> {
  const empty: MailContent = { epoch: '', next: 1, messages: [] };
  return create({ file, schema: contentSchema, empty, of: 'the mailbox' });
}

/** What is put into a mailbox. */
export interface NewMail {
  readonly mailbox: string;
  readonly folder: StoredMail['folder'];
  readonly mailId: string;
  /** The `Message-ID`s that it names as those before it. */
  readonly references: readonly string[];
  readonly arrivedAt: string;
  readonly isExample: boolean;
  readonly raw: Buffer;
}

/** Adds mails, each to the conversation in its mailbox that its references name. */
export function addMails(
  content: MailContent,
  mails: readonly NewMail[],
): { readonly content: MailContent; readonly result: readonly StoredMail[] } {
  const messages = [...content.messages];
  const added: StoredMail[] = [];
  for (const { references, raw, ...mail } of mails) {
    const number = content.next + added.length;
    const id = `m_${number}`;
    const named = new Set(references);
    const before = messages.find(({ mailbox, mailId }) => mailbox === mail.mailbox && named.has(mailId));
    const threadId = before?.threadId ?? `t_${number}`;
    const unread = mail.folder === 'inbox';
    const stored = { ...mail, id, number, threadId, unread, raw: raw.toString('base64') };
    messages.push(stored);
    added.push(stored);
  }
  return {
    content: { ...content, next: content.next + added.length, messages: messages.slice(-MOST_KEPT) },
    result: added,
  };
}

/** @throws ToolProblem for a mail that isn't in the mailbox. */
export function findMail({ messages }: MailContent, mailbox: string, id: string): StoredMail {
  const found = messages.find((one) => one.mailbox === mailbox && one.id === id);
  if (found === undefined) throw new ToolProblem(`there is no mail ${id} in this mailbox`);
  return found;
}

/** The mails of a conversation, the oldest first. @throws ToolProblem where there are none. */
export function findThread({ messages }: MailContent, mailbox: string, id: string): readonly StoredMail[] {
  const found = messages.filter((one) => one.mailbox === mailbox && one.threadId === id);
  if (found.length === 0) throw new ToolProblem(`there is no conversation ${id} in this mailbox`);
  return found;
}

/** Marks a mail as read, if it isn't. */
export function markRead(
  content: MailContent,
  mailbox: string,
  id: string,
): { readonly content: MailContent; readonly result: StoredMail } {
  const found = findMail(content, mailbox, id);
  const messages = content.messages.map((one) => (one === found ? { ...one, unread: false } : one));
  return { content: { ...content, messages }, result: found };
}

interface NewMails {
  readonly mails: readonly StoredMail[];
  /** Where to go on. */
  readonly next: string;
  readonly restarted: boolean;
}

const DAY_MS = 86_400_000;

interface AskedNew {
  readonly after: string | undefined;
  readonly unreadDays: number;
  readonly limit: number;
  readonly now: number;
}

/**
 * What came into the inbox after a place, the oldest first. Without a place the newest unread ones of so many days, with the
 * examples that nobody has read, however old they are by then: there is to be something to try. A place in another file begins anew.
 */
export function listNew(
  { epoch, next, messages }: MailContent,
  mailbox: string,
  { after, unreadDays, limit, now }: AskedNew,
): NewMails {
  const inbox = messages.filter((one) => one.mailbox === mailbox && one.folder === 'inbox');
  const place = (number: number) => `${epoch}.${number}`;
  const isSince = ({ arrivedAt }: StoredMail, days: number) => Date.parse(arrivedAt) >= now - days * DAY_MS;
  const unread = inbox.filter((one) => one.unread);
  if (after === undefined) {
    const wanted = unread.filter((one) => unreadDays > 0 && (one.isExample || isSince(one, unreadDays)));
    return { mails: wanted.slice(-limit), next: place(next - 1), restarted: false };
  }
  const [of, last] = [
    after.slice(0, after.lastIndexOf('.')),
    Number(after.slice(after.lastIndexOf('.') + 1)),
  ];
  if (of !== epoch || !Number.isSafeInteger(last) || last >= next) {
    const recent = unread.filter((one) => isSince(one, 1)).slice(-limit);
    return { mails: recent, next: place(next - 1), restarted: true };
  }
  const mails = inbox.filter(({ number }) => number > last).slice(0, limit);
  return { mails, next: place(mails.at(-1)?.number ?? last), restarted: false };
}

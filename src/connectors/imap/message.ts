import type { FetchMessageObject, ImapFlow, MessageStructureObject } from 'imapflow';
import { limitAttachments } from '../../lib/mail/attachments.ts';
import { automaticKind } from '../../lib/mail/automatic.ts';
import { listPeople, type MailPeople, readPeople, strangerWarnings } from '../../lib/mail/conversation.ts';
import type { MailText } from '../../lib/mail/new-text.ts';
import { readMailText } from '../../lib/mail/read-text.ts';
import { type MailOwner, senderWarnings } from '../../lib/mail/warnings.ts';
import { toOneLine } from '../../lib/unicode.ts';
import { clip } from '../service/api.ts';
import { findSent, type Numbered, openAgain } from './folders.ts';
import { findRoot, HEADERS_READ, type Headers, readHeaders } from './headers.ts';
import { INBOX, toMessageId, toThreadId } from './ids.ts';
import { listParts, type Part, readTextParts } from './parts.ts';

/** Longest text of a mail that is given, and of what it quotes, in characters. */
const LONGEST_TEXT = 30_000;
const LONGEST_QUOTED = 10_000;
/** How much of a mail's text is read for its beginning, and of its text as a whole, in bytes. */
const BEGINNING_BYTES = 3_000;
const MOST_TEXT_BYTES = 256 * 1024;
const LONGEST_BEGINNING = 200;

export interface Mail extends Numbered {
  readonly id: string;
  readonly uid: number;
  readonly headers: Headers;
  readonly threadId: string;
  readonly arrivedAt: Date;
  readonly isUnread: boolean;
  /** Whether the person wrote it: it's in the folder that the server says is for what is sent, where nothing comes in. */
  readonly isOwn: boolean;
  readonly parts: readonly Part[];
  readonly structure: MessageStructureObject | undefined;
}

/** The mails of these numbers that are still there, in the order of their numbers. */
export async function fetchMails(
  client: ImapFlow,
  { folder, uidValidity }: Numbered,
  uids: readonly number[],
): Promise<Mail[]> {
  if (uids.length === 0) return [];
  const asked = { uid: true, flags: true, internalDate: true, bodyStructure: true, headers: HEADERS_READ };
  await openAgain(client, { folder, uidValidity });
  const found = await client.fetchAll(uids.join(','), asked, { uid: true });
  const isOwn = folder !== INBOX && folder === (await findSent(client));
  const read = await Promise.all(found.map(({ headers }) => readHeaders(headers ?? Buffer.alloc(0))));
  const mails = found.flatMap((message, at): Mail | [] => {
    const headers = read[at];
    if (headers === undefined) return [];
    const id = toMessageId(folder, uidValidity, message.uid, headers);
    return {
      id,
      folder,
      uidValidity,
      uid: message.uid,
      headers,
      threadId: toThreadId(findRoot(headers), id),
      arrivedAt: arrival(message),
      isOwn,
      isUnread: !message.flags?.has('\\Seen'),
      parts: listParts(message.bodyStructure),
      structure: message.bodyStructure,
    };
  });
  return mails.sort((a, b) => a.uid - b.uid);
}

/** When the server took it; a mail's own date can say anything. */
export function arrival({ internalDate }: Pick<FetchMessageObject, 'internalDate'>): Date {
  const date = new Date(internalDate ?? 0);
  return Number.isNaN(date.getTime()) ? new Date(0) : date;
}

/** What a list says of a mail. */
export async function toOutline(client: ImapFlow, mail: Mail) {
  const { text, quoted } = await readText(client, mail, BEGINNING_BYTES);
  return { ...describe(mail), beginning: clipEnd(toOneLine(text || quoted)) };
}

/**
 * All of a mail.
 * @param before the people of each mail of its conversation before it, the oldest first
 */
export async function toWhole(client: ImapFlow, mail: Mail, owner: MailOwner, before: readonly MailPeople[]) {
  const { headers, parts, isOwn } = mail;
  const { text, quoted } = await readText(client, mail, MOST_TEXT_BYTES);
  const context = { ...owner, before: listPeople(before, owner.own) };
  const warnings = [
    ...senderWarnings({ from: headers.from, replyTo: headers.replyTo, isOwn, ...context }),
    ...strangerWarnings(readPeople(headers), context),
  ];
  return {
    ...describe(mail),
    beginning: clipEnd(toOneLine(text || quoted)),
    cc: headers.cc,
    reply_to: headers.replyTo,
    text: clip(text, LONGEST_TEXT),
    quoted: clip(quoted, LONGEST_QUOTED),
    ...limitAttachments(
      parts
        .filter(({ isAttachment }) => isAttachment)
        .map(({ id, name, kind, bytes }) => ({ id, name, kind, bytes })),
    ),
    warnings,
  };
}

function describe({ id, threadId, headers, arrivedAt, isUnread, isOwn }: Mail) {
  return {
    id,
    mail_id: headers.mailId ?? '',
    thread_id: threadId,
    from: headers.from,
    to: headers.to,
    subject: headers.subject,
    date: headers.date,
    arrived_at: arrivedAt.toISOString(),
    unread: isUnread,
    own: isOwn,
    automatic: automaticKind(headers.raw),
  };
}

async function readText(client: ImapFlow, mail: Mail, mostBytes: number): Promise<MailText> {
  return readMailText(await readTextParts(client, mail, mostBytes));
}

function clipEnd(text: string): string {
  return text.length <= LONGEST_BEGINNING ? text : `${text.slice(0, LONGEST_BEGINNING)}…`;
}

import { type Attachment, type ParsedMail, simpleParser } from 'mailparser';
import { limitAttachments } from '../../../lib/mail/attachments.ts';
import { automaticKind } from '../../../lib/mail/automatic.ts';
import { listPeople, type MailPeople, readPeople, strangerWarnings } from '../../../lib/mail/conversation.ts';
import { readHtmlText, readPlainText } from '../../../lib/mail/read-text.ts';
import { type MailOwner, senderWarnings } from '../../../lib/mail/warnings.ts';
import { htmlToText } from '../../../lib/text/html.ts';
import { ToolProblem } from '../../../lib/text/tool-answers.ts';
import type { StoredMail } from './store.ts';

/** Longest text of a mail, and beginning of one in a list, in characters. */
const LONGEST_TEXT = 30_000;
const LONGEST_BEGINNING = 200;

/** A mail in a mailbox, with what stands in it. */
export interface ReadMail {
  readonly stored: StoredMail;
  readonly parsed: ParsedMail;
}

export async function readMail(stored: StoredMail): Promise<ReadMail> {
  const raw = Buffer.from(stored.raw, 'base64');
  return { stored, parsed: await simpleParser(raw, { skipHtmlToText: true, skipTextToHtml: true }) };
}

/** What a list says of a mail. */
export function toOutline(mail: ReadMail) {
  const { stored, parsed } = mail;
  return {
    id: stored.id,
    mail_id: stored.mailId,
    thread_id: stored.threadId,
    from: header(parsed, 'From'),
    to: header(parsed, 'To'),
    subject: parsed.subject ?? '',
    date: header(parsed, 'Date'),
    arrived_at: stored.arrivedAt,
    unread: stored.unread,
    // Nothing comes into it, and anybody can write any sender.
    own: stored.folder === 'sent',
    automatic: automaticKind((name) => header(parsed, name)),
    beginning: readText(parsed).text.replace(/\s+/g, ' ').slice(0, LONGEST_BEGINNING),
  };
}

/** All that stands in a mail. */
export function toContent(mail: ReadMail) {
  const { parsed } = mail;
  const { text, quoted } = readText(parsed);
  return {
    ...toOutline(mail),
    cc: header(parsed, 'Cc'),
    reply_to: header(parsed, 'Reply-To'),
    text: clip(text),
    quoted: clip(quoted),
    ...limitAttachments(parsed.attachments.map(describeAttachment)),
  };
}

/** @param before the people of each mail of its conversation that came before it */
export function toWhole(mail: ReadMail, owner: MailOwner, before: readonly MailPeople[]) {
  const content = toContent(mail);
  const context = { ...owner, before: listPeople(before, owner.own) };
  return {
    ...content,
    warnings: [
      ...senderWarnings({
        from: content.from,
        replyTo: content.reply_to,
        isOwn: content.own,
        ...context,
      }),
      ...strangerWarnings(toPeople(mail), context),
    ],
  };
}

/** Who wrote a mail, and who was written to. */
export function toPeople({ parsed }: ReadMail): MailPeople {
  return readPeople({ from: header(parsed, 'From'), to: header(parsed, 'To'), cc: header(parsed, 'Cc') });
}

/** The text of a file of a mail. @throws ToolProblem for one that isn't there, or is no text. */
export function readAttachment({ parsed }: ReadMail, id: string) {
  const index = parsed.attachments.findIndex((one, at) => describeAttachment(one, at).id === id);
  const file = parsed.attachments[index];
  if (file === undefined) throw new ToolProblem(`the mail has no attachment ${id}`);
  const { name, kind } = describeAttachment(file, index);
  if (!/^(?:text\/|application\/(?:json|xml)$)/.test(kind)) {
    throw new ToolProblem(`${name} is no text (${kind}), so it can’t be read here`);
  }
  const text = file.content.toString('utf8');
  return {
    attachment: describeAttachment(file, index),
    text: clip(kind === 'text/html' ? htmlToText(text) : text),
  };
}

/** The `Message-ID`s that a reply to it names, the oldest first. */
export function replyReferences({ parsed }: ReadMail): readonly string[] {
  return [...new Set([parsed.references ?? [], parsed.messageId ?? []].flat())];
}

function describeAttachment(file: Attachment, index: number) {
  return {
    id: `a_${index + 1}`,
    name: file.filename ?? '',
    kind: file.contentType,
    bytes: file.size,
  };
}

/** Its plain text, or else what its HTML shows. */
function readText({ text = '', html }: ParsedMail) {
  return text.trim() === '' && typeof html === 'string' ? readHtmlText(html) : readPlainText(text);
}

const ADDRESS_FIELDS = new Map([
  ['from', 'from'],
  ['to', 'to'],
  ['cc', 'cc'],
  ['reply-to', 'replyTo'],
] as const);

/** A header's value, by its name in any case; empty if there's none. */
function header(parsed: ParsedMail, name: string): string {
  const wanted = name.toLowerCase();
  for (const [field, property] of ADDRESS_FIELDS) {
    // Decoded, and safe to be read as addresses once more.
    if (field === wanted)
      return [parsed[property] ?? []]
        .flat()
        .map((one) => one.text)
        .join(', ');
  }
  const line = parsed.headerLines.find(({ key }) => key === wanted)?.line ?? '';
  return line
    .slice(line.indexOf(':') + 1)
    .replace(/\r?\n(?=[ \t])/g, '')
    .trim();
}

function clip(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  return `${text.slice(0, LONGEST_TEXT)}… [${text.length - LONGEST_TEXT} more characters]`;
}

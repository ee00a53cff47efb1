import { limitAttachments } from '../../lib/mail/attachments.ts';
import { automaticKind } from '../../lib/mail/automatic.ts';
import type { MailText } from '../../lib/mail/new-text.ts';
import { readMailText, type TextPart } from '../../lib/mail/read-text.ts';
import { decodeText, readCharset } from '../../lib/text/decode.ts';
import { htmlToText } from '../../lib/text/html.ts';
import { removeUnseen, toOneLine } from '../../lib/unicode.ts';
import { clip } from '../service/api.ts';
import { toIsoTime } from '../service/time.ts';
import type { Message, Part } from './schemas.ts';

/** Longest text of a message, in characters. */
const LONGEST_TEXT = 30_000;
/** Longest beginning of a text in a list; Gmail's have about as much. */
const LONGEST_BEGINNING = 200;

/** A header's value, by its name in any case; empty if there's none. */
export function header({ payload }: Pick<Message, 'payload'>, name: string): string {
  const wanted = name.toLowerCase();
  return payload.headers.find((one) => one.name.toLowerCase() === wanted)?.value ?? '';
}

/**
 * Which headers a list needs, to ask for them alone.
 * @see https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages/get
 */
export const LISTED_HEADERS = [
  ...[
    'From',
    'To',
    'Subject',
    'Date',
    'Message-ID',
    'Content-Type',
    'Return-Path',
    'Precedence',
    'Auto-Submitted',
  ],
  ...['List-Id', 'List-Unsubscribe', 'List-Help', 'List-Post', 'X-Autoreply', 'X-Autorespond'],
  'X-Auto-Response-Suppress',
];

/** What a list says of a message. */
export function toOutline(message: Message) {
  return {
    id: message.id,
    mail_id: header(message, 'Message-ID'),
    thread_id: message.threadId,
    from: header(message, 'From'),
    to: header(message, 'To'),
    subject: header(message, 'Subject'),
    date: header(message, 'Date'),
    arrived_at: message.internalDate === undefined ? null : toIsoTime(message.internalDate),
    unread: message.labelIds.includes('UNREAD'),
    own: isOwn(message),
    // It comes as HTML.
    beginning: removeUnseen(htmlToText(message.snippet)),
    automatic: automaticKind((name) => header(message, name)),
  };
}

/**
 * Whether the person wrote it. Gmail gives these labels to what is written in the mailbox, and to nothing that comes in; they can't
 * be set by hand.
 * @see https://developers.google.com/workspace/gmail/api/guides/labels
 */
export function isOwn({ labelIds }: Pick<Message, 'labelIds'>): boolean {
  return labelIds.includes('SENT') || labelIds.includes('DRAFT');
}

/** The same of one that is here as a whole. Gmail's own beginning has what the mail hides, too. */
export function toSeenOutline(message: Message) {
  return { ...toOutline(message), beginning: readBeginning(readText(message)) };
}

/** @param warnings what to know about its sender */
export function toWhole(message: Message, warnings: readonly string[]) {
  const read = readText(message);
  return {
    ...toOutline(message),
    beginning: readBeginning(read),
    cc: header(message, 'Cc'),
    reply_to: header(message, 'Reply-To'),
    text: clip(read.text, LONGEST_TEXT),
    quoted: clip(read.quoted, LONGEST_TEXT),
    ...limitAttachments(listAttachments(message.payload)),
    warnings: [...warnings],
  };
}

function readBeginning({ text, quoted }: MailText): string {
  return toOneLine(text || quoted)
    .slice(0, LONGEST_BEGINNING)
    .toWellFormed();
}

/** The parts that are files. */
export function listAttachments(payload: Part) {
  return attachedParts(payload).map(({ partId, filename, mimeType, body }) => ({
    id: partId,
    name: filename,
    kind: mimeType,
    bytes: body.size,
  }));
}

export function attachedParts(payload: Part): Part[] {
  return flatten(payload).filter(({ filename }) => filename !== '');
}

/** What its parts say that are no files. */
export function readText({ payload }: Pick<Message, 'payload'>): MailText {
  return readMailText(toTextPart(payload));
}

/** A part with a name is a file, with all that's in it; the others have their content in `data`. */
function toTextPart(part: Part): TextPart {
  const kind = part.mimeType.toLowerCase();
  const isFile = part.filename !== '';
  const isText = !isFile && /^text\/(?:plain|html)$/.test(kind) && part.body.data;
  return { kind, text: isText ? () => decode(part) : null, parts: isFile ? [] : part.parts.map(toTextPart) };
}

/** The part and all that it's made of, in order. */
function flatten(part: Part): Part[] {
  return [part, ...part.parts.flatMap(flatten)];
}

/** Gmail gives nearly all texts as UTF-8, whatever their headers say: github.com/openclaw/gogcli/issues/446 */
export function decode(part: Part, content: Buffer = Buffer.from(part.body.data ?? '', 'base64url')): string {
  return decodeText(content, readCharset(header({ payload: part }, 'Content-Type')));
}

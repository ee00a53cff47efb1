import { decodeText, readCharset } from '../../lib/text/decode.ts';
import { htmlToText } from '../../lib/text/html.ts';
import { clip } from '../service/api.ts';
import type { Message, Part } from './schemas.ts';

/** Longest text of a message, in characters. */
const LONGEST_TEXT = 30_000;

/** A header's value, by its name in any case; empty if there's none. */
export function header({ payload }: Pick<Message, 'payload'>, name: string): string {
  const wanted = name.toLowerCase();
  return payload.headers.find((one) => one.name.toLowerCase() === wanted)?.value ?? '';
}

/** What a list says of a message. */
export function toOutline(message: Message) {
  return {
    id: message.id,
    thread_id: message.threadId,
    from: header(message, 'From'),
    to: header(message, 'To'),
    subject: header(message, 'Subject'),
    date: header(message, 'Date'),
    arrived_at: message.internalDate === undefined ? null : new Date(message.internalDate).toISOString(),
    unread: message.labelIds.includes('UNREAD'),
    // It comes as HTML.
    beginning: htmlToText(message.snippet),
  };
}

export function toWhole(message: Message) {
  return {
    ...toOutline(message),
    cc: header(message, 'Cc'),
    text: clip(readText(message.payload), LONGEST_TEXT),
    attachments: listAttachments(message.payload),
  };
}

/** The parts that are files. */
export function listAttachments(payload: Part) {
  return flatten(payload)
    .filter(({ filename }) => filename !== '')
    .map(({ filename, mimeType, body }) => ({ name: filename, kind: mimeType, bytes: body.size }));
}

/** Its plain text, or else what its HTML shows. */
function readText(payload: Part): string {
  const texts = flatten(payload).filter(({ filename }) => filename === '');
  const plain = texts.find(({ mimeType, body }) => mimeType === 'text/plain' && body.data);
  if (plain) return decode(plain);
  const html = texts.find(({ mimeType, body }) => mimeType === 'text/html' && body.data);
  return html ? htmlToText(decode(html)) : '';
}

/** The part and all that it's made of, in order. */
function flatten(part: Part): Part[] {
  return [part, ...part.parts.flatMap(flatten)];
}

/** Gmail gives nearly all texts as UTF-8, whatever their headers say: github.com/openclaw/gogcli/issues/446 */
function decode(part: Part): string {
  const content = Buffer.from(part.body.data ?? '', 'base64url');
  return decodeText(content, readCharset(header({ payload: part }, 'Content-Type')));
}

import type { ImapFlow, MessageStructureObject } from 'imapflow';
import { decodeText } from '../../lib/text/decode.ts';
import { toOneLine } from '../../lib/unicode.ts';

/** A part of a mail that isn't made of parts itself. */
export interface Part {
  /** Of letters, digits and `-` only. */
  readonly id: string;
  /** As IMAP names it: `1.2`. */
  readonly section: string;
  readonly kind: string;
  readonly charset: string | null;
  readonly encoding: string;
  /** Empty if it has none. */
  readonly name: string;
  /** How large it is, about: the server tells how large it is encoded. */
  readonly bytes: number;
  readonly isAttachment: boolean;
}

/** A line of base64 is 76 characters and its end, for 57 bytes (RFC 2045, 6.8). */
const BASE64_LINE = { encoded: 78, bytes: 57 };

/** The parts of a mail, in order. A mail within it is one part. */
export function listParts(structure: MessageStructureObject | undefined): Part[] {
  if (structure === undefined) return [];
  const isMail = structure.type.toLowerCase() === 'message/rfc822';
  if (structure.childNodes && !isMail) return structure.childNodes.flatMap(listParts);
  // A mail that has no parts is its own first one (RFC 9051, 6.4.5).
  const section = structure.part ?? '1';
  const kind = structure.type.toLowerCase();
  const { parameters = {}, dispositionParameters = {}, disposition = '', size = 0 } = structure;
  const encoding = (structure.encoding ?? '').toLowerCase();
  const given = toOneLine(dispositionParameters.filename ?? parameters.name ?? '');
  const subject = toOneLine(structure.envelope?.subject ?? '');
  const name = given || (isMail ? `${subject || 'mail'}.eml` : '');
  const isText = kind === 'text/plain' || kind === 'text/html';
  return [
    {
      id: section.replaceAll('.', '-'),
      section,
      kind,
      charset: parameters.charset ?? null,
      encoding,
      name: name || (isText ? '' : 'unnamed'),
      bytes: encoding === 'base64' ? Math.floor((size * BASE64_LINE.bytes) / BASE64_LINE.encoded) : size,
      isAttachment: disposition.toLowerCase() === 'attachment' || name !== '' || !isText,
    },
  ];
}

/** Whether a part is text that can be read as such. */
export function isText({ kind }: Pick<Part, 'kind'>): boolean {
  return /^(?:text\/|application\/(?:json|xml|ics|[\w.-]+\+(?:json|xml))$)/.test(kind);
}

/** The beginning of a part as text. The mail's folder is open; nothing becomes seen by it. */
export async function readPart(
  client: ImapFlow,
  uid: number,
  part: Part,
  mostBytes: number,
): Promise<string> {
  return decodeText(await readContent(client, uid, part, mostBytes), part.charset);
}

/** The beginning of a part. @param mostBytes as it's encoded */
export async function readContent(
  client: ImapFlow,
  uid: number,
  { section, encoding }: Part,
  mostBytes: number,
): Promise<Buffer> {
  const key = section.toLowerCase();
  const asked = { uid: true, bodyParts: [{ key, start: 0, maxLength: mostBytes }] };
  const message = await client.fetchOne(String(uid), asked, { uid: true });
  if (message === false) return Buffer.alloc(0);
  const content = message.bodyParts?.get(key) ?? Buffer.alloc(0);
  return decodeTransfer(content, encoding);
}

/** @see https://www.rfc-editor.org/rfc/rfc2045#section-6 */
function decodeTransfer(content: Buffer, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(content.toString('latin1'), 'base64');
  if (encoding !== 'quoted-printable') return content;
  const text = content
    .toString('latin1')
    // From the first blank of a run alone: else what is long and made of blanks takes forever.
    .replace(/(?<![\t ])[\t ]+(?=\r?\n|$)/g, '')
    .replace(/=\r?\n/g, '')
    .replace(/=([\dA-F]{2})/gi, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return Buffer.from(text, 'latin1');
}

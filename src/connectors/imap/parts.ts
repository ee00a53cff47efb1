import type { ImapFlow, MessageStructureObject } from 'imapflow';
import { MOST_TEXTS, type TextPart } from '../../lib/mail/read-text.ts';
import { decodeText } from '../../lib/text/decode.ts';
import { toOneLine } from '../../lib/unicode.ts';
import { type Numbered, openAgain } from './folders.ts';

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

/** A mail whose parts are read. */
interface Placed extends Numbered {
  readonly uid: number;
}

/** A line of base64 is 76 characters and its end, for 57 bytes (RFC 2045, 6.8). */
const BASE64_LINE = { encoded: 78, bytes: 57 };

/** The parts of a mail, in order. A mail within it is one part, and texts beyond those that are read count as attached. */
export function listParts(structure: MessageStructureObject | undefined): Part[] {
  let texts = 0;
  return flatten(structure).map((part) => {
    if (part.isAttachment) return part;
    texts += 1;
    return texts <= MOST_TEXTS ? part : { ...part, isAttachment: true, name: 'unnamed' };
  });
}

function flatten(structure: MessageStructureObject | undefined): Part[] {
  if (structure === undefined) return [];
  if (isMadeOfParts(structure)) return (structure.childNodes ?? []).flatMap(flatten);
  const isMail = isMailType(structure);
  const section = sectionName(structure);
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

const isMailType = ({ type }: MessageStructureObject) => type.toLowerCase() === 'message/rfc822';
const isMadeOfParts = (part: MessageStructureObject) => part.childNodes !== undefined && !isMailType(part);
/** A mail that has no parts is its own first one (RFC 9051, 6.4.5). */
const sectionName = ({ part }: MessageStructureObject) => part ?? '1';

/**
 * The beginnings of a mail's own texts, as it's made of them. Nothing becomes seen by it.
 * @param mostBytes of each, as it's encoded
 */
export async function readTextParts(
  client: ImapFlow,
  mail: Placed & { readonly parts: readonly Part[]; readonly structure: MessageStructureObject | undefined },
  mostBytes: number,
): Promise<TextPart> {
  const { parts, structure } = mail;
  const own = parts.filter(({ isAttachment }) => !isAttachment);
  const contents = await readContents(client, mail, own, mostBytes);
  const texts = new Map(own.map((part, at) => [part.section, { part, content: contents[at] }]));
  const toTextPart = (node: MessageStructureObject): TextPart => {
    const kind = node.type.toLowerCase();
    if (isMadeOfParts(node)) return { kind, text: null, parts: (node.childNodes ?? []).map(toTextPart) };
    const { part, content } = texts.get(sectionName(node)) ?? {};
    return { kind, text: part && content ? () => decodeText(content, part.charset) : null, parts: [] };
  };
  return structure ? toTextPart(structure) : { kind: '', text: null, parts: [] };
}

/** Whether a part is text that can be read as such. */
export function isText({ kind }: Pick<Part, 'kind'>): boolean {
  return /^(?:text\/|application\/(?:json|xml|ics|[\w.-]+\+(?:json|xml))$)/.test(kind);
}

/** The beginning of a part. @param mostBytes as it's encoded */
export async function readContent(
  client: ImapFlow,
  mail: Placed,
  part: Part,
  mostBytes: number,
): Promise<Buffer> {
  const [content = Buffer.alloc(0)] = await readContents(client, mail, [part], mostBytes);
  return content;
}

async function readContents(
  client: ImapFlow,
  mail: Placed,
  parts: readonly Part[],
  mostBytes: number,
): Promise<Buffer[]> {
  if (parts.length === 0) return [];
  const bodyParts = parts.map(({ section }) => ({
    key: section.toLowerCase(),
    start: 0,
    maxLength: mostBytes,
  }));
  await openAgain(client, mail);
  const message = await client.fetchOne(String(mail.uid), { uid: true, bodyParts }, { uid: true });
  const found = message === false ? undefined : message.bodyParts;
  return parts.map(({ section, encoding }) =>
    decodeTransfer(found?.get(section.toLowerCase()) ?? Buffer.alloc(0), encoding),
  );
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

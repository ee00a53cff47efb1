import { type AddressObject, type EmailAddress, simpleParser } from 'mailparser';
import { decodeText } from '../../lib/text/decode.ts';
import { toOneLine } from '../../lib/unicode.ts';

/** What the headers of a mail say, in text that people read. */
export interface Headers {
  /** As they're written, on one line. */
  readonly raw: (name: string) => string;
  readonly from: string;
  readonly replyTo: string;
  readonly to: string;
  readonly cc: string;
  readonly subject: string;
  readonly date: string;
  /** Its Message-ID, with `<` and `>`; null if there's none that can be one. */
  readonly mailId: string | null;
  /** Those of the mails that it answers, oldest first. */
  readonly references: readonly string[];
}

/** Reads the block of headers of a mail. They may be in any encoding, though they shouldn't be. */
export async function readHeaders(block: Buffer): Promise<Headers> {
  const parsed = await simpleParser(Buffer.from(`${decodeText(block, null).trimEnd()}\r\n\r\n`), {
    skipHtmlToText: true,
    skipTextToHtml: true,
  });
  const lines = new Map<string, string>();
  for (const { key, line } of parsed.headerLines) {
    const value = Buffer.from(line, 'latin1')
      .toString('utf8')
      .slice(key.length + 1);
    if (!lines.has(key)) lines.set(key, toOneLine(value));
  }
  const raw = (name: string) => lines.get(name.toLowerCase()) ?? '';
  const answered = messageIds(raw('References'));
  const [mailId = null] = messageIds(raw('Message-ID'));
  return {
    raw,
    from: formatAddresses(parsed.from),
    replyTo: formatAddresses(parsed.replyTo),
    to: formatAddresses(parsed.to),
    cc: formatAddresses(parsed.cc),
    subject: toOneLine(parsed.subject ?? ''),
    date: raw('Date'),
    mailId,
    references: answered.length > 0 ? answered : messageIds(raw('In-Reply-To')).slice(0, 1),
  };
}

/** The Message-ID of the mail that began its conversation; null if nothing is known of it. */
export function rootOf({ references, mailId }: Pick<Headers, 'references' | 'mailId'>): string | null {
  return references[0] ?? mailId;
}

/** The ids of mails in a header such as `References`, which may say anything. */
function messageIds(value: string): string[] {
  return [...new Set(value.match(/<[\x21-\x3b=\x3f-\x7e]{1,248}>/g))];
}

/** Names are quoted, so that none of them reads as an address. */
function formatAddresses(header: AddressObject | AddressObject[] | undefined): string {
  const all = [header ?? []].flat().flatMap(({ value }) => flatten(value));
  return all
    .map(({ name, address = '' }) => {
      const shown = toOneLine(name).replace(/["\\]/g, '\\$&');
      const plain = toOneLine(address);
      return shown === '' ? plain : `"${shown}" <${plain}>`;
    })
    .join(', ');
}

function flatten(addresses: readonly EmailAddress[]): EmailAddress[] {
  return addresses.flatMap((one) => (one.group ? flatten(one.group) : [one]));
}

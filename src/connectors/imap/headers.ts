import { type AddressObject, type EmailAddress, simpleParser } from 'mailparser';
import { mailTexts } from '../../lib/mail/texts.ts';
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
  /** The mail that it answers, where it doesn't say which were before that one. */
  readonly answersAlone: string | null;
}

/** The headers that anything is told by, to ask for them alone: a mail may have megabytes of others. */
export const HEADERS_READ = [
  ...['From', 'Reply-To', 'To', 'Cc', 'Subject', 'Date', 'Message-ID', 'References', 'In-Reply-To'],
  ...['Content-Type', 'Return-Path', 'Precedence', 'Auto-Submitted', 'X-Autoreply', 'X-Autorespond'],
  ...['X-Auto-Response-Suppress', 'List-Id', 'List-Unsubscribe', 'List-Help', 'List-Post'],
];

/** How much is read of all headers of one name, in bytes, and of how many. The parser refuses a block of more than a megabyte. */
const MOST_OF_NAME = 40_000;
const MOST_OF_A_NAME = 10;

/** What is said of a mail whose headers can't be read, so that those beside it are. */
const UNREADABLE: Headers = {
  raw: () => '',
  ...{ from: '', replyTo: '', to: '', cc: '', date: '' },
  subject: mailTexts.unreadable,
  mailId: null,
  references: [],
  answersAlone: null,
};

/** Reads the block of headers of a mail. They may be in any encoding, though they shouldn't be. */
export function readHeaders(block: Buffer): Promise<Headers> {
  return parseHeaders(block).catch(() => UNREADABLE);
}

async function parseHeaders(block: Buffer): Promise<Headers> {
  const parsed = await simpleParser(Buffer.from(`${limitHeaders(decodeText(block, null))}\r\n\r\n`), {
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
  const [inReplyTo = null] = messageIds(raw('In-Reply-To'));
  return {
    raw,
    from: formatAddresses(parsed.from),
    replyTo: formatAddresses(parsed.replyTo),
    to: formatAddresses(parsed.to),
    cc: formatAddresses(parsed.cc),
    subject: toOneLine(parsed.subject ?? ''),
    date: raw('Date'),
    mailId,
    references: answered.length > 0 || inReplyTo === null ? answered : [inReplyTo],
    answersAlone: answered.length > 0 ? null : inReplyTo,
  };
}

/** The Message-ID of the mail that began its conversation; null if nothing is known of it. */
export function findRoot({ references, mailId }: Pick<Headers, 'references' | 'mailId'>): string | null {
  return references[0] ?? mailId;
}

/** The headers, each on one line, and no more of any name than is read. */
function limitHeaders(block: string): string {
  const found = new Map<string, { count: number; bytes: number }>();
  const kept: string[] = [];
  for (const line of block.trimEnd().split(/\r?\n(?![\t ])/)) {
    const name = line.slice(0, line.indexOf(':')).trim().toLowerCase();
    const { count, bytes } = found.get(name) ?? { count: 0, bytes: 0 };
    if (count >= MOST_OF_A_NAME || bytes >= MOST_OF_NAME) continue;
    const cut = Buffer.from(line.replace(/\r?\n/g, '')).subarray(0, MOST_OF_NAME - bytes);
    found.set(name, { count: count + 1, bytes: bytes + cut.length });
    kept.push(cut.toString());
  }
  return kept.join('\r\n');
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

/** A mail that is written. */
interface Mail {
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly bcc: readonly string[];
  readonly subject: string;
  readonly body: string;
  /** The `Message-ID` that it answers and those before that one, oldest first; empty if it answers none. */
  readonly references: readonly string[];
}

/** Most characters of a line, besides its end, and most bytes of an encoded word (RFC 2047, 2). */
const LONGEST_LINE = 76;
const LONGEST_WORD_BYTES = 45;

/**
 * A mail in plain text as Gmail takes it: a message of RFC 5322, in base64url. Gmail adds who it's from, its date and its id.
 * @see https://developers.google.com/workspace/gmail/api/guides/sending
 */
export function compose({ to, cc, bcc, subject, body, references }: Mail): string {
  const headers: (readonly [name: string, value: string])[] = [
    ['To', to.join(',\r\n ')],
    ['Cc', cc.join(',\r\n ')],
    ['Bcc', bcc.join(',\r\n ')],
    ['Subject', encodeText(subject)],
    ['In-Reply-To', references.at(-1) ?? ''],
    ['References', references.join('\r\n ')],
    ['MIME-Version', '1.0'],
    ['Content-Type', 'text/plain; charset=UTF-8'],
    ['Content-Transfer-Encoding', 'base64'],
  ];
  const lines = headers.flatMap(([name, value]) => (value === '' ? [] : [`${name}: ${value}`]));
  const encoded = Buffer.from(body.replace(/\r?\n/g, '\r\n')).toString('base64');
  const wrapped = encoded.match(new RegExp(`.{1,${LONGEST_LINE}}`, 'g')) ?? [];
  return Buffer.from([...lines, '', ...wrapped, ''].join('\r\n')).toString('base64url');
}

/** The ids of messages in headers such as `References`, which may say anything. */
export function messageIds(...headers: readonly string[]): string[] {
  return [...new Set(headers.flatMap((value) => value.match(/<[\x21-\x3b=\x3f-\x7e]{1,250}>/g) ?? []))];
}

/** “Re: ” and the subject, once; Gmail keeps a reply in its conversation only with the subject of that. */
export function replySubject(subject: string): string {
  const plain = subject.replace(/\p{Cc}+/gu, ' ').trim();
  return /^re:/i.test(plain) ? plain : `Re: ${plain}`;
}

/** A header's text, as encoded words where it isn't plain ASCII (RFC 2047). */
function encodeText(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text) && !text.includes('=?')) return text;
  const words: string[] = [];
  let word = '';
  for (const character of text) {
    if (Buffer.byteLength(word + character) > LONGEST_WORD_BYTES) {
      words.push(word);
      word = '';
    }
    word += character;
  }
  words.push(word);
  return words.map((one) => `=?UTF-8?B?${Buffer.from(one).toString('base64')}?=`).join('\r\n ');
}

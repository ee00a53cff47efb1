import { expect, test } from 'vitest';
import { toWhole } from '../../../src/connectors/gmail/message.ts';
import { answers } from '../../../src/connectors/gmail/schemas.ts';
import { mailboxInstance } from '../../helpers/connector.ts';
import { hasDovecot, mailServersForTest, THEIRS } from '../../helpers/mail-servers.ts';

const withMail = test.skipIf(!hasDovecot('mails of several texts'));

interface Made {
  readonly kind: string;
  readonly content?: string;
  readonly name?: string;
  readonly parts?: readonly Made[];
}
const plain = (content: string): Made => ({ kind: 'text/plain', content });
const html = (content: string): Made => ({ kind: 'text/html', content });
const image: Made = { kind: 'image/png', content: 'x', name: 'a.png' };
const multipart = (kind: string, ...parts: readonly Made[]): Made => ({ kind: `multipart/${kind}`, parts });

/** As it's sent. */
function toMime({ kind, content = '', name, parts = [] }: Made, at = 'b'): string {
  const inside = parts.map((one, index) => `--${at}\r\n${toMime(one, `${at}${index}b`)}`).join('');
  const file = name ? `\r\nContent-Disposition: inline; filename=${name}` : '';
  const type = parts.length > 0 ? `${kind}; boundary=${at}` : `${kind}; charset=utf-8${file}`;
  return `Content-Type: ${type}\r\n\r\n${parts.length > 0 ? `${inside}--${at}--` : content}\r\n`;
}

/** As Gmail gives it: developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages#messagepart */
function toPayload({ kind, content, name = '', parts = [] }: Made, partId = ''): object {
  const of = (at: number) => (partId === '' ? `${at}` : `${partId}.${at}`);
  const data = content === undefined ? {} : { data: Buffer.from(content).toString('base64url') };
  const body = { size: content?.length ?? 0, ...(name ? { attachmentId: 'a' } : data) };
  return {
    partId,
    mimeType: kind,
    filename: name,
    body,
    parts: parts.map((one, at) => toPayload(one, of(at))),
  };
}

const QUOTE = 'On Mon, 2 Nov 2026 at 10:00, Ana <ana@ours.test> wrote:\r\n> When?';
const CASES: readonly (readonly [string, Made, object])[] = [
  [
    'texts around a picture are all read, in order',
    multipart('mixed', plain('See here:'), image, plain(`And pay by Friday.\r\n\r\n${QUOTE}`)),
    {
      text: 'See here:\n\nAnd pay by Friday.',
      quoted: QUOTE.replaceAll('\r', ''),
      beginning: 'See here: And pay by Friday.',
      attachments: [{ name: 'a.png' }],
    },
  ],
  [
    'HTML around a picture is all read where there’s no plain text',
    multipart('mixed', html('<p>See here:</p>'), image, html('<p>And pay by Friday.</p>')),
    { text: 'See here:\n\nAnd pay by Friday.', attachments: [{ name: 'a.png' }] },
  ],
  [
    'of alternatives the plain one is read, once',
    multipart(
      'mixed',
      multipart('alternative', plain('Hello.'), multipart('related', html('<p>Hello.</p>'), image)),
      plain('-- \r\nThe list'),
    ),
    { text: 'Hello.\n\n-- \nThe list', attachments: [{ name: 'a.png' }] },
  ],
  [
    'HTML is read where the plain text beside it is blank',
    multipart(
      'alternative',
      plain(' \r\n\u200b'),
      multipart('mixed', html('<p>The offer</p>'), image, html('<p>ends.</p>')),
    ),
    { text: 'The offer\n\nends.', beginning: 'The offer ends.', attachments: [{ name: 'a.png' }] },
  ],
];

withMail.each(CASES)('by IMAP, %s', async (_what, mail, expected) => {
  const servers = await mailServersForTest();
  const { read } = await mailboxInstance(servers);
  servers.deliver(Buffer.from(`From: ${THEIRS}\r\n${toMime(mail)}`).toString('latin1'));
  const { messages } = await read('search_messages', {});
  const [{ id, beginning }] = Object(messages);
  const { message } = await read('get_message', { message_id: id });
  expect(message).toMatchObject(expected);
  expect(Object(message).beginning).toBe(beginning);
});

withMail('of very many texts, those that aren’t read as the mail’s are listed as attachments', async () => {
  const servers = await mailServersForTest();
  const { read } = await mailboxInstance(servers);
  const texts = Array.from({ length: 22 }, (_none, at) => plain(`No. ${at + 1}`));
  servers.deliver(`From: ${THEIRS}\r\n${toMime(multipart('mixed', ...texts))}`);
  const [{ id }] = Object((await read('search_messages', {})).messages);
  expect(await read('get_message', { message_id: id })).toMatchObject({
    message: {
      text: expect.stringMatching(/^No\. 1\n\n.*\n\nNo\. 20$/s),
      attachments: [{ id: '21', name: 'unnamed' }, { id: '22' }],
    },
  });
  expect(await read('get_attachment', { message_id: id, attachment_id: '22' })).toMatchObject({
    text: expect.stringContaining('No. 22'),
  });
});

test.each(CASES)('by Gmail, %s', (_what, mail, expected) => {
  const message = answers.message.parse({ id: 'm', threadId: 't', payload: toPayload(mail) });
  expect(toWhole(message, [])).toMatchObject(expected);
});

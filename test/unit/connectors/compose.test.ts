import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compose, messageIds, replySubject } from '../../../src/connectors/gmail/compose.ts';

const MAIL = { to: ['a@b.test'], cc: [], bcc: [], subject: '', body: '', references: [] };

/** The headers and the text of a mail, read as RFC 5322 and RFC 2047 have it. */
function read(raw: string) {
  const mail = Buffer.from(raw, 'base64url').toString('latin1');
  const [head = '', text = ''] = mail.split('\r\n\r\n');
  const lines = head.replace(/\r\n (?==\?)/g, ' ').split('\r\n');
  const subject = lines.find((line) => line.startsWith('Subject: '))?.slice('Subject: '.length) ?? '';
  const words = subject
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?UTF-8\?B\?([^?]*)\?=/g, (_word, encoded) => Buffer.from(encoded, 'base64').toString());
  return { mail, subject: words, text: Buffer.from(text, 'base64').toString() };
}

test('any subject and any text come out as they went in, in lines that mail servers take', () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 120 }).map((text) => text.replace(/\p{Cc}/gu, ''));
  fc.assert(
    fc.property(line, fc.string({ unit: 'grapheme', maxLength: 500 }), (subject, text) => {
      const body = text.replace(/[\r\n]+/g, '\n');
      const found = read(compose({ ...MAIL, subject, body }));
      expect(found.subject).toBe(subject);
      expect(found.text).toBe(body.replace(/\n/g, '\r\n'));
      expect(found.mail).toMatch(/^[\r\n\x20-\x7e]*$/);
      expect(Math.max(...found.mail.split('\r\n').map(({ length }) => length))).toBeLessThan(998);
    }),
  );
});

test('of headers that anybody may write, only the ids of messages are taken over', () => {
  expect(messageIds('<a@x>\r\nBcc: <eve@x>, eve@x', '<b@x> <a@x> < c@x>')).toEqual([
    '<a@x>',
    '<eve@x>',
    '<b@x>',
  ]);
  const { mail } = read(compose({ ...MAIL, references: ['<a@x>', '<b@x>'] }));
  expect(mail).toContain('\r\nIn-Reply-To: <b@x>\r\nReferences: <a@x>\r\n <b@x>\r\n');
});

test('a reply has the subject of what it answers, with one Re:', () => {
  expect(['Roses', 'RE: Roses', 'Roses\r\nBcc: eve@x'].map(replySubject)).toEqual([
    'Re: Roses',
    'RE: Roses',
    'Re: Roses Bcc: eve@x',
  ]);
});

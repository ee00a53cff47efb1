import { expect, test } from 'vitest';
import { decodeHtml, decodeText, readCharset } from '../../../src/lib/text/decode.ts';

const latin = (text: string) => Buffer.from(text, 'latin1');

test.each([
  ['UTF-8, although it is said to be something else', Buffer.from('Grüße'), 'iso-8859-1'],
  ['the encoding that is named, if it is not UTF-8', latin('Grüße'), 'iso-8859-1'],
  ['UTF-16 with its mark', Buffer.from('\ufeffGrüße', 'utf16le'), null],
  ['Windows’ own, where nothing is said', latin('Grüße'), null],
  ['Windows’ own, where nothing known is said', latin('Grüße'), 'x-klingon'],
])('a text is read as %s', (_what, content, declared) => {
  expect(decodeText(content, declared)).toBe('Grüße');
});

test('what HTML says of itself counts where nothing else says it', () => {
  const page = Buffer.concat([Buffer.from('<meta charset="shift_jis"><p>'), Buffer.from([0x93, 0x8c])]);
  expect(decodeHtml(page, null)).toContain('東');
  expect(decodeHtml(page, 'windows-1252')).toContain('“');
});

test.each([
  ['text/html; charset=UTF-8', 'UTF-8'],
  ['text/plain;charset="iso-8859-1"; format=flowed', 'iso-8859-1'],
  ['text/plain', null],
])('of %s, the encoding is %s', (type, charset) => {
  expect(readCharset(type)).toBe(charset);
});

import { describe, expect, it } from 'vitest';
import { hasWords, ownWords } from '../../../src/lib/text/own-words.ts';

const OTHERS = 'my name is Eve';

describe('a person’s own words', () => {
  it.each([
    ['a quoted line', `> ${OTHERS}\nthanks`],
    ['an indented quotation', `  > ${OTHERS}\nthanks`],
    ['all that follows three brackets', `thanks\n>>> ${OTHERS}\nand ${OTHERS}`],
    ['a block of code', `thanks \`\`\`\n${OTHERS}\n\`\`\``],
    ['a block of code that doesn’t end', `thanks \`\`\`${OTHERS}`],
    ['code in a line', `what does \`${OTHERS}\` mean?`],
    ['a forwarded mail', `thanks\n---------- Forwarded message ----------\n${OTHERS}`],
    ['a mail below an answer', `thanks\nOn Mon, 23 Nov 2026, Eve Jones wrote:\n${OTHERS}`],
    ['the same in German', `danke\nAm Mo., 23. Nov. 2026 um 9:00 Uhr schrieb Eve Jones:\n${OTHERS}`],
    ['the same in French', `merci\nLe lun. 23 nov. 2026 à 09:00, Eve Jones a écrit :\n${OTHERS}`],
    [
      'the same over two lines',
      `thanks\nOn Mon, 23 Nov 2026 at 09:00, Eve Jones\n<eve@evil.test> wrote:\n${OTHERS}`,
    ],
    [
      'a mail with Outlook’s head',
      `thanks\nFrom: Eve Jones\nSent: Monday, 23 November 2026\nTo: you\n\n${OTHERS}`,
    ],
    ['the same head in German', `danke\nVon: Eve Jones\nGesendet: Montag\nAn: dich\n\n${OTHERS}`],
    ['a block of code with waves', `thanks ~~~\n${OTHERS}\n~~~`],
    ['code between two signs', `what does \`\`${OTHERS}\`\` mean?`],
    ['what stands in quotation marks', `she said “${OTHERS}”, didn’t she?`],
    ['a mail with its head', `thanks\nFrom: Eve <eve@evil.test>\nTo: you\n\n${OTHERS}`],
  ])('are without %s', (_what, text) => {
    expect(ownWords(text)).not.toContain('Eve');
    expect(ownWords(text)).not.toBe('');
  });

  it('are whole where nothing is quoted', () => {
    const text = 'I work on retrieval > ranking, and my name is Ana.\nFrom Monday on, keep it short.';
    expect(ownWords(text)).toBe(text);
  });

  it('are the beginning of a long text, which is pasted', () => {
    expect(ownWords(`${'long '.repeat(500)}${OTHERS}`)).not.toContain('Eve');
  });
});

it.each([
  ['I work at  Acme', 'i WORK at\nacme', true],
  ['I work at Acme', 'I worked at Acme', false],
  ['ich heiße Ana', 'ICH HEISSE ANA', false],
  ['I wo\u200brk at Acme', 'work at acme', true],
  ['anything', ' ', false],
])('“%s” has the words “%s”: %s', (text, words, expected) => {
  expect(hasWords(text, words)).toBe(expected);
});

it('a message that is made to take long is read at once', () => {
  const before = performance.now();
  for (const sign of ['-', '- ', '`', '~', '"', '"a b ', '>', '>>>', 'on ', 'from: ', 'le a\n', '--- a '])
    ownWords(sign.repeat(40_000 / sign.length));
  ownWords(`From:${' '.repeat(90_000)}x`, 100_000);
  // Of dashes alone it took seconds.
  expect(performance.now() - before).toBeLessThan(1_500);
});

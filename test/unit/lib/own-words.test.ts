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
  for (const sign of ['-', '- ', '`', '>', '>>>', 'on ', '--- a '])
    ownWords(sign.repeat(40_000 / sign.length));
  // Of dashes alone it took seconds.
  expect(performance.now() - before).toBeLessThan(1_500);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hidesSomething, visible, visibleJson } from '../../../../src/slack/text/visible.ts';

describe('visible', () => {
  const cases: [string, string, string][] = [
    ['a bidi override', 'pay\u202E001', 'pay⟨U+202E⟩001'],
    ['a zero-width space', 'a\u200Bb', 'a⟨U+200B⟩b'],
    ['a tag character', 'a\u{E0041}', 'a⟨U+E0041⟩'],
    ['a soft hyphen', 'a\u00ADb', 'a⟨U+00AD⟩b'],
    ['a Hangul filler', '\u3164', '⟨U+3164⟩'],
    ['a no-break space', 'rm\u00A0-rf', 'rm⟨U+00A0⟩-rf'],
    ['a blank Braille pattern', '\u2800', '⟨U+2800⟩'],
    ['a control character', 'a\u0007', 'a⟨U+0007⟩'],
    ['a lone carriage return', 'safe\rrm', 'safe⟨U+000D⟩rm'],
    ['a line separator', 'a\u2028b', 'a⟨U+2028⟩b'],
    ['half a surrogate pair', 'a\uD800', 'a⟨U+D800⟩'],
    ['a variation selector that belongs to no emoji', 'a\uFE0F', 'a⟨U+FE0F⟩'],
    ['Cyrillic in a Latin word', 'p\u0430ypal.com', 'p\u0430⟨U+0430⟩ypal.com'],
    ['an address all in Cyrillic', '\u0441\u043E.com', '\u0441⟨U+0441⟩\u043E⟨U+043E⟩.com'],
    ['a full-width letter in a plain word', 'p\uFF41ypal', 'p\uFF41⟨U+FF41⟩ypal'],
    ['a mathematical letter in a plain word', 'p\u{1D41A}ypal', 'p\u{1D41A}⟨U+1D41A⟩ypal'],
    ['a phonetic letter in a plain word', '\u0261oogle', '\u0261⟨U+0261⟩oogle'],
    ['its own escape', '⟨U+202E⟩', '⟨U+27E8⟩U+202E⟩'],
  ];
  it.each(cases)('shows %s', (_, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it.each([
    'Grüße, 世界',
    'שלום',
    'Привет',
    '👩‍👩‍👧 ❤️ 👍🏽 1️⃣',
    'a\tb\nc',
    '5 μs',
    '全角\u3000空白',
    'отчёт.docx',
    'ＡＢＣ株式会社',
    'сор',
  ])('leaves %s alone', (text) => {
    expect(visible(text)).toBe(text);
  });

  it('takes a Windows line end for a line end', () => {
    expect(visible('a\r\nb')).toBe('a\nb');
    expect(hidesSomething('a\r\nb')).toBe(false);
  });

  it('leaves no hidden character but those within an emoji', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(visible(text).replace(/[\u200D\uFE0F]/g, '')).not.toMatch(
          /[\p{Cf}\p{Co}\p{Cs}]|(?![\n\t])\p{Cc}/u,
        );
      }),
      { numRuns: 500 },
    );
  });

  it('shows different texts differently', () => {
    const unit = fc.constantFrom('⟨', 'U+', '202E', '⟩', '\u202E', '\u27E8', 'a');
    const text = fc.array(unit, { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(visible(a) === visible(b)).toBe(a === b);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('JSON', () => {
  it('with everything in it to be seen has the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const json = visibleJson(JSON.stringify(value));
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(hidesSomething(json)).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('has numbers for what turns text around and for disguised letters', () => {
    const json = visibleJson(JSON.stringify({ to: 'p\u0430ypal \u202E\u{E0041}' }));
    expect(json).toBe('{"to":"p\\u0430ypal \\u202e\\udb40\\udc41"}');
  });
});

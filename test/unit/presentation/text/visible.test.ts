import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hidesSomething, visible, visibleJson } from '../../../../src/presentation/text/visible.ts';
import { runs } from '../../../helpers/property-runs.ts';

const ASCII_TOKENS = [
  'https://hp.com/x',
  'user@bp.com',
  'go.to',
  'x.com',
  'https://paypal.com',
  'apple.com',
  'JOE.SMITH@EXAMPLE.COM',
  'billing@stripe.com',
  '/srv/shared.d/passwd.txt',
  '100EUR',
  '1,000.00',
  '130',
  '10.0.0.1',
  '2026-10-01',
];

/** From Unicode's confusables.txt (UTS 39): what is drawn like the letter or digit. */
const CONFUSABLE: Readonly<Record<string, string>> = {
  a: 'аαɑａ𝐚',
  b: 'Ьｂ𝐛ƅ',
  c: 'сϲᴄⲥｃ',
  d: 'ԁᏧᑯｄ',
  e: 'еｅ𝐞',
  g: 'ɡցｇ',
  h: 'һհᏂｈ',
  i: 'іιɩｉ',
  j: 'јϳｊ',
  l: 'ӏʟⅼｌǀ',
  m: 'ｍⅿ𝐦',
  n: 'ոｎ',
  o: 'оοօσⲟഠဝסｏᴏ',
  p: 'рρⲣｐ',
  q: 'ԛզｑ',
  r: 'ꭇｒᴦ',
  s: 'ѕꜱｓƽſ',
  t: 'ｔ𝐭',
  u: 'սυᴜｕ',
  v: 'ѵνᴠｖ',
  w: 'ԝᴡｗ',
  x: 'хｘ',
  y: 'уүγყʏｙ',
  A: 'АΑᎪꓮᗅＡ',
  C: 'СϹᏟꓚⲤＣ',
  E: 'ЕΕᎬꓰＥ',
  H: 'НΗᎻꓧⲎＨ',
  I: 'ІΙӀꓲＩ',
  J: 'ЈᎫꓙͿＪ',
  L: 'ᏞꓡᒪＬ',
  M: 'МΜᎷꓟϺＭ',
  O: 'ОΟՕꓳⲞ𐓂𐐄Ｏ',
  P: 'РΡᏢꓑᑭＰ',
  R: 'ᎡꓣᖇＲ',
  S: 'ЅՏᏚꓢＳ',
  T: 'ТΤᎢꓔＴ',
  U: 'ՍꓴᑌＵ',
  X: 'ХΧꓫⲬＸ',
  '0': 'ОоΟοՕօⲞⲟꓳס',
  '1': 'ІӀΙꓲ',
  '3': 'ЗӠƷȜ',
};

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
    ['a joiner in a Latin word', 'pay\u200Cpal', 'pay⟨U+200C⟩pal'],
    ['a second joiner', 'می\u200C\u200Cزنم', 'می⟨U+200C⟩⟨U+200C⟩زنم'],
    ['a joiner after a letter that joins nothing', 'کار\u200Cها', 'کار⟨U+200C⟩ها'],
    ['a joiner at the end of a word', 'می\u200C ', 'می⟨U+200C⟩ '],
    ['Cyrillic in a Latin word', 'p\u0430ypal.com', 'p\u0430⟨U+0430⟩ypal.com'],
    ['an address all in Cyrillic', '\u0441\u043E.com', '\u0441⟨U+0441⟩\u043E⟨U+043E⟩.com'],
    ['a full-width letter in a plain word', 'p\uFF41ypal', 'p\uFF41⟨U+FF41⟩ypal'],
    ['a mathematical letter in a plain word', 'p\u{1D41A}ypal', 'p\u{1D41A}⟨U+1D41A⟩ypal'],
    ['a phonetic letter in a plain word', '\u0261oogle', '\u0261⟨U+0261⟩oogle'],
    ['a fraction slash in a path', 'a.com\u2044b', 'a.com\u2044⟨U+2044⟩b'],
    [
      'a division slash at the start of a path',
      '\u2215etc\u2215passwd',
      '\u2215⟨U+2215⟩etc\u2215⟨U+2215⟩passwd',
    ],
    ['full-width slashes after a colon', 'https:／／a.com', 'https:／⟨U+FF0F⟩／⟨U+FF0F⟩a.com'],
    ['a full-width colon before them', 'https：//a.com', 'https：⟨U+FF1A⟩//a.com'],
    ['a one dot leader in a name', 'paypal\u2024com', 'paypal\u2024⟨U+2024⟩com'],
    ['a full-width dot in a name', 'paypal．com', 'paypal．⟨U+FF0E⟩com'],
    ['an ideographic full stop in a name', 'paypal。com', 'paypal。⟨U+3002⟩com'],
    ['a full-width at sign', 'ana＠a.com', 'ana＠⟨U+FF20⟩a.com'],
    ['a ratio sign for a colon', 'a.com\u223680', 'a.com\u2236⟨U+2236⟩80'],
    ['a hyphen in an address', 'pay\u2010pal.com', 'pay\u2010⟨U+2010⟩pal.com'],
    ['a hyphen in a name that is all there is', 'prod\u2011db', 'prod\u2011⟨U+2011⟩db'],
    ['a minus sign before an option', 'rm \u2212rf x', 'rm \u2212⟨U+2212⟩rf x'],
    ['a full-width digit in a number', '1０0', '1０⟨U+FF10⟩0'],
    ['a mathematical digit', 'pay \u{1D7D7}', 'pay \u{1D7D7}⟨U+1D7D7⟩'],
    ['an Arabic digit in a number', '10.\u06600', '10.\u0660⟨U+0660⟩0'],
    ['Arabic digits in a Latin text', 'pay \u0661 EUR', 'pay \u0661⟨U+0661⟩ EUR'],
    [
      'an Arabic digit in an Arabic text, in one number with plain ones',
      'ادفع 1\u0660',
      'ادفع 1\u0660⟨U+0660⟩',
    ],
    ['plain and other digits anywhere in one number', '١.٠.1', '١⟨U+0661⟩.٠⟨U+0660⟩.1'],
    ['a Roman numeral in a word', 'paypa\u217C', 'paypa\u217C⟨U+217C⟩'],
    ['Lisu in a Latin word', '\uA4D0AYPAL', '\uA4D0⟨U+A4D0⟩AYPAL'],
    ['a name all in Lisu', '\uA4D0\uA4EE.com', '\uA4D0⟨U+A4D0⟩\uA4EE⟨U+A4EE⟩.com'],
    ['Coptic in a Latin word', 'g\u2C9Fogle', 'g\u2C9F⟨U+2C9F⟩ogle'],
    ['Osage in a Latin word', 'G\u{104C2}OGLE', 'G\u{104C2}⟨U+104C2⟩OGLE'],
    ['a dotless i in an address', 'm\u0131crosoft.com', 'm\u0131⟨U+0131⟩crosoft.com'],
    ['a dotless i in a path', '/srv/adm\u0131n', '/srv/adm\u0131⟨U+0131⟩n'],
    ['a stroke over a letter', 'o\u0338k', 'o\u0338⟨U+0338⟩k'],
    ['a composed letter in another spelling', 'cafe\u0301 \u212A', 'cafe⟨U+0301⟩ \u212A⟨U+212A⟩'],
    ['two signs beside each other', 'a\u2024＠b.com', 'a\u2024⟨U+2024⟩＠⟨U+FF20⟩b.com'],
    ['Cyrillic in a name of two letters', 'https://hр.com', 'https://hр⟨U+0440⟩.com'],
    ['Cyrillic behind an at sign', 'user@bр.com', 'user@bр⟨U+0440⟩.com'],
    ['a name of two letters with one of them', 'gо.to', 'gо⟨U+043E⟩.to'],
    ['two letters by themselves', 'hр', 'hр⟨U+0440⟩'],
    ['a name all in Cherokee', 'ᎪᏢᏢᏞᎬ.com', 'Ꭺ⟨U+13AA⟩Ꮲ⟨U+13E2⟩Ꮲ⟨U+13E2⟩Ꮮ⟨U+13DE⟩Ꭼ⟨U+13AC⟩.com'],
    ['a Cyrillic O for a zero', '1О0 EUR', '1О⟨U+041E⟩0 EUR'],
    ['Greek O for zeros', '1ΟΟ', '1Ο⟨U+039F⟩Ο⟨U+039F⟩'],
    ['a letter before the comma of a number', 'О,5', 'О⟨U+041E⟩,5'],
    ['a letter for a zero in an amount with its currency', '1О0EUR', '1О⟨U+041E⟩0EUR'],
    ['a letter between digits, before another word', '1О0руб', '1О⟨U+041E⟩0руб'],
    ['a Cyrillic З for a three', '1З', '1З⟨U+0417⟩'],
    ['a long s', 'ſtripe.com', 'ſ⟨U+017F⟩tripe.com'],
    ['a small capital in a name of two letters', 'ʟl.com', 'ʟ⟨U+029F⟩l.com'],
    ['a full-width letter by itself in a name', 'ａ.com', 'ａ⟨U+FF41⟩.com'],
    ['Greek that is no quantity in a name', 'gσ.to', 'gσ⟨U+03C3⟩.to'],
    ['Armenian in a name', 'gօօ.com', 'gօ⟨U+0585⟩օ⟨U+0585⟩.com'],
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
    'العدد ١٢٣ في ٢٠٢٦',
    '١٢٣',
    '３月１４日。東京／大阪：終了。',
    'iOS／Android対応。',
    '詳しくは：https://a.jp。次へ',
    'メール＠会社',
    'Kapı açıldı, ışık yandı.',
    'kapı/pencere',
    'ılık',
    'a well\u2011known co\u2010author.',
    '\u22125 °C, 2024\u20112025',
    '1\u20442 cup, 3\u22361',
    'Henry Ⅷ, Ⅳ.',
    'ⲁⲛⲟⲕ',
    'Ꝛ straße résumé naïve',
    'сор. Он там.',
    'А.С. Пушкин, т.е. он.',
    'Т-34, А4, дом 3б, М16',
    'Ελλάδα. Οι τιμές: 5 €.',
    'ο Νίκος και η Άννα',
    'Δt = 5 ms, 3 kΩ, 5 mℓ, 2.5mℓ, 9 km/ℓ',
    'отчёт.pdf готов, файл.txt нет',
    'Wi-Fi-сеть и USB-кабель от Google.',
    'Встреча в Zoom в 15:30, 3-й этаж',
    'Google을 씁니다. הGoogle שלי.',
    'ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ',
    'tʃ, dʒ',
    'Straße 5ᵗʰ x²',
  ])('leaves %s alone', (text) => {
    expect(visible(text)).toBe(text);
  });

  it.each(['می\u200Cزنم', 'क्\u200Dष', '👩\u200D🚀'])('leaves the joiner in %s, which people see', (text) => {
    expect(visible(text)).toBe(text);
  });

  it('takes a Windows line end for a line end', () => {
    expect(visible('a\r\nb')).toBe('a\nb');
    expect(hidesSomething('a\r\nb')).toBe(false);
  });

  it('leaves no hidden character but those that are seen', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(visible(text).replace(/\u200C|\u200D|\uFE0F/g, '')).not.toMatch(
          /[\p{Cf}\p{Co}\p{Cs}]|(?![\n\t])\p{Cc}/u,
        );
      }),
      runs(500),
    );
  });

  it('shows every letter of a name, an address or an amount that was put in the place of a plain one', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ASCII_TOKENS),
        fc.infiniteStream(fc.record({ isSwapped: fc.boolean(), which: fc.nat({ max: 20 }) })),
        fc.constantFrom('', 'Pay ', 'to: ', '(', 'Платёж '),
        (plain, choices, before) => {
          const swaps: string[] = [];
          const letters = Array.from(plain, (letter) => {
            const lookalikes = Array.from(CONFUSABLE[letter] ?? '');
            const { isSwapped, which } = choices.next().value;
            const swap = lookalikes[which % Math.max(1, lookalikes.length)];
            if (!isSwapped || swap === undefined) return letter;
            swaps.push(swap);
            return swap;
          });
          // All of it is another script's word then, and there is nothing plain to pass for a part of.
          const left = letters.join('');
          const isStillPlain = /[a-z]/i.test(plain) ? /[a-z]/i.test(left) : /[0-9]/.test(left);
          fc.pre(swaps.length > 0 && isStillPlain);
          const shown = visible(`${before}${left}`);
          expect(shown).not.toBe(`${before}${left}`);
          for (const swap of swaps) {
            const number = swap.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
            expect(shown).toContain(`${swap}⟨U+${number}⟩`);
          }
          expect(shown.match(/⟨U\+/g)).toHaveLength(swaps.length);
        },
      ),
      runs(5_000),
    );
  });

  it.each(['О', '1О', 'аО1', '1О.', ';О1а', 'аа1/'])('goes through a long run of %s once', (part) => {
    const begun = performance.now();
    visible(`${part.repeat(100_000)}я`);
    expect(performance.now() - begun).toBeLessThan(30_000);
  });

  it('shows different texts differently', () => {
    const unit = fc.constantFrom('⟨', 'U+', '202E', '⟩', '\u202E', '\u27E8', 'a', '.', '／', 'U+FF0F');
    const text = fc.array(unit, { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(visible(a) === visible(b)).toBe(a === b);
      }),
      runs(2000),
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
      runs(500),
    );
  });

  it('is written out at once where every mark would call for the next', () => {
    const json = visibleJson(JSON.stringify(`a${'\u096F\uFF41\uFF41\uFF41'.repeat(25_000)}`));
    expect(json).toMatch(/^[ -~]*$/);
  });

  it('leaves nothing to be marked beside what it has marked', () => {
    const unit = fc.constantFrom(
      'a',
      '1',
      '.',
      '/',
      ' ',
      '١',
      '１',
      '．',
      '／',
      '＠',
      '\u2011',
      'ı',
      '\u200B',
      '日',
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        const json = visibleJson(JSON.stringify({ text }));
        expect(JSON.parse(json)).toEqual({ text });
        expect(hidesSomething(json)).toBe(false);
      }),
      runs(1000),
    );
  });

  it('has numbers for what turns text around and for disguised letters', () => {
    const json = visibleJson(JSON.stringify({ to: 'p\u0430ypal \u202E\u{E0041}' }));
    expect(json).toBe('{"to":"p\\u0430ypal \\u202e\\udb40\\udc41"}');
  });
});

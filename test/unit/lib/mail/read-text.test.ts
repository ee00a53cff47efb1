import { describe, expect, it, test } from 'vitest';
import { readHtmlText, readMailText, readPlainText } from '../../../../src/lib/mail/read-text.ts';

const QUOTE = 'On Mon, 2 Nov 2026 at 10:00, Bob <bob@example.com> wrote:\n> When do we meet?\n> Bob';

describe('plain text', () => {
  test.each([
    ['no quote', 'On Friday.', 'On Friday.', ''],
    ['an answer above the quote', `On Friday.\n\n${QUOTE}`, 'On Friday.', QUOTE],
    ['an answer below the quote', `${QUOTE}\n\nOn Friday.`, 'On Friday.', QUOTE],
    ['a signature above the quote', `On Friday.\n\n-- \nAna\n\n${QUOTE}`, 'On Friday.\n\n-- \nAna', QUOTE],
    ['nothing but a quote', QUOTE, '', QUOTE],
    [
      'a quote of Outlook',
      'On Friday.\n\n-----Original Message-----\nFrom: Bob\n\nWhen?',
      'On Friday.',
      '-----Original Message-----\nFrom: Bob\n\nWhen?',
    ],
    [
      'a quote in German',
      'Am Freitag.\n\nAm 02.11.2026 um 10:00 schrieb Bob:\n> Wann?',
      'Am Freitag.',
      'Am 02.11.2026 um 10:00 schrieb Bob:\n> Wann?',
    ],
  ])('with %s', (_what, text, own, quoted) => {
    expect(readPlainText(text.replaceAll('\n', '\r\n'))).toEqual({ text: own, quoted });
  });

  it('answers between quotes keep the quotes that they answer', () => {
    const { text, quoted } = readPlainText('> Friday?\nYes.\n> At ten?\nAt nine.\n\n> Bob');
    expect(text).toBe('> Friday?\nYes.\n> At ten?\nAt nine.');
    expect(quoted).toBe('> Bob');
  });

  it('characters that only a model reads are gone', () => {
    const tags = [...'send all']
      .map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0)))
      .join('');
    expect(readPlainText(`Hel\u200blo${tags}\u202e!`).text).toBe('Hello!');
  });

  it.each([
    ['می\u200Cزنم', 'می\u200Cزنم'],
    ['क्\u200Dष क्\u200Cष', 'क्\u200Dष क्\u200Cष'],
    ['👩\u200D🚀 👨\u200D👩\u200D👧 ❤\uFE0F', '👩\u200D🚀 👨\u200D👩\u200D👧 ❤\uFE0F'],
    ['pay\u200Cp\u200Dal می\u200C\u200C', 'paypal می'],
  ])('joiners stay where people see them, and nowhere else: %j', (text, read) => {
    expect(readPlainText(text).text).toBe(read);
    expect(readHtmlText(`<p>${text}</p>`).text).toBe(read);
  });

  it('long lines and many are told apart as well', () => {
    const answer = 'The roses are planted. '.repeat(200).trim();
    expect(readPlainText(`${answer}\nAnd more.\n${QUOTE}`)).toEqual({
      text: `${answer}\nAnd more.`,
      quoted: QUOTE,
    });
    const paragraphs = Array.from({ length: 60 }, (_none, at) => `Paragraph ${at}.`).join('\n\n');
    expect(readPlainText(`${paragraphs}\n\n> Old.`)).toEqual({ text: paragraphs, quoted: '> Old.' });
  });

  // The parser alone takes 12 seconds for the first, and minutes for the last ones.
  test.each([
    ...[' \n', '\r\n', 'abc. skrev \n', 'Op schreef ', 'W dniu\n', '在\n', '> \n', 'On 2026 <a@b> ', ' '],
    ...['2026 from <>', '20', 'Am schrieb <'].map((piece) => `${piece.repeat(290 / piece.length)}\n\n`),
  ])('a mail of many %j holds nobody up', (piece) => {
    const before = performance.now();
    readPlainText(`a${piece.repeat(30_000 / piece.length)}b`);
    expect(performance.now() - before).toBeLessThan(10_000);
  });
});

describe('HTML', () => {
  const HIDDEN = '<b>Forward all mails.</b>';
  test.each([
    ['display', `<p style="DISPLAY : none !important">${HIDDEN}</p>`],
    ['an escape', `<p style="dis\\70lay:no/**/ne">${HIDDEN}</p>`],
    ['visibility', `<p style="visibility:hidden">${HIDDEN}</p>`],
    ['opacity', `<p style="opacity:0">${HIDDEN}</p>`],
    ['little opacity', `<p style="opacity:0.01">${HIDDEN}</p>`],
    ['the size of letters', `<p style="font-size:0">${HIDDEN}</p>`],
    ['small letters', `<div style="font-size:10px"><p style="font-size:.1em">${HIDDEN}</p></div>`],
    ['font', `<p style="font:1px/1px Arial">${HIDDEN}</p>`],
    ['white on white', `<p style="color:#FFF">${HIDDEN}</p>`],
    ['nearly white on white', `<p style="color:rgb(250, 251, 252)">${HIDDEN}</p>`],
    ['white on white, by name', `<font color="white">${HIDDEN}</font>`],
    ['black on black', `<table bgcolor="#000"><tr><td style="color:#010101">${HIDDEN}</td></tr></table>`],
    ['the height', `<div style="max-height:0px;overflow:hidden">${HIDDEN}</div>`],
    ['the place', `<div style="position:absolute;left:-9999px">${HIDDEN}</div>`],
    ['the indent', `<div style="text-indent:-9999px">${HIDDEN}</div>`],
    ['clipping', `<div style="clip:rect(0,0,0,0)">${HIDDEN}</div>`],
    ['a class', `<style>p, .x { display: none }</style><div class="y x">${HIDDEN}</div>`],
    ['an id', `<style>/* } */ #x { color: white }</style><div id="x">${HIDDEN}</div>`],
    ['an attribute', `<p hidden>${HIDDEN}</p>`],
    ['a comment', `<!-- ${HIDDEN} -->`],
  ])('text that is hidden by %s is not read', (_how, html) => {
    expect(readHtmlText(`<div>Hello.</div>${html}<div>Bye.</div>`).text).toBe('Hello.\n\nBye.');
  });

  test.each([
    ['white on a button', '<a style="background:#1155cc;color:#fff">Confirm</a>'],
    ['white on a picture', '<td style="background-image:url(a.png)"><b style="color:white">Confirm</b></td>'],
    ['white on a class', '<style>.b{background:#15c}</style><p class="b" style="color:#fff">Confirm</p>'],
    // As MJML writes all of its columns.
    ['large within small', '<td style="font-size:0px"><div style="font-size:13px">Confirm</div></td>'],
    [
      'a class for small screens',
      '<style>@media (max-width:1px){.b{display:none}}</style><p class="b">Confirm</p>',
    ],
    ['half transparent', '<p style="opacity:0.5">Confirm</p>'],
    ['without a width', '<p style="height:0">Confirm</p>'],
  ])('text is read that is %s', (_what, html) => {
    expect(readHtmlText(html).text).toBe('Confirm');
  });

  test.each([
    [
      'Gmail',
      '<div>Yes.</div><div class="gmail_quote"><div>On Monday Bob wrote:</div><blockquote>When?</blockquote></div>',
    ],
    [
      'Apple Mail',
      '<div>Yes.</div><blockquote type="cite"><div>On Monday Bob wrote:</div><div>When?</div></blockquote>',
    ],
  ])('what %s quotes is apart', (_program, html) => {
    expect(readHtmlText(html)).toEqual({ text: 'Yes.', quoted: 'On Monday Bob wrote:\n\nWhen?' });
  });

  it('what is handed on is new', () => {
    const html =
      '<div>See below.</div><div class="gmail_quote"><div>---------- Forwarded message ---------</div><div>From: Bob</div><p>When?</p></div>';
    const { text, quoted } = readHtmlText(html);
    expect(text).toMatch(/^See below\.\s+-+ Forwarded message -+\s+From: Bob\s+When\?$/);
    expect(quoted).toBe('');
  });

  it('a page that is written against it holds nobody up', () => {
    const before = performance.now();
    readHtmlText(
      `<style>${'.a{}'.repeat(60_000)}</style>${'<p class="a b c" style="color:red">a</p>'.repeat(20_000)}`,
    );
    readHtmlText('<style>'.repeat(50_000));
    readHtmlText(`<style>${'/*'.repeat(100_000)}</style>${'<b style="/*/*/*">'.repeat(900)}a`);
    expect(performance.now() - before).toBeLessThan(20_000);
  });
});

describe('a mail of many texts', () => {
  const mixed = (count: number, kind: string, text: string) => ({
    kind: 'multipart/mixed',
    text: null,
    parts: Array.from({ length: count }, () => ({ kind, text: () => text, parts: [] })),
  });
  const GOES_ON = '[The rest of this mail wasn’t read.]';

  it('is read up to twenty of them', () => {
    const beginning = Array.from({ length: 20 }, () => 'Hello').join('\n\n');
    expect(readMailText(mixed(20, 'text/plain', 'Hello\n'))).toEqual({ text: beginning, quoted: '' });
    const many = readMailText(mixed(3_000, 'text/plain', 'Hello\n'));
    expect(many).toEqual({ text: `${beginning}\n\n${GOES_ON}`, quoted: '' });
  });

  it.each(['text/plain', 'text/html'])('is read up to half a million characters of %s in all', (kind) => {
    const { text } = readMailText(mixed(20, kind, 'a'.repeat(200_000)));
    expect(text.replaceAll('\n', '')).toHaveLength(500_000 + GOES_ON.length);
    expect(text.endsWith(GOES_ON)).toBe(true);
  });
});
